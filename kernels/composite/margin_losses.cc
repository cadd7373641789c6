// Losses of the scores of classes, by margins to the scores of labels.
#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/multi_margin_loss.h"
#include "opweave/kernels/composite/multilabel_margin_loss.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/cumprod.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/logical_or.h"
#include "opweave/ops/loss_reduced.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/margin_above.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ne.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/scatter.h"
#include "opweave/ops/scatter_add.h"
#include "opweave/ops/square.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/take.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/zeros_like.h"

namespace opweave::composite {
namespace {

// (N, C), of one row where there are fewer dimensions.
Tensor rows_of(const Tensor& self) {
  return self.dim() == 2 ? self : opweave::reshape(self, {1, -1});
}

Tensor mean_over_classes(const Tensor& terms, IntList dims, int64_t classes) {
  return opweave::div(ops::sum_dim_IntList::call(terms, dims, false, {}), classes);
}

// 1 for labels, 0 for the first negative one and all behind it.
Tensor counted_labels(const Tensor& target) {
  return ops::cumprod::call(opweave::to(opweave::ge(target, 0), kLong), -1, {});
}

}  // namespace

Tensor multi_margin_loss(const Tensor& self, const Tensor& target, const Scalar& p,
                         const Scalar& margin, const Tensor& weight, int64_t reduction) {
  const Tensor rows = rows_of(self), places = opweave::reshape(target, {-1, 1});
  const int64_t classes = rows.size(1);
  OW_CHECK(
      holds_everywhere(opweave::logical_and(opweave::ge(places, 0), opweave::lt(places, classes))),
      "multi_margin_loss(): target out of range: expected classes from 0 to ", classes - 1);
  Tensor margins =
      opweave::margin_above(rows, opweave::gather(rows, 1, places), margin.to_double());
  if (p.to_double() == 2) margins = opweave::square(margins);
  if (weight.defined()) margins = opweave::mul(margins, opweave::take(weight, places));
  margins = opweave::scatter(margins, 1, places, 0);
  const Tensor loss = target.dim() == 0 ? mean_over_classes(margins, {0, 1}, classes)
                                        : mean_over_classes(margins, {1}, classes);
  return opweave::loss_reduced(loss, reduction);
}

Tensor multilabel_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  const Tensor rows = rows_of(self), labels_of_rows = opweave::reshape(target, rows.sizes());
  const int64_t classes = rows.size(1);
  OW_CHECK(holds_everywhere(opweave::logical_and(opweave::ge(labels_of_rows, -1),
                                                 opweave::lt(labels_of_rows, classes))),
           "multilabel_margin_loss(): target out of range: expected labels from -1 to ",
           classes - 1);
  const Tensor counted = counted_labels(labels_of_rows);
  const Tensor labels = opweave::clamp_min(labels_of_rows, 0);
  const Tensor marks = opweave::scatter_add(opweave::zeros_like(labels), -1, labels, counted);
  const Tensor scores = opweave::gather(rows, -1, labels);
  const Tensor pairs =
      opweave::margin_above(opweave::unsqueeze(rows, -2), opweave::unsqueeze(scores, -1), 1.0);
  const Tensor left_out = opweave::logical_or(opweave::eq(opweave::unsqueeze(counted, -1), 0),
                                              opweave::ne(opweave::unsqueeze(marks, -2), 0));
  const Tensor terms = opweave::masked_fill(pairs, left_out, 0);
  const Tensor loss = self.dim() == 2 ? mean_over_classes(terms, {1, 2}, classes)
                                      : mean_over_classes(terms, {0, 1, 2}, classes);
  return opweave::loss_reduced(loss, reduction);
}

}  // namespace opweave::composite

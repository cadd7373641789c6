// Losses: a value per element, then the mean, the sum or nothing.
#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/binary_cross_entropy.h"
#include "opweave/kernels/composite/binary_cross_entropy_with_logits.h"
#include "opweave/kernels/composite/cross_entropy_loss.h"
#include "opweave/kernels/composite/huber_loss.h"
#include "opweave/kernels/composite/loss_reduced.h"
#include "opweave/kernels/composite/nll_loss_nd.h"
#include "opweave/kernels/composite/smooth_l1_loss.h"
#include "opweave/ops/add.h"
#include "opweave/ops/binary_cross_entropy_elements.h"
#include "opweave/ops/binary_cross_entropy_logits_elements.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/huber_elements.h"
#include "opweave/ops/l1_loss.h"
#include "opweave/ops/le.h"
#include "opweave/ops/log_softmax.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/loss_reduced.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/mean.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/nll_loss_forward.h"
#include "opweave/ops/nll_loss_nd.h"
#include "opweave/ops/ones.h"
#include "opweave/ops/smooth_l1_elements.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/view.h"
#include "runtime/rules/loss_reduction.h"

namespace opweave::composite {
namespace {

namespace loss_reduction = rule::loss_reduction;

void check_in_unit_interval(const Tensor& x, std::string_view name) {
  const Tensor inside = opweave::logical_and(opweave::ge(x, Scalar(0)), opweave::le(x, Scalar(1)));
  OW_CHECK(holds_everywhere(inside), "all elements of ", name, " should be between 0 and 1");
}

Tensor weighted(const Tensor& loss, const Tensor& weight) {
  return weight.defined() ? opweave::mul(loss, weight) : loss;
}

// A loss has the dtype of one of the tensors that it compares.
Tensor loss_in(ScalarType dtype, const Tensor& loss) {
  return loss.dtype() == dtype ? loss : opweave::to(loss, dtype);
}

int64_t class_dim(const Tensor& self) { return self.dim() == 1 ? 0 : 1; }

// A weight per class, shaped to multiply the logits.
Tensor class_weight(const Tensor& weight, const Tensor& self) {
  DimVector sizes(static_cast<size_t>(self.dim()), 1);
  sizes[static_cast<size_t>(class_dim(self))] = weight.numel();
  return opweave::view(weight, sizes);
}

Tensor cross_entropy_of_probabilities(const Tensor& self, const Tensor& target,
                                      const Tensor& weight, int64_t reduction,
                                      double label_smoothing) {
  const int64_t dim = class_dim(self), classes = self.size(dim);
  Tensor probabilities = target;
  if (label_smoothing > 0) {
    probabilities = opweave::add(opweave::mul(target, Scalar(1 - label_smoothing)),
                                 Scalar(label_smoothing / static_cast<double>(classes)));
  }
  Tensor terms = opweave::mul(opweave::log_softmax(self, dim), probabilities);
  if (weight.defined()) terms = opweave::mul(terms, class_weight(weight, self));
  if (reduction == loss_reduction::kNone) {
    return opweave::mul(ops::sum_dim_IntList::call(terms, IntList{dim}, false, {}), Scalar(-1));
  }
  const Tensor total = opweave::mul(ops::sum::call(terms, {}), Scalar(-1));
  if (reduction == loss_reduction::kSum) return total;
  return opweave::div(total, Scalar(self.numel() / std::max<int64_t>(classes, 1)));
}

// The part of label smoothing that goes to all classes alike.
Tensor smoothing_loss(const Tensor& logits, const Tensor& target, const Tensor& weight,
                      int64_t reduction, int64_t ignore_index, const Tensor& total_weight) {
  const Tensor terms =
      weight.defined() ? opweave::mul(logits, class_weight(weight, logits)) : logits;
  Tensor loss = opweave::mul(
      ops::sum_dim_IntList::call(terms, IntList{class_dim(logits)}, false, {}), Scalar(-1));
  loss = opweave::masked_fill(loss, opweave::eq(target, Scalar(ignore_index)), 0);
  if (reduction == loss_reduction::kNone) return loss;
  const Tensor total = ops::sum::call(loss, {});
  return reduction == loss_reduction::kSum ? total : opweave::div(total, total_weight);
}

Tensor cross_entropy_of_classes(const Tensor& self, const Tensor& target, const Tensor& weight,
                                int64_t reduction, int64_t ignore_index, double label_smoothing) {
  const int64_t dim = class_dim(self);
  const Tensor logits = opweave::log_softmax(self, dim);
  if (label_smoothing == 0) {
    return opweave::nll_loss_nd(logits, target, weight, reduction, ignore_index);
  }
  const auto [nll, total] =
      opweave::nll_loss_forward(logits, target, weight, reduction, ignore_index);
  const Tensor smooth = smoothing_loss(logits, target, weight, reduction, ignore_index, total);
  const double share = label_smoothing / static_cast<double>(self.size(dim));
  return opweave::add(opweave::mul(nll, Scalar(1 - label_smoothing)),
                      opweave::mul(smooth, Scalar(share)));
}

}  // namespace

Tensor loss_reduced(const Tensor& self, int64_t reduction) {
  if (reduction == loss_reduction::kMean) return ops::mean::call(self, {});
  return reduction == loss_reduction::kSum ? ops::sum::call(self, {}) : self;
}

Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  if (beta == 0) return opweave::l1_loss(self, target, reduction);
  return opweave::loss_reduced(opweave::smooth_l1_elements(self, target, beta), reduction);
}

Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  const Tensor loss = opweave::huber_elements(self, target, delta);
  return opweave::loss_reduced(loss_in(self.dtype(), loss), reduction);
}

Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight,
                            int64_t reduction) {
  check_in_unit_interval(self, "input");
  check_in_unit_interval(target, "target");
  const Tensor loss = weighted(opweave::binary_cross_entropy_elements(self, target), weight);
  return opweave::loss_reduced(loss_in(self.dtype(), loss), reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const Tensor& weight, const Tensor& pos_weight,
                                        int64_t reduction) {
  const Tensor positive =
      pos_weight.defined() ? pos_weight
                           : opweave::ones(IntList{}, self.dtype(), self.layout(), self.device());
  const Tensor loss =
      weighted(opweave::binary_cross_entropy_logits_elements(self, target, positive), weight);
  return opweave::loss_reduced(loss_in(target.dtype(), loss), reduction);
}

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const Tensor& weight,
                   int64_t reduction, int64_t ignore_index) {
  return std::get<0>(opweave::nll_loss_forward(self, target, weight, reduction, ignore_index));
}
Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight,
                          int64_t reduction, int64_t ignore_index, double label_smoothing) {
  if (!same_sizes(self.sizes(), target.sizes())) {
    return cross_entropy_of_classes(self, target, weight, reduction, ignore_index, label_smoothing);
  }
  return cross_entropy_of_probabilities(self, target, weight, reduction, label_smoothing);
}

}  // namespace opweave::composite

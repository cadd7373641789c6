// ctc_loss: lengths and reductions; the sums over alignments are by a kernel of the host.
#include <algorithm>
#include <limits>

#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/ctc_loss.h"
#include "opweave/ops/_ctc_loss.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/ctc_loss.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/item.h"
#include "opweave/ops/loss_reduced.h"
#include "opweave/ops/max.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/where.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/loss_reduction.h"

namespace opweave::composite {
namespace {

namespace loss_reduction = rule::loss_reduction;

Tensor tensor_of(IntList numbers) {
  Tensor made = make_tensor({static_cast<int64_t>(numbers.size())}, kLong, host_device());
  std::ranges::copy(numbers, static_cast<int64_t*>(made.raw_data()));
  return made;
}

// One for each text, however they are arranged.
Tensor lengths_of(std::string_view name, const Tensor& lengths, int64_t batch, Device device) {
  const bool whole = !is_floating(lengths.dtype()) && lengths.dtype() != kBool;
  OW_CHECK(whole || lengths.numel() == 0, name, " must be integral");
  OW_CHECK(lengths.numel() == batch, name, " must be of size batch_size: expected ", batch,
           ", but got ", lengths.numel());
  return opweave::to(opweave::reshape(lengths, IntList{-1}), device, kLong);
}

// How many labels a text has at most.
int64_t longest_of(const Tensor& targets, const Tensor& lengths) {
  if (targets.dim() == 2) return targets.size(1);
  if (lengths.is_meta() || lengths.numel() == 0) return targets.numel();
  const Tensor longest = ops::max::call(every_example(lengths));
  return std::max<int64_t>(opweave::item(longest).to_long(), 0);
}

}  // namespace

Tensor ctc_loss_Tensor(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, int64_t blank, int64_t reduction,
                       bool zero_infinity) {
  const bool single = log_probs.dim() == 2;
  const Device where = log_probs.device();
  // One time after the other by nature, so made on the host for every device.
  const Device here = where.is_meta() || log_probs.in_host_memory() ? where : host_device();
  Tensor scores = single ? opweave::unsqueeze(log_probs, 1) : log_probs;
  scores = opweave::to(scores, here, scores.dtype());
  const int64_t batch = scores.size(1);
  const Tensor steps = lengths_of("input_lengths", input_lengths, batch, here);
  const Tensor labels = lengths_of("target_lengths", target_lengths, batch, here);
  const Tensor texts = opweave::to(targets, here, kLong);
  Tensor loss = std::get<0>(opweave::_ctc_loss(scores, texts, steps, labels, blank,
                                               longest_of(texts, labels), zero_infinity));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (zero_infinity) loss = opweave::where(opweave::eq(loss, kInfinity), Scalar(0), loss);
  if (reduction == loss_reduction::kMean)
    loss = opweave::div(loss, opweave::to(opweave::clamp_min(labels, 1), loss.dtype()));
  loss = opweave::to(opweave::loss_reduced(loss, reduction), where, loss.dtype());
  return single && reduction == loss_reduction::kNone ? opweave::squeeze(loss, 0) : loss;
}

Tensor ctc_loss_IntList(const Tensor& log_probs, const Tensor& targets, IntList input_lengths,
                        IntList target_lengths, int64_t blank, int64_t reduction,
                        bool zero_infinity) {
  const Tensor steps = opweave::to(tensor_of(input_lengths), log_probs.device(), kLong);
  const Tensor labels = opweave::to(tensor_of(target_lengths), log_probs.device(), kLong);
  return ops::ctc_loss_Tensor::call(log_probs, targets, steps, labels, blank, reduction,
                                    zero_infinity);
}

}  // namespace opweave::composite

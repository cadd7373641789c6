// `out=` without a copy where that is possible.
#include "kernels/results/out.h"

#include "opweave/ops/copy_.h"
#include "runtime/rules/out_size.h"

namespace opweave {
namespace {

void check_out(std::string_view op, const Tensor& out, const ResultSpec& spec, OutDtype allowed) {
  check_out_dtype(op, spec.dtype(), out.dtype(), allowed);
  OW_CHECK(out.device() == spec.device(), op, "(): expected the out tensor on device ",
           spec.device(), " but got one on ", out.device());
}

// An empty `out` shares none yet, unless it is the input itself, which would grow with it.
bool shares_memory(const Tensor& out, const Tensor& input) {
  if (!input.defined()) return false;
  return input.is_same(out) || (input.storage() == out.storage() && out.numel() != 0);
}

// Calls f with each input that lies in the memory of `out`; whether there is one.
template <class F>
bool for_each_shared(const Tensor& out, std::span<const TensorList> inputs, F f) {
  bool any = false;
  for (const TensorList list : inputs) {
    for (const Tensor& input : list) {
      if (!shares_memory(out, input)) continue;
      any = true;
      f(input);
    }
  }
  return any;
}

}  // namespace

OutTensor::OutTensor(std::string_view op, Tensor& out, const ResultSpec& spec,
                     std::span<const TensorList> inputs, OutDtype allowed)
    : out_(out) {
  if (!spec.defined()) return;
  check_out(op, out, spec, allowed);
  const bool shared = for_each_shared(out, inputs, [](const Tensor&) {});
  // Resizing a tensor that an input lies in would move the input's memory away under it.
  if (shared && !same_sizes(out.sizes(), spec.sizes())) {
    target_ = spec.make();
    return;
  }
  resize_out(out, spec.sizes(), spec.strides());
  check_no_internal_overlap(out);
  // An empty tensor may have grown into an input's memory.
  const bool overlaps = for_each_shared(
      out, inputs, [&](const Tensor& input) { check_no_partial_overlap(out, input); });
  const bool direct = !overlaps && out.dtype() == spec.dtype() && spec.is_layout_of(out);
  target_ = direct ? out : spec.make();
}

void OutTensor::finish() {
  if (!target_.defined() || target_.is_same(out_)) return;
  resize_out(out_, target_.sizes(), target_.strides());
  copy_(out_, target_);
}

void check_outs_apart(std::span<const Tensor* const> outs) {
  for (size_t i = 0; i < outs.size(); ++i) {
    for (size_t k = 0; k < i; ++k) check_apart(*outs[i], *outs[k]);
  }
}

}  // namespace opweave

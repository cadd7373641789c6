// The gradient of as_strided. Elements of the input and of the result meet in the memory below
// both, so the gradient goes there first and is read back in the input's geometry.
#include "opweave/kernels/composite/as_strided_backward.h"

#include <limits>
#include <numeric>

#include "kernels/composite/geometry.h"
#include "kernels/composite/recording.h"
#include "kernels/composite/writing.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/div.h"
#include "opweave/ops/index_add.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/reshape.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave::composite {
namespace {

struct Placement {
  IntList sizes, strides;
  int64_t offset;

  int64_t end() const {
    int64_t last = offset;
    for (size_t d = 0; d < sizes.size(); ++d) last += (sizes[d] - 1) * strides[d];
    return last + 1;
  }

  // The formula's own geometries are those of tensors; others may come from anywhere.
  void check() const {
    bool possible = offset >= 0;
    int64_t reach = offset, step = 0;
    for (size_t d = 0; possible && d < sizes.size(); ++d) {
      possible = sizes[d] > 0 && strides[d] >= 0 &&
                 !__builtin_mul_overflow(sizes[d] - 1, strides[d], &step) &&
                 !__builtin_add_overflow(reach, step, &reach);
    }
    OW_CHECK(possible && reach < std::numeric_limits<int64_t>::max(),
             "as_strided_backward(): no tensor has sizes ", sizes, ", strides ", strides,
             " and offset ", offset);
  }

  // False only if no two elements share memory: each stride reaches past all smaller dimensions.
  bool may_overlap() const {
    DimVector order(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
    int64_t reach = 0;
    for (int64_t d : order) {
      if (sizes[d] == 1) continue;
      if (strides[d] <= reach) return true;
      reach += (sizes[d] - 1) * strides[d];
    }
    return false;
  }

  // Where each element lies, in order.
  Tensor positions(int64_t start, int64_t length, Device device) const {
    const Tensor all = opweave::arange(length, kLong, Layout::kStrided, device);
    const Tensor own = make_alias(all, sizes, strides, offset - start);
    return opweave::reshape(opweave::clone(own, MemoryFormat::kContiguous), {-1});
  }
};

Tensor zero_memory(int64_t length, const Tensor& like) {
  const BelowADInplaceOrView guard;
  return zeroed(make_tensor({length}, like.dtype(), like.device()));
}

// Through one block of memory, in place.
Tensor copied(const Tensor& grad, const Placement& input, const Placement& result, int64_t start,
              int64_t length) {
  const BelowADInplaceOrView guard;
  const Tensor memory = zero_memory(length, grad);
  copy_into(make_alias(memory, result.sizes, result.strides, result.offset - start), grad);
  return make_alias(memory, input.sizes, input.strides, input.offset - start);
}

// By index, which can be differentiated and adds up what overlaps. Where the input overlaps, each
// of the elements that share a place takes an even part.
Tensor gathered(const Tensor& grad, const Placement& input, const Placement& result, int64_t start,
                int64_t length) {
  const Tensor flat = opweave::reshape(grad, {-1});
  const Tensor to = result.positions(start, length, grad.device());
  const Tensor from = input.positions(start, length, grad.device());
  const Tensor memory = opweave::index_add(zero_memory(length, grad), 0, to, flat);
  Tensor own = opweave::index_select(memory, 0, from);
  if (input.may_overlap()) {
    const Tensor ones = filled(make_tensor({from.numel()}, grad.dtype(), grad.device()), 1);
    const Tensor counts = opweave::index_add(zero_memory(length, grad), 0, from, ones);
    own = opweave::div(own, opweave::index_select(counts, 0, from));
  }
  return opweave::reshape(own, input.sizes);
}

}  // namespace

Tensor as_strided_backward(const Tensor& grad, IntList sizes, IntList strides, int64_t base_offset,
                           IntList size, IntList stride, std::optional<int64_t> storage_offset) {
  if (grad.numel() == 0 || checked_numel(sizes) == 0) {
    return zeroed(make_tensor(sizes, grad.dtype(), grad.device()));
  }
  const Placement input{sizes, strides, base_offset};
  const Placement result{size, stride, storage_offset.value_or(base_offset)};
  input.check();
  result.check();
  const int64_t start = std::min(input.offset, result.offset);
  const int64_t length = std::max(input.end(), result.end()) - start;
  const bool simple = !recording(grad) && !input.may_overlap() && !result.may_overlap();
  return (simple ? copied : gathered)(grad, input, result, start, length);
}

}  // namespace opweave::composite

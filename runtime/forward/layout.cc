// Copies of given strides, by operators that are differentiated.
#include "runtime/forward/layout.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "opweave/ops/as_strided.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/new_zeros.h"
#include "opweave/ops/permute.h"

namespace opweave {
namespace {

bool same_strides(const Tensor& a, const Tensor& b) {
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (a.size(d) > 1 && a.stride(d) != b.stride(d)) return false;
  }
  return true;
}

// The dimensions from the outermost in memory to the innermost.
DimVector memory_order(const Tensor& t) {
  DimVector order(static_cast<size_t>(t.dim()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return t.stride(a) > t.stride(b); });
  return order;
}

DimVector inverse(const DimVector& order) {
  DimVector result(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    result[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return result;
}

// How many elements the memory of a tensor has from its first to its last; none where elements may
// share a place.
std::optional<int64_t> span_of_apart(const Tensor& t, const DimVector& order) {
  int64_t span = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const int64_t size = t.size(order[i]), stride = t.stride(order[i]);
    if (size <= 1) continue;
    if (stride < span) return std::nullopt;
    span += (size - 1) * stride;
  }
  return span;
}

// Zeros with the strides of `t`, which leave gaps, in memory for as many examples as `contents`.
Tensor zeros_with_gaps(const Tensor& t, int64_t span, const Tensor& contents) {
  const Tensor memory =
      opweave::new_zeros(contents, {span}, t.dtype(), Layout::kStrided, t.device());
  return opweave::as_strided(memory, t.sizes(), t.strides(), 0);
}

}  // namespace

Tensor laid_out(const Tensor& value, const Tensor& like) {
  const bool fits = like.numel() == 0 || same_strides(like, value);
  if (fits || !like.impl()->is_non_overlapping_and_dense()) return value;
  const DimVector order = memory_order(like);
  const Tensor dense = opweave::clone(opweave::permute(value, order), MemoryFormat::kContiguous);
  return opweave::permute(dense, inverse(order));
}

// The same, also with the gaps between elements that a tensor of the program's own making may have.
static Tensor laid_out_with_gaps(const Tensor& value, const Tensor& like) {
  if (like.impl()->is_non_overlapping_and_dense() || same_strides(like, value))
    return laid_out(value, like);
  const std::optional<int64_t> span = span_of_apart(like, memory_order(like));
  if (!span) return value;
  Tensor apart = zeros_with_gaps(like, *span, value);
  return opweave::copy_(apart, value);
}

void lay_out_tangent(const Tensor& t, const Tangent& tangent) {
  if (t.is_view()) return;  // its base was laid out before it was made
  Tensor value = laid_out_with_gaps(tangent.value, t);
  if (value.is_same(tangent.value)) return;
  const TangentLevelPtr level = tangent.level;
  attach_tangent(t, level, std::move(value), tangent.late);
}

Tensor part_for_view(const Tensor& whole, const Tensor& view) {
  const TensorImpl& base = *view.impl()->view_base();
  const int64_t offset = view.storage_offset() - base.storage_offset() + whole.storage_offset();
  return opweave::as_strided(whole, view.sizes(), view.strides(), offset);
}

void adopt_late_tangents(const Tensor& view) {
  if (!view.is_view() || !view.is_differentiable()) return;
  const Tensor base{intrusive_ptr<TensorImpl>(view.impl()->view_base())};
  for (int32_t level = tangent_level(base); level > 0; --level) {
    const Tangent* tangent = find_tangent(base, level);
    if (tangent == nullptr || !tangent->late || find_tangent(view, level) != nullptr) continue;
    const ForwardLimitGuard below(level - 1);
    lay_out_tangent(base, *tangent);
    tangent = find_tangent(base, level);
    attach_tangent(view, TangentLevelPtr(tangent->level), part_for_view(tangent->value, view));
  }
}

Tensor zeros_laid_out(const Tensor& t, const Tensor& contents) {
  const DimVector order = memory_order(t);
  if (!t.impl()->is_non_overlapping_and_dense()) {
    if (const std::optional<int64_t> span = span_of_apart(t, order))
      return zeros_with_gaps(t, *span, contents);
  }
  DimVector sizes;
  for (int64_t d : order) sizes.push_back(t.size(d));
  Tensor zeros = opweave::new_zeros(contents, sizes, t.dtype(), Layout::kStrided, t.device());
  return std::ranges::is_sorted(order) ? zeros : opweave::permute(zeros, inverse(order));
}

}  // namespace opweave

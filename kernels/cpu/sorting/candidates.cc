// Vectors of a line against one element: most hold nothing that is wanted.
#include "kernels/cpu/sorting/candidates.h"

#include <type_traits>

#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sorting/candidates.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, bool kLargest>
struct Candidates {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  static HWY_INLINE hn::Mask<D> wanted(V x, V limit) {
    if constexpr (std::is_floating_point_v<T>) {
      return hn::Not(kLargest ? hn::Le(x, limit) : hn::Ge(x, limit));
    } else {
      return kLargest ? hn::Gt(x, limit) : hn::Lt(x, limit);
    }
  }
  static bool is_wanted(T x, T limit) { return kLargest ? !(x <= limit) : !(x >= limit); }

  static int64_t find(const T* line, int64_t i, int64_t n, T limit) {
    const D d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const V bound = hn::Set(d, limit);
    const auto at = [&](int64_t k)
                        HWY_ATTR { return wanted(hn::LoadU(d, line + i + k * lanes), bound); };
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      const auto any = hn::Or(hn::Or(at(0), at(1)), hn::Or(at(2), at(3)));
      if (!hn::AllFalse(d, any)) break;
    }
    for (; i + lanes <= n; i += lanes) {
      const auto found = hn::FindFirstTrue(d, at(0));
      if (found >= 0) return i + static_cast<int64_t>(found);
    }
    while (i < n && !is_wanted(line[i], limit)) ++i;
    return i;
  }
};

template <class T>
int64_t find(const T* line, int64_t from, int64_t n, T limit, bool largest) {
  return largest ? Candidates<T, true>::find(line, from, n, limit)
                 : Candidates<T, false>::find(line, from, n, limit);
}

FindCandidate<float> of_floats() { return &find<float>; }
FindCandidate<double> of_doubles() { return &find<double>; }
FindCandidate<int32_t> of_ints() { return &find<int32_t>; }
FindCandidate<int64_t> of_longs() { return &find<int64_t>; }

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(of_floats);
HWY_EXPORT(of_doubles);
HWY_EXPORT(of_ints);
HWY_EXPORT(of_longs);

template <>
FindCandidate<float> find_candidate() {
  return HWY_DYNAMIC_DISPATCH(of_floats)();
}
template <>
FindCandidate<double> find_candidate() {
  return HWY_DYNAMIC_DISPATCH(of_doubles)();
}
template <>
FindCandidate<int32_t> find_candidate() {
  return HWY_DYNAMIC_DISPATCH(of_ints)();
}
template <>
FindCandidate<int64_t> find_candidate() {
  return HWY_DYNAMIC_DISPATCH(of_longs)();
}
}  // namespace opweave::cpu
#endif

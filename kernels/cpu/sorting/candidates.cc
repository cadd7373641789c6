// Vectors of a line against one element: most hold nothing that is wanted.
#include "kernels/cpu/sorting/candidates.h"

#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sorting/candidates.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T, bool kLargest, bool kEqual>
struct Candidates {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  static HWY_INLINE hn::Mask<D> wanted(V x, V limit) {
    const V a = kLargest ? x : limit, b = kLargest ? limit : x;  // whether a is beyond b
    if constexpr (kEqual) {
      return hn::Not(hn::Lt(a, b));
    } else if constexpr (!hwy::IsFloat<T>()) {
      return hn::Gt(a, b);
    } else {
      return hn::Not(hn::Le(a, b));
    }
  }
  static bool is_wanted(T x, T limit) {
    const T a = kLargest ? x : limit, b = kLargest ? limit : x;
    return kEqual ? !(a < b) : !(a <= b);
  }

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
int64_t find(const T* line, int64_t from, int64_t n, T limit, Beyond beyond) {
  if (beyond.equal) {
    return beyond.largest ? Candidates<T, true, true>::find(line, from, n, limit)
                          : Candidates<T, false, true>::find(line, from, n, limit);
  }
  return beyond.largest ? Candidates<T, true, false>::find(line, from, n, limit)
                        : Candidates<T, false, false>::find(line, from, n, limit);
}

template <class T>
void best(const T* line, int64_t n, T* best, int64_t groups, bool largest) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t g = 0; g < groups; g += lanes) {
    auto found = hn::LoadU(d, line + g);
    for (int64_t i = g + groups; i - g + groups <= n; i += groups) {
      const auto x = hn::LoadU(d, line + i);
      found = largest ? hn::Max(x, found) : hn::Min(x, found);
    }
    hn::StoreU(found, d, best + g);
  }
}

template <class T>
CandidateSearch<T> search_of() {
  return {&find<T>, &best<T>};
}
CandidateSearch<float> of_floats() { return search_of<float>(); }
CandidateSearch<double> of_doubles() { return search_of<double>(); }
CandidateSearch<int32_t> of_ints() { return search_of<int32_t>(); }
CandidateSearch<int64_t> of_longs() { return search_of<int64_t>(); }

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(of_floats);
HWY_EXPORT(of_doubles);
HWY_EXPORT(of_ints);
HWY_EXPORT(of_longs);

template <>
CandidateSearch<float> candidate_search() {
  return HWY_DYNAMIC_DISPATCH(of_floats)();
}
template <>
CandidateSearch<double> candidate_search() {
  return HWY_DYNAMIC_DISPATCH(of_doubles)();
}
template <>
CandidateSearch<int32_t> candidate_search() {
  return HWY_DYNAMIC_DISPATCH(of_ints)();
}
template <>
CandidateSearch<int64_t> candidate_search() {
  return HWY_DYNAMIC_DISPATCH(of_longs)();
}
}  // namespace opweave::cpu
#endif

// Vectors of a line against one element: most hold nothing that is wanted.
#include "kernels/cpu/sorting/candidates.h"

#include <bit>
#include <cstring>

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

  // The places of one vector.
  static HWY_INLINE int64_t add_vector(hn::Mask<D> mask, int64_t at, int64_t* places) {
    uint8_t bytes[8] = {};
    hn::StoreMaskBits(D(), mask, bytes);
    uint64_t bits;
    std::memcpy(&bits, bytes, sizeof(bits));
    int64_t count = 0;
    for (; bits != 0; bits &= bits - 1) places[count++] = at + std::countr_zero(bits);
    return count;
  }

  static Collected collect(const T* line, int64_t i, int64_t n, T limit, int64_t* places,
                           int64_t room) {
    const D d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const V bound = hn::Set(d, limit);
    int64_t count = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      hn::Mask<D> found[4];
      for (int64_t k = 0; k < 4; ++k) found[k] = wanted(hn::LoadU(d, line + i + k * lanes), bound);
      const auto any = hn::Or(hn::Or(found[0], found[1]), hn::Or(found[2], found[3]));
      if (hn::AllFalse(d, any)) continue;
      if (count + CandidateSearch<T>::kRoom > room) return {count, i};
      for (int64_t k = 0; k < 4; ++k) {
        count += add_vector(found[k], i + k * lanes, places + count);
      }
    }
    for (; i < n && count < room; ++i) {
      if (is_wanted(line[i], limit)) places[count++] = i;
    }
    return {count, i};
  }
};

template <class T>
Collected collect(const T* line, int64_t from, int64_t n, T limit, Beyond beyond, int64_t* places,
                  int64_t room) {
  const auto chosen = beyond.equal ? (beyond.largest ? &Candidates<T, true, true>::collect
                                                     : &Candidates<T, false, true>::collect)
                                   : (beyond.largest ? &Candidates<T, true, false>::collect
                                                     : &Candidates<T, false, false>::collect);
  return chosen(line, from, n, limit, places, room);
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
  return {&collect<T>, &best<T>};
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

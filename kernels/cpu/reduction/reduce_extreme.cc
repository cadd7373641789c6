// Kernels of max, min and the largest and smallest magnitude.
#include "kernels/cpu/reduction/reduce_extreme.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/reduce_extreme.cc"
#include "hwy/foreach_target.h"
#include "kernels/cpu/reduction/reduce_fold-inl.h"
#include "kernels/cpu/reduction/reduce_segment.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Floats: NaN is looked for beside the comparison, because the instructions drop it.
template <class T, Extreme kWhich>
struct FloatExtreme {
  using C = compute_type<T>;
  static constexpr bool kIsMax = kWhich == Extreme::kMax || kWhich == Extreme::kMaxMagnitude;
  static constexpr bool kMagnitude =
      kWhich == Extreme::kMaxMagnitude || kWhich == Extreme::kMinMagnitude;
  static constexpr C kInfinity = std::numeric_limits<C>::infinity();
  static constexpr C kNan = std::numeric_limits<C>::quiet_NaN();

  static HWY_INLINE C map(C x) { return kMagnitude ? (x < 0 ? -x : x) : x; }
  static HWY_INLINE C better(C a, C b) {
    if (a != a || b != b) return kNan;
    return (kIsMax ? a > b : a < b) ? a : b;
  }
  template <class D, class V>
  static HWY_INLINE V map(D, V x) {
    if constexpr (kMagnitude) return hn::Abs(x);
    return x;
  }
  template <class V>
  static HWY_INLINE V better(V a, V b) {
    if constexpr (kIsMax) return hn::Max(a, b);
    return hn::Min(a, b);
  }

  static void init(void* states, int64_t n) {
    for (int64_t i = 0; i < n; ++i) static_cast<C*>(states)[i] = kIsMax ? -kInfinity : kInfinity;
  }
  static void merge(void* into, const void* from, int64_t n) {
    auto* a = static_cast<C*>(into);
    for (int64_t i = 0; i < n; ++i) a[i] = better(a[i], static_cast<const C*>(from)[i]);
  }

  static HWY_INLINE C run(const C* p, int64_t n, C state) {
    const hn::ScalableTag<C> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    if (n >= lanes) {
      auto best = map(d, hn::LoadU(d, p));
      auto nan = hn::IsNaN(best);
      auto best2 = best;
      for (; i + 2 * lanes <= n; i += 2 * lanes) {
        const auto x = map(d, hn::LoadU(d, p + i)), y = map(d, hn::LoadU(d, p + i + lanes));
        nan = hn::Or(nan, hn::Or(hn::IsNaN(x), hn::IsNaN(y)));
        best = better(best, x);
        best2 = better(best2, y);
      }
      for (; i + lanes <= n; i += lanes) {
        const auto x = map(d, hn::LoadU(d, p + i));
        nan = hn::Or(nan, hn::IsNaN(x));
        best = better(best, x);
      }
      if (!hn::AllFalse(d, nan)) return kNan;
      best = better(best, best2);
      const C found = hn::GetLane(kIsMax ? hn::MaxOfLanes(d, best) : hn::MinOfLanes(d, best));
      state = better(state, found);
    }
    for (; i < n; ++i) state = better(state, map(p[i]));
    return state;
  }

  static void rows(void* states, const void* in, int64_t count, int64_t row_stride, int64_t n,
                   int64_t stride, int64_t) {
    for (int64_t i = 0; i < count; ++i) {
      C& state = static_cast<C*>(states)[i];
      for_segments(static_cast<const T*>(in) + i * row_stride, n, stride,
                   [&](const C* p, int64_t m, int64_t) HWY_ATTR { state = run(p, m, state); });
    }
  }

  static HWY_INLINE void fold_row(C* state, const C* p, int64_t n) {
    const hn::ScalableTag<C> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t c = 0;
    for (; c + lanes <= n; c += lanes) {
      const auto old = hn::LoadU(d, state + c), x = map(d, hn::LoadU(d, p + c));
      const auto nan = hn::Or(hn::IsNaN(x), hn::IsNaN(old));
      hn::StoreU(hn::IfThenElse(nan, hn::Set(d, kNan), better(old, x)), d, state + c);
    }
    for (; c < n; ++c) state[c] = better(state[c], map(p[c]));
  }

  static void columns(void* states, const void* in, int64_t rows, int64_t row_stride,
                      int64_t columns, int64_t column_stride, int64_t) {
    auto* state = static_cast<C*>(states);
    for (int64_t r = 0; r < rows; ++r) {
      for_segments(static_cast<const T*>(in) + r * row_stride, columns, column_stride,
                   [&](const C* p, int64_t m, int64_t c) HWY_ATTR { fold_row(state + c, p, m); });
    }
  }

  static ReduceKernel kernel() {
    return {sizeof(C), sizeof(T), false, &init, &rows, &columns, &merge};
  }
};

template <class T, bool kIsMax>
struct IntegerExtreme {
  using State = T;
  using Lane = T;
  static constexpr int64_t kBlock = INT64_MAX;
  static T identity() {
    return kIsMax ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
  }
  static HWY_INLINE T fold(T a, T b) { return (kIsMax ? a > b : a < b) ? a : b; }
  static HWY_INLINE T merge(T a, T b) { return fold(a, b); }
};

template <Extreme kWhich>
ReduceKernel kernel_of(ScalarType dtype) {
  return visit_dtype("max", dtype, [&]<class T>(TypeTag<T>) -> ReduceKernel {
    if constexpr (std::is_same_v<T, bool>) {
      return PlainFold<uint8_t, IntegerExtreme<uint8_t, kWhich == Extreme::kMax>>::kernel();
    } else if constexpr (std::is_integral_v<T>) {
      return PlainFold<T, IntegerExtreme<T, kWhich == Extreme::kMax>>::kernel();
    } else {
      return FloatExtreme<T, kWhich>::kernel();
    }
  });
}

ReduceKernel extreme_kernel(ScalarType dtype, Extreme which) {
  switch (which) {
    case Extreme::kMax:
      return kernel_of<Extreme::kMax>(dtype);
    case Extreme::kMin:
      return kernel_of<Extreme::kMin>(dtype);
    case Extreme::kMaxMagnitude:
      return kernel_of<Extreme::kMaxMagnitude>(dtype);
    case Extreme::kMinMagnitude:
      return kernel_of<Extreme::kMinMagnitude>(dtype);
  }
  fail_dtype("max", dtype);
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(extreme_kernel);
ReduceKernel extreme_kernel(ScalarType dtype, Extreme which) {
  return HWY_DYNAMIC_DISPATCH(extreme_kernel)(dtype, which);
}
}  // namespace opweave::cpu
#endif

// Kernels of argmax and argmin: values with the position of their first occurrence.
#include <algorithm>
#include <limits>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"
#include "kernels/cpu/reduction/reduce_extreme.h"
#include "kernels/cpu/reduction/reduce_segment.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/reduce_arg.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

template <class T, bool kIsMax>
struct ArgExtreme {
  using C = compute_type<T>;
  using State = ArgState<C>;
  // Positions within a tile are kept in integers as wide as the values, so that lanes match.
  using Position = std::conditional_t<sizeof(C) == 8, int64_t, int32_t>;
  static constexpr int64_t kBlock = 1024;
  static constexpr int64_t kTile = 512;
  static constexpr int64_t kMaxRows = 1 << 30;

  static HWY_INLINE bool is_nan(C x) { return x != x; }
  static HWY_INLINE bool beats(C x, C old) { return kIsMax ? x > old : x < old; }

  static void init(void* states, int64_t n) {
    for (int64_t i = 0; i < n; ++i) static_cast<State*>(states)[i] = {C(), -1};
  }
  static HWY_INLINE void take(State& into, const State& from) {
    if (from.index < 0 || (into.index >= 0 && is_nan(into.value))) return;
    if (into.index < 0 || is_nan(from.value) || beats(from.value, into.value)) into = from;
  }
  static void merge(void* into, const void* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      take(static_cast<State*>(into)[i], static_cast<const State*>(from)[i]);
    }
  }

  // Whether there is a NaN in a block, and its extreme, as plain loops that become vector code.
  static HWY_INLINE bool has_nan(const C* p, int64_t n) {
    if constexpr (std::is_integral_v<C>) return false;
    int unordered = 0;
    for (int64_t i = 0; i < n; ++i) unordered |= p[i] != p[i];
    return unordered != 0;
  }
  static HWY_INLINE C extreme(const C* p, int64_t n) {
    constexpr int kLanes = 64 / sizeof(C) * 2;
    int64_t i = 0;
    C best = p[0];
    if (n >= kLanes) {
      C lanes[kLanes];
      std::copy(p, p + kLanes, lanes);
      for (; i + kLanes <= n; i += kLanes) {
        for (int j = 0; j < kLanes; ++j) lanes[j] = beats(p[i + j], lanes[j]) ? p[i + j] : lanes[j];
      }
      best = lanes[0];
      for (const C x : lanes) best = beats(x, best) ? x : best;
    }
    for (; i < n; ++i) best = beats(p[i], best) ? p[i] : best;
    return best;
  }

  static HWY_INLINE void fold_block(State& state, const C* p, int64_t n, int64_t first) {
    if (has_nan(p, n)) {
      if (state.index >= 0 && is_nan(state.value)) return;
      const int64_t at = std::find_if(p, p + n, [](C x) { return x != x; }) - p;
      state = {p[at], first + at};
      return;
    }
    if (state.index >= 0 && is_nan(state.value)) return;
    const C best = extreme(p, n);
    if (state.index < 0 || beats(best, state.value)) {
      state = {best, first + (std::find(p, p + n, best) - p)};
    }
  }

  static void rows(void* states, const void* in, int64_t count, int64_t row_stride, int64_t n,
                   int64_t stride, int64_t first) {
    for (int64_t i = 0; i < count; ++i) {
      State& state = static_cast<State*>(states)[i];
      for_segments(static_cast<const T*>(in) + i * row_stride, n, stride,
                   [&](const C* p, int64_t m, int64_t start) HWY_ATTR {
                     for (int64_t b = 0; b < m; b += kBlock) {
                       fold_block(state, p + b, std::min(kBlock, m - b), first + start + b);
                     }
                   });
    }
  }

  static HWY_INLINE void fold_row(C* value, Position* at, const C* p, int64_t n, Position row) {
    for (int64_t c = 0; c < n; ++c) {
      const C x = p[c], old = value[c];
      const bool better = beats(x, old) | ((x != x) & (old == old));
      value[c] = better ? x : old;
      at[c] = better ? row : at[c];
    }
  }

  static HWY_INLINE void fold_tile(State* states, const T* in, int64_t rows, int64_t row_stride,
                                   int64_t n, int64_t column_stride, int64_t first) {
    C value[kTile], buffer[kTile];
    Position at[kTile];
    const C* p = segment(in, n, column_stride, buffer);
    std::copy(p, p + n, value);
    std::fill(at, at + n, 0);
    for (int64_t r = 1; r < rows; ++r) {
      fold_row(value, at, segment(in + r * row_stride, n, column_stride, buffer), n,
               static_cast<Position>(r));
    }
    for (int64_t c = 0; c < n; ++c) take(states[c], {value[c], first + at[c]});
  }

  static void columns(void* states, const void* in, int64_t rows, int64_t row_stride,
                      int64_t columns, int64_t column_stride, int64_t first) {
    for (int64_t c = 0; c < columns; c += kTile) {
      const T* tile = static_cast<const T*>(in) + c * column_stride;
      for (int64_t r = 0; r < rows; r += kMaxRows) {
        fold_tile(static_cast<State*>(states) + c, tile + r * row_stride,
                  std::min(kMaxRows, rows - r), row_stride, std::min(kTile, columns - c),
                  column_stride, first + r);
      }
    }
  }

  static ReduceKernel kernel() {
    return {sizeof(State), sizeof(T), true, &init, &rows, &columns, &merge};
  }
};

ReduceKernel arg_extreme_kernel(ScalarType dtype, Extreme which) {
  return visit_dtype("argmax", dtype, [&]<class T>(TypeTag<T>) {
    using M = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    return which == Extreme::kMax ? ArgExtreme<M, true>::kernel() : ArgExtreme<M, false>::kernel();
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(arg_extreme_kernel);
ReduceKernel arg_extreme_kernel(ScalarType dtype, Extreme which) {
  return HWY_DYNAMIC_DISPATCH(arg_extreme_kernel)(dtype, which);
}
}  // namespace opweave::cpu
#endif

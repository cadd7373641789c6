// Sums of floats, vectorised. Lanes add blocks of at most kBlock elements in the compute type; the
// blocks are added in double, so the error does not grow with the length of the run.

// NOLINTNEXTLINE: included once for each instruction set
#if defined(OPWEAVE_REDUCE_FLOAT_SUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_REDUCE_FLOAT_SUM_INL_H_
#undef OPWEAVE_REDUCE_FLOAT_SUM_INL_H_
#else
#define OPWEAVE_REDUCE_FLOAT_SUM_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "kernels/cpu/reduction/reduce_kernel.h"
#include "kernels/cpu/reduction/reduce_segment.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What is added of each element.
struct MapIdentity {
  template <class D, class V>
  static HWY_INLINE V apply(D, V x) {
    return x;
  }
};
struct MapAbs {
  template <class D, class V>
  static HWY_INLINE V apply(D, V x) {
    return hn::Abs(x);
  }
};
struct MapSquare {
  template <class D, class V>
  static HWY_INLINE V apply(D, V x) {
    return hn::Mul(x, x);
  }
};
struct MapNonzero {
  template <class D, class V>
  static HWY_INLINE V apply(D d, V x) {
    return hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), hn::Set(d, 1));
  }
};
struct MapNanToZero {
  template <class D, class V>
  static HWY_INLINE V apply(D, V x) {
    return hn::IfThenElseZero(hn::Eq(x, x), x);
  }
};

template <class Map, class C>
HWY_INLINE C map_one(C x) {
  const hn::CappedTag<C, 1> d;
  return hn::GetLane(Map::apply(d, hn::Set(d, x)));
}

template <class T, class Map>
struct FloatSum {
  using C = compute_type<T>;
  static constexpr int64_t kBlock = 4096;
  static constexpr int64_t kTile = 2048;    // columns that are folded together
  static constexpr int64_t kTileRows = 64;  // rows that lanes add before double takes over

  static void init(void* states, int64_t n) {
    for (int64_t i = 0; i < n; ++i) static_cast<double*>(states)[i] = 0;
  }
  static void merge(void* into, const void* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      static_cast<double*>(into)[i] += static_cast<const double*>(from)[i];
    }
  }

  static HWY_INLINE double block_sum(const C* p, int64_t n) {
    const hn::ScalableTag<C> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    double total = 0;
    if (n >= lanes) {
      auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0;
      for (; i + 4 * lanes <= n; i += 4 * lanes) {
        a0 = hn::Add(a0, Map::apply(d, hn::LoadU(d, p + i)));
        a1 = hn::Add(a1, Map::apply(d, hn::LoadU(d, p + i + lanes)));
        a2 = hn::Add(a2, Map::apply(d, hn::LoadU(d, p + i + 2 * lanes)));
        a3 = hn::Add(a3, Map::apply(d, hn::LoadU(d, p + i + 3 * lanes)));
      }
      for (; i + lanes <= n; i += lanes) a0 = hn::Add(a0, Map::apply(d, hn::LoadU(d, p + i)));
      total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a0, a1), hn::Add(a2, a3))));
    }
    const hn::CappedTag<C, 4> few;  // short rows and the ends of long ones
    const int64_t few_lanes = static_cast<int64_t>(hn::Lanes(few));
    if (i + few_lanes <= n) {
      auto sum = hn::Zero(few);
      for (; i + few_lanes <= n; i += few_lanes) {
        sum = hn::Add(sum, Map::apply(few, hn::LoadU(few, p + i)));
      }
      total += hn::GetLane(hn::SumOfLanes(few, sum));
    }
    for (; i < n; ++i) total += map_one<Map>(p[i]);
    return total;
  }

  static HWY_INLINE double run_sum(const C* p, int64_t n) {
    double total = 0;
    for (int64_t i = 0; i < n; i += kBlock)
      total += block_sum(p + i, n - i < kBlock ? n - i : kBlock);
    return total;
  }

  static void rows(void* states, const void* in, int64_t count, int64_t row_stride, int64_t n,
                   int64_t stride, int64_t) {
    for (int64_t i = 0; i < count; ++i) {
      double& state = static_cast<double*>(states)[i];
      for_segments(static_cast<const T*>(in) + i * row_stride, n, stride,
                   [&](const C* p, int64_t m, int64_t) HWY_ATTR { state += run_sum(p, m); });
    }
  }

  // acc[c] += the mapped elements of `R` rows.
  template <int R>
  static HWY_INLINE void add_rows(C* acc, const C* in, int64_t row_stride, int64_t n) {
    const hn::ScalableTag<C> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t c = 0;
    for (; c + lanes <= n; c += lanes) {
      auto sum = hn::LoadU(d, acc + c);
      for (int r = 0; r < R; ++r) {
        sum = hn::Add(sum, Map::apply(d, hn::LoadU(d, in + r * row_stride + c)));
      }
      hn::StoreU(sum, d, acc + c);
    }
    for (; c < n; ++c) {
      for (int r = 0; r < R; ++r) acc[c] += map_one<Map>(in[r * row_stride + c]);
    }
  }

  static HWY_INLINE void add_tile(C* acc, const T* in, int64_t rows, int64_t row_stride, int64_t n,
                                  int64_t column_stride) {
    int64_t r = 0;
    if constexpr (std::is_same_v<T, C>) {
      if (column_stride == 1) {
        for (; r + 4 <= rows; r += 4) add_rows<4>(acc, in + r * row_stride, row_stride, n);
        for (; r < rows; ++r) add_rows<1>(acc, in + r * row_stride, 0, n);
        return;
      }
    }
    for (; r < rows; ++r) {
      for_segments(in + r * row_stride, n, column_stride,
                   [&](const C* p, int64_t m, int64_t c)
                       HWY_ATTR { add_rows<1>(acc + c, p, 0, m); });
    }
  }

  // A dense table with few columns: several rows are taken as one long row.
  static HWY_INLINE void narrow(double* state, const C* in, int64_t rows, int64_t columns, C* acc) {
    const int64_t joined = std::min(kTile / 4 / columns, rows), width = joined * columns;
    for (int64_t r = 0; r < rows; r += joined * kTileRows) {
      const int64_t m = std::min(joined * kTileRows, rows - r);
      for (int64_t i = 0; i < width; ++i) acc[i] = 0;
      add_tile(acc, in + r * columns, m / joined, width, width, 1);
      add_tile(acc, in + (r + m / joined * joined) * columns, 1, 0, m % joined * columns, 1);
      for (int64_t i = 0; i < width; i += columns) {
        for (int64_t c = 0; c < columns; ++c) state[c] += static_cast<double>(acc[i + c]);
      }
    }
  }

  static void columns(void* states, const void* in, int64_t rows, int64_t row_stride,
                      int64_t columns, int64_t column_stride, int64_t) {
    HWY_ALIGN C acc[kTile];
    if constexpr (std::is_same_v<T, C>) {
      if (row_stride == columns && column_stride == 1 && columns <= kTile / 8) {
        return narrow(static_cast<double*>(states), static_cast<const T*>(in), rows, columns, acc);
      }
    }
    for (int64_t c = 0; c < columns; c += kTile) {
      const int64_t n = columns - c < kTile ? columns - c : kTile;
      double* state = static_cast<double*>(states) + c;
      const T* tile = static_cast<const T*>(in) + c * column_stride;
      for (int64_t r = 0; r < rows; r += kTileRows) {
        const int64_t m = rows - r < kTileRows ? rows - r : kTileRows;
        for (int64_t i = 0; i < n; ++i) acc[i] = 0;
        add_tile(acc, tile + r * row_stride, m, row_stride, n, column_stride);
        for (int64_t i = 0; i < n; ++i) state[i] += static_cast<double>(acc[i]);
      }
    }
  }

  static ReduceKernel kernel() {
    return {sizeof(double), sizeof(T), false, &init, &rows, &columns, &merge};
  }
};

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

// Kernels of variances: blocks that fit into the cache are read twice, once for their mean and once
// for the distances from it; blocks are joined by Chan's formula (Chan, Golub, LeVeque 1979).
#include "kernels/cpu/reduction/reduce_moments.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduction/reduce_moments.cc"
#include "hwy/foreach_target.h"
#include "kernels/cpu/reduction/reduce_float_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

HWY_INLINE void join(Moments& into, double count, double mean, double squares) {
  // Of nothing, from which a mean beyond the root of the range would have no distance.
  if (into.count == 0) {
    into = {count, mean, squares};
    return;
  }
  const double total = into.count + count, distance = mean - into.mean;
  into.squares += squares + distance * distance * (into.count * count / total);
  into.mean += distance * (count / total);
  into.count = total;
}

template <class T>
struct MomentsOf {
  using C = compute_type<T>;
  static constexpr int64_t kBlock = 2048;
  static constexpr int64_t kTile = 256;
  static constexpr int64_t kTileRows = 32;

  static void init(void* states, int64_t n) {
    for (int64_t i = 0; i < n; ++i) static_cast<Moments*>(states)[i] = {0, 0, 0};
  }
  static void merge(void* into, const void* from, int64_t n) {
    const auto* moments = static_cast<const Moments*>(from);
    for (int64_t i = 0; i < n; ++i) {
      join(static_cast<Moments*>(into)[i], moments[i].count, moments[i].mean, moments[i].squares);
    }
  }

  static HWY_INLINE double squared_distances(const C* p, int64_t n, C mean) {
    const hn::ScalableTag<C> d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto m = hn::Set(d, mean);
    auto a = hn::Zero(d), b = a, c = a, e = a;
    int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      const auto w = hn::Sub(hn::LoadU(d, p + i), m), x = hn::Sub(hn::LoadU(d, p + i + lanes), m);
      const auto y = hn::Sub(hn::LoadU(d, p + i + 2 * lanes), m);
      const auto z = hn::Sub(hn::LoadU(d, p + i + 3 * lanes), m);
      a = hn::MulAdd(w, w, a);
      b = hn::MulAdd(x, x, b);
      c = hn::MulAdd(y, y, c);
      e = hn::MulAdd(z, z, e);
    }
    double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
    for (; i < n; ++i) total += static_cast<double>((p[i] - mean) * (p[i] - mean));
    return total;
  }

  // Squares of floats that are in the range of doubles and not in that of floats, or nearly.
  static HWY_INLINE bool leaves_range(double squares) {
    return sizeof(C) < sizeof(double) && !(squares > 1e-25 && squares < 1e37);
  }

  // Of elements that lie so far apart, in doubles: their mean, and the squares of distances from
  // it.
  struct Wide {
    double mean = 0, squares = 0;
  };
  template <class E>
  static Wide in_doubles(const E* p, int64_t n, int64_t stride) {
    const auto at = [&](int64_t i) { return static_cast<double>(static_cast<C>(p[i * stride])); };
    bool same = true;  // as of constants, whose squares are 0, unless they are infinite
    for (int64_t i = 0; i < n; ++i) same &= at(i) == at(0);
    if (same) return {at(0), at(0) - at(0)};
    Wide found;
    for (int64_t i = 0; i < n; ++i) found.mean += at(i) / static_cast<double>(n);
    for (int64_t i = 0; i < n; ++i) found.squares += (at(i) - found.mean) * (at(i) - found.mean);
    return found;
  }

  // The distances are taken from the rounded mean; what rounding left is put back.
  static HWY_INLINE void fold_block(Moments& state, const C* p, int64_t n) {
    double mean = FloatSum<C, MapIdentity>::run_sum(p, n) / static_cast<double>(n);
    const C rounded = static_cast<C>(mean);
    const double rest = mean - static_cast<double>(rounded);
    double squares = squared_distances(p, n, rounded) - static_cast<double>(n) * rest * rest;
    if (leaves_range(squares)) {
      const Wide found = in_doubles(p, n, 1);
      mean = found.mean;
      squares = found.squares;
    }
    join(state, static_cast<double>(n), mean, squares > 0 || squares != squares ? squares : 0);
  }

  static void rows(void* states, const void* in, int64_t count, int64_t row_stride, int64_t n,
                   int64_t stride, int64_t) {
    for (int64_t i = 0; i < count; ++i) {
      Moments& state = static_cast<Moments*>(states)[i];
      for_segments(static_cast<const T*>(in) + i * row_stride, n, stride,
                   [&](const C* p, int64_t m, int64_t) HWY_ATTR {
                     for (int64_t b = 0; b < m; b += kBlock) {
                       fold_block(state, p + b, m - b < kBlock ? m - b : kBlock);
                     }
                   });
    }
  }

  // Columns: the mean of a few rows, then the distances from it.
  static HWY_INLINE void fold_tile(Moments* states, const T* in, int64_t rows, int64_t row_stride,
                                   int64_t n, int64_t column_stride) {
    C mean[kTile], squares[kTile], buffer[kTile];
    const C scale = C(1) / static_cast<C>(rows);
    for (int64_t c = 0; c < n; ++c) mean[c] = squares[c] = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const C* p = segment(in + r * row_stride, n, column_stride, buffer);
      for (int64_t c = 0; c < n; ++c) mean[c] += p[c];
    }
    for (int64_t c = 0; c < n; ++c) mean[c] *= scale;
    C rest[kTile];
    for (int64_t c = 0; c < n; ++c) rest[c] = 0;
    for (int64_t r = 0; r < rows; ++r) {
      const C* p = segment(in + r * row_stride, n, column_stride, buffer);
      for (int64_t c = 0; c < n; ++c) {
        const C distance = p[c] - mean[c];
        rest[c] += distance;
        squares[c] += distance * distance;
      }
    }
    const double count = static_cast<double>(rows);
    for (int64_t c = 0; c < n; ++c) {
      const double shift = static_cast<double>(rest[c]) / count;
      double center = static_cast<double>(mean[c]) + shift;
      double left = static_cast<double>(squares[c]) - count * shift * shift;
      if (leaves_range(left)) {
        const Wide found = in_doubles(in + c * column_stride, rows, row_stride);
        center = found.mean;
        left = found.squares;
      }
      join(states[c], count, center, left > 0 || left != left ? left : 0);
    }
  }

  static void columns(void* states, const void* in, int64_t rows, int64_t row_stride,
                      int64_t columns, int64_t column_stride, int64_t) {
    for (int64_t c = 0; c < columns; c += kTile) {
      const T* tile = static_cast<const T*>(in) + c * column_stride;
      for (int64_t r = 0; r < rows; r += kTileRows) {
        fold_tile(static_cast<Moments*>(states) + c, tile + r * row_stride,
                  std::min(kTileRows, rows - r), row_stride, std::min(kTile, columns - c),
                  column_stride);
      }
    }
  }

  static ReduceKernel kernel() {
    return {sizeof(Moments), sizeof(T), false, &init, &rows, &columns, &merge};
  }
};

ReduceKernel moments_kernel(ScalarType dtype) {
  return visit_floating("var", dtype, []<class T>(TypeTag<T>) { return MomentsOf<T>::kernel(); });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(moments_kernel);
ReduceKernel moments_kernel(ScalarType dtype) {
  return HWY_DYNAMIC_DISPATCH(moments_kernel)(dtype);
}
}  // namespace opweave::cpu
#endif

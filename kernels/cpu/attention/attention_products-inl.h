// Products of small matrices that stay in the caches, and transposed copies of rows: what blocks of
// attention are made of.
#if defined(OPWEAVE_KERNELS_CPU_ATTENTION_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_ATTENTION_PRODUCTS_INL_H_
#undef OPWEAVE_KERNELS_CPU_ATTENTION_PRODUCTS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_ATTENTION_PRODUCTS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The left factor: element (r, t) lies at data[r * row + t * term].
template <class C>
struct LeftFactor {
  const C* data;
  int64_t row, term;
};

// Rows of adjacent elements.
template <class T>
struct Rows {
  T* data;
  int64_t stride;

  T* at(int64_t row, int64_t column = 0) const { return data + row * stride + column; }
};

// Which terms the rows of a product have: of row r those from r + first on, as far as r + last.
// Whole tiles of rows are computed alike, so the factors are zero where only some of a tile's rows
// have a term.
struct Terms {
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max() / 4;
  int64_t first = -kNone, last = kNone;
};

template <class C>
struct BlockProducts {
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  // Rows and vectors of the tile that is kept in registers.
  static constexpr int kRows = 6;
  static constexpr int kVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

  static int64_t lanes() { return static_cast<int64_t>(hn::Lanes(D())); }

  // c = a b, or c += a b with `add`, for kTileRows rows and kTileVectors vectors.
  template <int kTileRows, int kTileVectors>
  static HWY_INLINE void tile(LeftFactor<C> a, Rows<const C> b, int64_t terms, Rows<C> c,
                              bool add) {
    const D d;
    const int64_t n = lanes();
    V acc[kTileRows][kTileVectors];
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) acc[r][v] = hn::Zero(d);
    }
    for (int64_t t = 0; t < terms; ++t, a.data += a.term, b.data += b.stride) {
      V right[kTileVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) right[v] = hn::LoadU(d, b.data + v * n);
#pragma GCC unroll 8
      for (int r = 0; r < kTileRows; ++r) {
        const V left = hn::Set(d, a.data[r * a.row]);
#pragma GCC unroll 4
        for (int v = 0; v < kTileVectors; ++v) acc[r][v] = hn::MulAdd(left, right[v], acc[r][v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) {
        C* to = c.at(r, v * n);
        hn::StoreU(add ? hn::Add(acc[r][v], hn::LoadU(d, to)) : acc[r][v], d, to);
      }
    }
  }

  // The tiles of one panel of columns.
  template <int kTileVectors>
  static HWY_NOINLINE void panel(const LeftFactor<C>& a, Rows<const C> b, int64_t terms, Rows<C> c,
                                 int64_t rows, const Terms& which, bool add) {
    for (int64_t r = 0; r < rows;) {
      const int64_t left = rows - r, height = left >= kRows ? kRows : left >= 3 ? 3 : 1;
      const int64_t from = std::clamp<int64_t>(r + which.first, 0, terms);
      const int64_t to = std::clamp<int64_t>(r + height - 1 + which.last, from, terms);
      const LeftFactor<C> x{a.data + r * a.row + from * a.term, a.row, a.term};
      const Rows<const C> y{b.at(from), b.stride};
      const Rows<C> z{c.at(r), c.stride};
      if (height == kRows) {
        tile<kRows, kTileVectors>(x, y, to - from, z, add);
      } else if (height == 3) {
        tile<3, kTileVectors>(x, y, to - from, z, add);
      } else {
        tile<1, kTileVectors>(x, y, to - from, z, add);
      }
      r += height;
    }
  }

  // A panel of up to kVectors vectors, `columns` elements.
  static void panel_of(int64_t columns, const LeftFactor<C>& a, Rows<const C> b, int64_t terms,
                       Rows<C> c, int64_t rows, const Terms& which, bool add) {
    const int64_t vectors = columns / lanes();
    if (vectors == 1) return panel<1>(a, b, terms, c, rows, which, add);
    if constexpr (kVectors > 2) {
      if (vectors == 3) return panel<3>(a, b, terms, c, rows, which, add);
      if (vectors == 4) return panel<4>(a, b, terms, c, rows, which, add);
    }
    panel<2>(a, b, terms, c, rows, which, add);
  }

  // c = a b or c += a b, whole vectors of columns.
  static void product(const LeftFactor<C>& a, Rows<const C> b, int64_t terms, Rows<C> c,
                      int64_t rows, int64_t columns, const Terms& which, bool add) {
    const int64_t width = kVectors * lanes();
    for (int64_t at = 0; at < columns; at += width) {
      panel_of(std::min(width, columns - at), a, {b.at(0, at), b.stride}, terms,
               {c.at(0, at), c.stride}, rows, which, add);
    }
  }

  // A square of rows by columns of one block of 128 bits, as wide as a vector has rows: `to` gets a
  // vector of rows for each column.
  static HWY_INLINE void transpose_square(Rows<const C> from, Rows<C> to, V factor) {
    const D d;
    constexpr int kSide = 16 / sizeof(C);
    V v[kSide];
    for (int i = 0; i < kSide; ++i) {
      const int64_t n = lanes();
      v[i] = hn::LoadDup128(d, from.at(n - kSide + i));
      for (int64_t row = n - 2 * kSide; row >= 0; row -= kSide) {
        const auto before = hn::FirstN(d, static_cast<size_t>(row + kSide));
        v[i] = hn::IfThenElse(before, hn::LoadDup128(d, from.at(row + i)), v[i]);
      }
    }
    const auto store = [&](int column, V value)
                           HWY_ATTR { hn::StoreU(hn::Mul(value, factor), d, to.at(column)); };
    if constexpr (kSide == 2) {
      store(0, hn::InterleaveLower(d, v[0], v[1]));
      store(1, hn::InterleaveUpper(d, v[0], v[1]));
    } else {
      const V a = hn::InterleaveLower(d, v[0], v[2]), b = hn::InterleaveLower(d, v[1], v[3]);
      const V e = hn::InterleaveUpper(d, v[0], v[2]), f = hn::InterleaveUpper(d, v[1], v[3]);
      store(0, hn::InterleaveLower(d, a, b));
      store(1, hn::InterleaveUpper(d, a, b));
      store(2, hn::InterleaveLower(d, e, f));
      store(3, hn::InterleaveUpper(d, e, f));
    }
  }

  // to[column][row] = from[row][column] * factor; rows up to the next whole vector are zero.
  static void transpose(Rows<const C> from, int64_t column_stride, int64_t rows, int64_t columns,
                        C factor, Rows<C> to) {
    const int64_t n = lanes(), side = 16 / static_cast<int64_t>(sizeof(C));
    const V factors = hn::Set(D(), factor);
    for (int64_t r = 0; r < rows; r += n) {
      int64_t c = 0;
      if (column_stride == 1 && r + n <= rows) {
        for (; c + side <= columns; c += side) {
          transpose_square({from.at(r, c), from.stride}, {to.at(c, r), to.stride}, factors);
        }
      }
      for (; c < columns; ++c) {
        for (int64_t i = r; i < r + n; ++i) {
          *to.at(c, i) = i < rows ? *from.at(i, c * column_stride) * factor : C(0);
        }
      }
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

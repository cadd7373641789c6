// Products of matrices by panels, after Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008): both factors are copied to panels that the inner loop reads in order, so
// that every layout costs the same.
#include "kernels/cpu/linear_algebra/gemm_packed.h"

#include <algorithm>
#include <memory>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"
#include "runtime/core/threads/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear_algebra/gemm_packed.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Rows and vectors of the tile that is kept in registers.
#if HWY_TARGET <= HWY_AVX3
constexpr int64_t kTileRows = 8;
constexpr int64_t kTileVectors = 3;
#else
constexpr int64_t kTileRows = 4;
constexpr int64_t kTileVectors = 3;
#endif

// The tile += panel of a (kTileRows values per term) times panel of b (kTileVectors per term).
struct DoubleTile {
  using T = double;
  using D = hn::ScalableTag<double>;
  static int64_t width() { return kTileVectors * static_cast<int64_t>(hn::Lanes(D())); }

  static HWY_INLINE void multiply(const T* a, const T* b, int64_t terms, T* tile) {
    const D d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    hn::Vec<D> acc[kTileRows][kTileVectors];
    for (auto& row : acc) {
      for (auto& v : row) v = hn::Zero(d);
    }
    for (int64_t t = 0; t < terms; ++t, a += kTileRows, b += kTileVectors * lanes) {
      const auto b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes);
      const auto b2 = hn::LoadU(d, b + 2 * lanes);
#pragma GCC unroll 8
      for (int64_t r = 0; r < kTileRows; ++r) {
        const auto x = hn::Set(d, a[r]);
        acc[r][0] = hn::MulAdd(x, b0, acc[r][0]);
        acc[r][1] = hn::MulAdd(x, b1, acc[r][1]);
        acc[r][2] = hn::MulAdd(x, b2, acc[r][2]);
      }
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kTileRows; ++r) {
      for (int64_t v = 0; v < kTileVectors; ++v) {
        hn::StoreU(acc[r][v], d, tile + (r * kTileVectors + v) * lanes);
      }
    }
  }
};

// Integers, in unsigned arithmetic: it wraps.
template <class Integer>
struct IntegerTile {
  using T = std::make_unsigned_t<Integer>;
  static constexpr int64_t kWidth = 32;
  static int64_t width() { return kWidth; }

  static HWY_INLINE void multiply(const T* a, const T* b, int64_t terms, T* tile) {
    std::fill(tile, tile + kTileRows * kWidth, T(0));
    for (int64_t t = 0; t < terms; ++t, a += kTileRows, b += kWidth) {
      for (int64_t r = 0; r < kTileRows; ++r) {
        for (int64_t c = 0; c < kWidth; ++c) {
          // Small types multiply as int: the product of two uint16 would overflow it.
          tile[r * kWidth + c] += static_cast<T>(uint64_t{a[r]} * b[c]);
        }
      }
    }
  }
};

template <class Tile>
class PackedGemm {
 public:
  using T = typename Tile::T;

  PackedGemm(T alpha, const Matrix& a, const Matrix& b, T beta, const Matrix& c)
      : alpha_(alpha), beta_(beta), a_(a), b_(b), c_(c), width_(Tile::width()) {}

  void run() const {
    const int64_t row_blocks = (c_.rows + kRows - 1) / kRows;
    const int64_t work = kRows * c_.columns * std::max<int64_t>(a_.columns, 1);
    parallel_for(0, row_blocks, std::max<int64_t>(kGrainSize / std::max<int64_t>(work, 1), 1),
                 [&](int64_t from, int64_t to) { multiply_rows(from * kRows, to * kRows); });
  }

 private:
  static constexpr int64_t kRows = 64;      // of a that are packed together
  static constexpr int64_t kTerms = 256;    // that are packed together
  static constexpr int64_t kColumns = 960;  // of b that are packed together

  static T at(const Matrix& m, int64_t r, int64_t c) {
    return reinterpret_cast<const T*>(m.data)[r * m.row_stride + c * m.column_stride];
  }
  T* c_at(int64_t r, int64_t c) const {
    return reinterpret_cast<T*>(c_.data) + r * c_.row_stride + c;
  }

  void multiply_rows(int64_t from, int64_t to) const {
    to = std::min(to, c_.rows);
    scale(from, to);
    if (a_.columns == 0) return;
    const auto a_panels = std::make_unique<T[]>((kRows + kTileRows) * kTerms);
    const auto b_panels = std::make_unique<T[]>((kColumns + width_) * kTerms);
    for (int64_t column = 0; column < c_.columns; column += kColumns) {
      const int64_t columns = std::min(kColumns, c_.columns - column);
      for (int64_t term = 0; term < a_.columns; term += kTerms) {
        const int64_t terms = std::min(kTerms, a_.columns - term);
        pack_b(b_panels.get(), term, terms, column, columns);
        for (int64_t row = from; row < to; row += kRows) {
          const int64_t rows = std::min(kRows, to - row);
          pack_a(a_panels.get(), row, rows, term, terms);
          multiply_block(a_panels.get(), b_panels.get(), terms, row, rows, column, columns);
        }
      }
    }
  }

  // c *= beta, and cleared when beta is zero, whatever it held.
  void scale(int64_t from, int64_t to) const {
    for (int64_t r = from; r < to; ++r) {
      T* c = c_at(r, 0);
      if (beta_ == T(0)) {
        std::fill(c, c + c_.columns, T(0));
      } else if (beta_ != T(1)) {
        for (int64_t i = 0; i < c_.columns; ++i) c[i] = static_cast<T>(c[i] * beta_);
      }
    }
  }

  void pack_a(T* to, int64_t row, int64_t rows, int64_t term, int64_t terms) const {
    for (int64_t r = 0; r < rows; r += kTileRows) {
      const int64_t n = std::min(kTileRows, rows - r);
      for (int64_t t = 0; t < terms; ++t) {
        for (int64_t i = 0; i < kTileRows; ++i) {
          *to++ = i < n ? at(a_, row + r + i, term + t) : T(0);
        }
      }
    }
  }

  void pack_b(T* to, int64_t term, int64_t terms, int64_t column, int64_t columns) const {
    for (int64_t c = 0; c < columns; c += width_) {
      const int64_t n = std::min(width_, columns - c);
      for (int64_t t = 0; t < terms; ++t) {
        for (int64_t i = 0; i < width_; ++i) {
          *to++ = i < n ? at(b_, term + t, column + c + i) : T(0);
        }
      }
    }
  }

  void multiply_block(const T* a, const T* b, int64_t terms, int64_t row, int64_t rows,
                      int64_t column, int64_t columns) const {
    HWY_ALIGN T tile[kTileRows * 64];
    for (int64_t c = 0; c < columns; c += width_) {
      const int64_t n = std::min(width_, columns - c);
      for (int64_t r = 0; r < rows; r += kTileRows) {
        Tile::multiply(a + r * terms, b + c * terms, terms, tile);
        for (int64_t i = 0; i < std::min(kTileRows, rows - r); ++i) {
          T* to = c_at(row + r + i, column + c);
          for (int64_t j = 0; j < n; ++j) {
            to[j] = static_cast<T>(to[j] + alpha_ * tile[i * width_ + j]);
          }
        }
      }
    }
  }

  T alpha_, beta_;
  Matrix a_, b_, c_;
  int64_t width_;
};

void run_packed_gemm(ScalarType dtype, const Scalar& alpha, const Matrix& a, const Matrix& b,
                     const Scalar& beta, const Matrix& c) {
  visit_dtype("addmm_impl_cpu_", dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_same_v<T, double>) {
      PackedGemm<DoubleTile>(alpha.to_double(), a, b, beta.to_double(), c).run();
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      using U = std::make_unsigned_t<T>;
      const U scale = static_cast<U>(alpha.to<T>()), keep = static_cast<U>(beta.to<T>());
      PackedGemm<IntegerTile<T>>(scale, a, b, keep, c).run();
    } else {
      fail_dtype("addmm_impl_cpu_", dtype);
    }
  });
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(run_packed_gemm);

void packed_gemm(ScalarType dtype, const Scalar& alpha, const Matrix& a, const Matrix& b,
                 const Scalar& beta, const Matrix& c) {
  if (is_floating(dtype) && dtype != kDouble) {  // no terms: only the scaling, which fits any float
    const int64_t item = static_cast<int64_t>(element_size(dtype));
    OW_INTERNAL_ASSERT(a.columns == 0);
    visit_dtype<dtypes::kFloating>("gemm", dtype, [&]<class T>(TypeTag<T>) {
      for (int64_t r = 0; r < c.rows; ++r) {
        T* row = reinterpret_cast<T*>(c.data + r * c.row_stride * item);
        for (int64_t i = 0; i < c.columns; ++i) {
          row[i] = beta.to_double() == 0 ? T(0.0) : static_cast<T>(row[i] * beta.to<float>());
        }
      }
    });
    return;
  }
  HWY_DYNAMIC_DISPATCH(run_packed_gemm)(dtype, alpha, a, b, beta, c);
}
}  // namespace opweave::cpu
#endif

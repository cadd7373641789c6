// Products of matrices: float32 through oneDNN, 16-bit floats through float32, the rest by own
// code.
#include "kernels/cpu/linear_algebra/gemm.h"

#include <dnnl.h>

#include <memory>
#include <optional>

#include "kernels/cpu/common/onednn.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/linear_algebra/dot_kernel.h"
#include "kernels/cpu/linear_algebra/gemm_packed.h"
#include "kernels/cpu/pointwise/convert.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// Products with so few terms never take oneDNN's way that a signal would break (SignalsHeld).
constexpr int64_t kTermsOnStack = 64;
// Multiplications, some 10 us of one thread, from which on a second one is worth calling.
constexpr int64_t kWorkForPool = int64_t{1} << 20;

// How oneDNN is told of a matrix: row-major, or the transpose of one.
struct BlasMatrix {
  char order = 0;  // 0: neither, it has to be copied
  int64_t leading = 0;
};

BlasMatrix blas_matrix(const Matrix& m) {
  // Strides of dimensions with one element say nothing.
  const bool one_row = m.rows <= 1, one_column = m.columns <= 1;
  const bool rows_ok = one_row || m.row_stride >= std::max<int64_t>(m.columns, 1);
  const bool columns_ok = one_column || m.column_stride >= std::max<int64_t>(m.rows, 1);
  if ((one_column || m.column_stride == 1) && rows_ok) {
    return {'N', one_row ? std::max<int64_t>(m.columns, 1) : m.row_stride};
  }
  if ((one_row || m.row_stride == 1) && columns_ok) {
    return {'T', one_column ? std::max<int64_t>(m.rows, 1) : m.column_stride};
  }
  return {};
}

using Buffer = std::unique_ptr<float[]>;

Buffer make_buffer(int64_t n) { return Buffer(new float[static_cast<size_t>(n)]); }

// A dense row-major copy in float32.
Matrix copied_to_float(ScalarType dtype, const Matrix& m, Buffer& buffer) {
  const bool transposed = m.row_stride < m.column_stride;
  const Matrix from = transposed ? m.transposed() : m;
  const int64_t item = static_cast<int64_t>(element_size(dtype));
  buffer = make_buffer(m.rows * m.columns);
  for (int64_t r = 0; r < from.rows; ++r) {
    float* to = buffer.get() + r * from.columns;
    const char* row = from.data + r * from.row_stride * item;
    if (from.column_stride == 1) {
      convert(to, kFloat, row, dtype, from.columns);
      continue;
    }
    for (int64_t c = 0; c < from.columns; ++c) {
      convert(to + c, kFloat, row + c * from.column_stride * item, dtype, 1);
    }
  }
  const Matrix copy{reinterpret_cast<char*>(buffer.get()), from.rows, from.columns, from.columns,
                    1};
  return transposed ? copy.transposed() : copy;
}

void check_status(dnnl_status_t status) {
  OW_CHECK(status == dnnl_success, "matrix multiplication: oneDNN reports status ",
           static_cast<int64_t>(status));
}

void float_gemm(float alpha, const Matrix& a, const Matrix& b, float beta, const Matrix& c) {
  BlasMatrix left = blas_matrix(a), right = blas_matrix(b);
  const char *x = a.data, *y = b.data;
  Buffer x_copy, y_copy;
  auto copy = [](const Matrix& m, Buffer& to, const char*& data) {
    const Matrix copied = copied_to_float(kFloat, m, to);
    data = copied.data;
    return blas_matrix(copied);
  };
  if (left.order == 0) left = copy(a, x_copy, x);
  if (right.order == 0) right = copy(b, y_copy, y);
  std::optional<SignalsHeld> held;
  if (a.columns > kTermsOnStack) held.emplace(a.columns * c.rows >= kWorkForPool / c.columns);
  const int64_t leading = c.rows <= 1 ? std::max<int64_t>(c.columns, 1) : c.row_stride;
  note_pool();
  check_status(dnnl_sgemm(left.order, right.order, c.rows, c.columns, a.columns, alpha,
                          reinterpret_cast<const float*>(x), left.leading,
                          reinterpret_cast<const float*>(y), right.leading, beta,
                          reinterpret_cast<float*>(c.data), leading));
}

void reduced_gemm(ScalarType dtype, float alpha, const Matrix& a, const Matrix& b, float beta,
                  const Matrix& c) {
  Buffer a_copy, b_copy, c_copy;
  const Matrix x = copied_to_float(dtype, a, a_copy), y = copied_to_float(dtype, b, b_copy);
  Matrix z;
  if (beta != 0) {
    z = copied_to_float(dtype, c, c_copy);
  } else {
    c_copy = make_buffer(c.rows * c.columns);
    z = {reinterpret_cast<char*>(c_copy.get()), c.rows, c.columns, c.columns, 1};
  }
  float_gemm(alpha, x, y, beta, z);
  const int64_t item = static_cast<int64_t>(element_size(dtype));
  for (int64_t r = 0; r < c.rows; ++r) {
    convert(c.data + r * c.row_stride * item, dtype, c_copy.get() + r * c.columns, kFloat,
            c.columns);
  }
}

// One row times one column: a call of oneDNN costs several of them.
void dot_of(ScalarType dtype, const Scalar& alpha, const Matrix& a, const Matrix& b,
            const Scalar& beta, const Matrix& c) {
  const DotResult found =
      dot_kernel(dtype)(a.data, a.column_stride, b.data, b.row_stride, a.columns);
  visit_dtype("dot", dtype, [&]<class T>(TypeTag<T>) {
    T& to = *reinterpret_cast<T*>(c.data);
    if constexpr (std::is_integral_v<T>) {
      const uint64_t kept =
          beta.equal(0) ? 0 : static_cast<uint64_t>(beta.to<int64_t>()) * static_cast<uint64_t>(to);
      to = static_cast<T>(static_cast<uint64_t>(alpha.to<int64_t>()) * found.integral + kept);
    } else {
      const double kept = beta.equal(0) ? 0 : beta.to_double() * static_cast<double>(to);
      to = static_cast<T>(alpha.to_double() * found.floating + kept);
    }
  });
}

}  // namespace

Matrix matrix_of(const Tensor& t) {
  const size_t n = t.sizes().size();
  return {static_cast<char*>(t.raw_data()), t.sizes()[n - 2], t.sizes()[n - 1], t.strides()[n - 2],
          t.strides()[n - 1]};
}

void gemm(ScalarType dtype, const Scalar& alpha, const Matrix& a, const Matrix& b,
          const Scalar& beta, const Matrix& c) {
  if (c.rows == 0 || c.columns == 0) return;
  const bool has_terms = a.columns > 0;  // oneDNN and the packing want some
  const bool has_dot = contains(dtypes::kCommon, dtype) && dtype != kBool;
  if (c.rows == 1 && c.columns == 1 && has_terms && has_dot)
    return dot_of(dtype, alpha, a, b, beta, c);
  if (dtype == kFloat && has_terms) {
    float_gemm(alpha.to<float>(), a, b, beta.to<float>(), c);
  } else if (compute_dtype(dtype) == kFloat && has_terms) {
    reduced_gemm(dtype, alpha.to<float>(), a, b, beta.to<float>(), c);
  } else {
    packed_gemm(dtype, alpha, a, b, beta, c);
  }
}

}  // namespace opweave::cpu

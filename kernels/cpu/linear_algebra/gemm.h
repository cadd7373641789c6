// gemm: products of matrices of every dtype, in any layout.
#pragma once

#include <cstdint>

#include "runtime/core/tensor/tensor.h"

namespace opweave::cpu {

// A matrix in memory; strides count elements.
struct Matrix {
  char* data = nullptr;
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;

  Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

// The matrix in dimensions -2 and -1 of a tensor, with the others at position 0.
Matrix matrix_of(const Tensor& t);

// c = alpha a b + beta c, where c has rows of adjacent elements. With beta == 0, c is only written.
// float16 and bfloat16 are multiplied and added in float32; integers wrap.
void gemm(ScalarType dtype, const Scalar& alpha, const Matrix& a, const Matrix& b,
          const Scalar& beta, const Matrix& c);

}  // namespace opweave::cpu

// packed_gemm: the library's own product of matrices, for dtypes that oneDNN does not multiply.
#pragma once

#include "kernels/cpu/linear_algebra/gemm.h"

namespace opweave::cpu {

// As gemm(), for every dtype; without terms (a.columns == 0) it only scales c.
void packed_gemm(ScalarType dtype, const Scalar& alpha, const Matrix& a, const Matrix& b,
                 const Scalar& beta, const Matrix& c);

}  // namespace opweave::cpu

// mm and bmm through cuBLASLt.
#include <cublasLt.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "kernels/cuda/device.h"
#include "opweave/kernels/cuda.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/base/error.h"

namespace opweave::cuda {
namespace {

constexpr size_t kWorkspaceBytes = size_t{32} << 20;

void check_blas(cublasStatus_t status, std::string_view what) {
  OW_CHECK(status == CUBLAS_STATUS_SUCCESS, what, ": ", cublasLtGetStatusString(status));
}

cublasLtHandle_t handle(int device) {
  static std::mutex mutex;
  static std::array<cublasLtHandle_t, 64> handles{};
  std::lock_guard lock(mutex);
  if (handles[device] == nullptr) check_blas(cublasLtCreate(&handles[device]), "cublasLtCreate");
  return handles[device];
}

cudaDataType_t data_type(std::string_view op, ScalarType dtype) {
  switch (dtype) {
    case ScalarType::kFloat:
      return CUDA_R_32F;
    case ScalarType::kDouble:
      return CUDA_R_64F;
    case ScalarType::kHalf:
      return CUDA_R_16F;
    case ScalarType::kBFloat16:
      return CUDA_R_16BF;
    default:
      break;
  }
  OW_THROW(ErrorKind::kNotImplemented, "\"", op, "\" not implemented for '",
           scalar_type_name(dtype), "' on cuda");
}

// A matrix as cuBLAS sees it: column-major, so a row-major one is its own transpose.
struct Matrix {
  Tensor tensor;    // keeps a dense copy alive
  bool transposed;  // row-major storage
  int64_t leading;
  int64_t batch_stride;
};

Matrix matrix_of(const Tensor& t) {
  const int64_t rows = t.size(-2), columns = t.size(-1);
  const int64_t row = t.stride(-2), column = t.stride(-1);
  const int64_t batch = t.dim() == 3 ? t.stride(0) : 0;
  if (column == 1 && row >= std::max<int64_t>(columns, 1)) return {t, false, row, batch};
  if (row == 1 && column >= std::max<int64_t>(rows, 1)) return {t, true, column, batch};
  const Tensor dense = opweave::contiguous(t);
  return {dense, false, columns, rows * columns};
}

struct Layout {
  cublasLtMatrixLayout_t value = nullptr;
  Layout(cudaDataType_t type, int64_t rows, int64_t columns, int64_t leading, int64_t batch,
         int64_t stride) {
    check_blas(cublasLtMatrixLayoutCreate(&value, type, rows, columns, leading),
               "cublasLtMatrixLayoutCreate");
    const int32_t count = static_cast<int32_t>(batch);
    cublasLtMatrixLayoutSetAttribute(value, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                     sizeof(count));
    cublasLtMatrixLayoutSetAttribute(value, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                     sizeof(stride));
  }
  ~Layout() { cublasLtMatrixLayoutDestroy(value); }
  Layout(const Layout&) = delete;
};

struct MatmulDescription {
  cublasLtMatmulDesc_t value = nullptr;
  MatmulDescription(ScalarType dtype, bool transpose_a, bool transpose_b) {
    const bool is_double = dtype == kDouble;
    check_blas(cublasLtMatmulDescCreate(&value, is_double ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                                        is_double ? CUDA_R_64F : CUDA_R_32F),
               "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, transpose_a);
    set(CUBLASLT_MATMUL_DESC_TRANSB, transpose_b);
  }
  ~MatmulDescription() { cublasLtMatmulDescDestroy(value); }
  MatmulDescription(const MatmulDescription&) = delete;

 private:
  void set(cublasLtMatmulDescAttributes_t attribute, bool transpose) {
    const cublasOperation_t op = transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasLtMatmulDescSetAttribute(value, attribute, &op, sizeof(op));
  }
};

// Which algorithms are offered follows from where the matrices lie: views begin anywhere, and
// cuBLASLt takes 256 bytes for granted where nothing is said.
class Preference {
 public:
  Preference(const Tensor& a, const Tensor& b, const Tensor& out) {
    check_blas(cublasLtMatmulPreferenceCreate(&value), "cublasLtMatmulPreferenceCreate");
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(a));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(b));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(out));
    set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(out));
  }
  ~Preference() { cublasLtMatmulPreferenceDestroy(value); }
  Preference(const Preference&) = delete;

  cublasLtMatmulPreference_t value = nullptr;

 private:
  static uint32_t alignment_of(const Tensor& t) {
    const auto address = reinterpret_cast<uintptr_t>(t.raw_data());
    return static_cast<uint32_t>(std::min<uintptr_t>(address & -address, 256));
  }
  template <class T>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, T number) {
    check_blas(cublasLtMatmulPreferenceSetAttribute(value, attribute, &number, sizeof(number)),
               "cublasLtMatmulPreferenceSetAttribute");
  }
};

// out = a @ b for row-major `out`: in column-major terms out^T = b^T a^T.
void multiply(std::string_view op, const Tensor& a, const Tensor& b, Tensor& out) {
  const int64_t m = a.size(-2), k = a.size(-1), n = b.size(-1),
                batch = a.dim() == 3 ? a.size(0) : 1;
  const cudaDataType_t type = data_type(op, a.dtype());
  const Matrix left = matrix_of(b), right = matrix_of(a);
  const MatmulDescription description(a.dtype(), left.transposed, right.transposed);
  const Layout left_layout(type, left.transposed ? k : n, left.transposed ? n : k, left.leading,
                           batch, left.batch_stride);
  const Layout right_layout(type, right.transposed ? m : k, right.transposed ? k : m, right.leading,
                            batch, right.batch_stride);
  const Layout out_layout(type, n, m, n, batch, m * n);
  const double one = 1, zero = 0;
  const float one_float = 1, zero_float = 0;
  const bool is_double = a.dtype() == kDouble;
  const DeviceGuard guard(out.device());
  const Tensor workspace =
      make_tensor({static_cast<int64_t>(kWorkspaceBytes)}, kByte, out.device());
  const Preference preference(left.tensor, right.tensor, out);
  cublasLtMatmulHeuristicResult_t choice{};
  int found = 0;
  const cublasLtHandle_t lt = handle(out.device().index);
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      lt, description.value, left_layout.value, right_layout.value, out_layout.value,
      out_layout.value, preference.value, 1, &choice, &found);
  check_blas(status, op);
  OW_CHECK(found > 0, op, "(): cuBLASLt has no algorithm for ", a, " and ", b);
  check_blas(cublasLtMatmul(
                 lt, description.value, is_double ? static_cast<const void*>(&one) : &one_float,
                 left.tensor.raw_data(), left_layout.value, right.tensor.raw_data(),
                 right_layout.value, is_double ? static_cast<const void*>(&zero) : &zero_float,
                 out.raw_data(), out_layout.value, out.raw_data(), out_layout.value, &choice.algo,
                 workspace.raw_data(), kWorkspaceBytes, current_handle(out.device())),
             op);
}

void fill_zero(Tensor& out) {
  const DeviceGuard guard(out.device());
  check_cuda(cudaMemsetAsync(out.raw_data(), 0, out.nbytes(), current_handle(out.device())), "mm");
}

void product(std::string_view op, const Tensor& a, const Tensor& b, Tensor& out) {
  data_type(op, a.dtype());  // refuses what is not multiplied, also where there is nothing to do
  if (out.numel() == 0) return;
  if (a.size(-1) == 0) {
    fill_zero(out);
  } else {
    multiply(op, a, b, out);
  }
}

}  // namespace

void mm(const Tensor& self, const Tensor& mat2, Tensor& out) { product("mm", self, mat2, out); }

void bmm(const Tensor& self, const Tensor& mat2, Tensor& out) { product("bmm", self, mat2, out); }

}  // namespace opweave::cuda

// mm, bmm, addmm, baddbmm, mv, dot, linear.
#include "opweave/ops/matmul.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/linear_algebra/dot_kernel.h"
#include "kernels/cpu/linear_algebra/gemm.h"
#include "opweave/kernels/cpu/addmm.h"
#include "opweave/kernels/cpu/baddbmm.h"
#include "opweave/kernels/cpu/bmm.h"
#include "opweave/kernels/cpu/dot.h"
#include "opweave/kernels/cpu/linear.h"
#include "opweave/kernels/cpu/mm.h"
#include "opweave/kernels/cpu/mv.h"
#include "opweave/ops/add.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/expand.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

void check_matrices(std::string_view op, std::string_view first, const Tensor& a, const Tensor& b) {
  OW_CHECK(a.dim() == 2, op, ": ", first, " must be a matrix, got ", a.dim(), "-D tensor");
  OW_CHECK(b.dim() == 2, op, ": mat2 must be a matrix, got ", b.dim(), "-D tensor");
}

void check_product(const Tensor& a, const Tensor& b) {
  OW_CHECK(a.dtype() == b.dtype(),
           "expected m1 and m2 to have the same dtype, but got: ", dtype_info(a.dtype()).spelled,
           " != ", dtype_info(b.dtype()).spelled);
}

void check_inner(std::string_view op, IntList a, IntList b, int64_t b_inner, int64_t b_outer) {
  OW_CHECK(a[1] == b[b_inner], op, ": mat1 and mat2 shapes cannot be multiplied (", a[0], "x", a[1],
           " and ", b[b_inner], "x", b[b_outer], ")");
}

void check_batches(const Tensor& a, const Tensor& b) {
  OW_CHECK(a.dim() == 3, "batch1 must be a 3D tensor");
  OW_CHECK(b.dim() == 3, "batch2 must be a 3D tensor");
  const IntList x = a.sizes(), y = b.sizes();
  OW_CHECK(x[0] == y[0] && x[2] == y[1],
           "Expected size for first two dimensions of batch2 tensor to be: [", x[0], ", ", x[2],
           "] but got: [", y[0], ", ", y[1], "].");
  OW_CHECK(a.dtype() == b.dtype(), "expected scalar type ", scalar_type_name(a.dtype()),
           " but found ", scalar_type_name(b.dtype()));
  if (a.dtype() == kBool) fail_dtype("bmm", kBool);
}

// A batch of products, split between threads when there are enough of them.
void multiply_batches(const Scalar& alpha, const Tensor& a, const Tensor& b, const Scalar& beta,
                      Tensor& out) {
  const int64_t batches = out.sizes()[0];
  const int64_t item = static_cast<int64_t>(out.element_size());
  auto run = [&](int64_t from, int64_t to) {
    Matrix x = matrix_of(a), y = matrix_of(b), z = matrix_of(out);
    x.data += from * a.strides()[0] * item;
    y.data += from * b.strides()[0] * item;
    z.data += from * out.strides()[0] * item;
    for (int64_t i = from; i < to; ++i) {
      gemm(out.dtype(), alpha, x, y, beta, z);
      x.data += a.strides()[0] * item;
      y.data += b.strides()[0] * item;
      z.data += out.strides()[0] * item;
    }
  };
  const int64_t work = std::max<int64_t>(out.sizes()[1] * out.sizes()[2] * a.sizes()[2], 1);
  if (batches < num_threads()) {
    run(0, batches);
  } else {
    parallel_for(0, batches, std::max<int64_t>(kGrainSize / work, 1), run);
  }
}

// Repeats a dense row, or copies whatever broadcasts, into `out`.
void fill_broadcast(Tensor& out, const Tensor& value) {
  const IntList sizes = out.sizes();
  const bool is_row = value.dim() == 1 && !sizes.empty() && value.sizes()[0] == sizes.back() &&
                      value.is_contiguous() && value.dtype() == out.dtype();
  if (!is_row) {
    opweave::copy_(out, opweave::expand(value, sizes));
    return;
  }
  const size_t bytes = value.nbytes();
  if (bytes == 0) return;
  char* to = static_cast<char*>(out.raw_data());
  for (char* end = to + out.nbytes(); to < end; to += bytes) {
    std::memcpy(to, value.raw_data(), bytes);
  }
}

// What a product is added to: `self` in the shape of the result; nothing when it does not count.
void start_with(Tensor& out, const Tensor& self, const Scalar& beta) {
  OW_CHECK(self.dtype() == out.dtype(), "self and mat2 must have the same dtype, but got ",
           scalar_type_name(self.dtype()), " and ", scalar_type_name(out.dtype()));
  if (!beta.equal(0)) {
    fill_broadcast(out, self);
  } else {
    opweave::expand(self, out.sizes());  // checks the shape
  }
}

}  // namespace

Tensor mm(const Tensor& self, const Tensor& mat2) {
  check_matrices("mm", "self", self, mat2);
  check_inner("mm", self.sizes(), mat2.sizes(), 0, 1);
  check_product(self, mat2);
  Tensor out = make_tensor(IntList{self.sizes()[0], mat2.sizes()[1]}, self.dtype(), self.device());
  gemm(self.dtype(), 1, matrix_of(self), matrix_of(mat2), 0, matrix_of(out));
  return out;
}

Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
             const Scalar& alpha) {
  check_matrices("addmm", "mat1", mat1, mat2);
  check_inner("addmm", mat1.sizes(), mat2.sizes(), 0, 1);
  check_product(mat1, mat2);
  Tensor out = make_tensor(IntList{mat1.sizes()[0], mat2.sizes()[1]}, mat1.dtype(), mat1.device());
  start_with(out, self, beta);
  gemm(mat1.dtype(), alpha, matrix_of(mat1), matrix_of(mat2), beta, matrix_of(out));
  return out;
}

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  check_batches(self, mat2);
  const IntList a = self.sizes(), b = mat2.sizes();
  Tensor out = make_tensor(IntList{a[0], a[1], b[2]}, self.dtype(), self.device());
  multiply_batches(1, self, mat2, 0, out);
  return out;
}

Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  check_batches(batch1, batch2);
  const IntList a = batch1.sizes(), b = batch2.sizes();
  Tensor out = make_tensor(IntList{a[0], a[1], b[2]}, batch1.dtype(), batch1.device());
  start_with(out, self, beta);
  multiply_batches(alpha, batch1, batch2, beta, out);
  return out;
}

Tensor dot(const Tensor& self, const Tensor& tensor) {
  OW_CHECK(self.dim() == 1 && tensor.dim() == 1, "1D tensors expected, but got ", self.dim(),
           "D and ", tensor.dim(), "D tensors");
  OW_CHECK(self.dtype() == tensor.dtype(),
           "dot : expected both vectors to have same dtype, but found ",
           scalar_type_name(self.dtype()), " and ", scalar_type_name(tensor.dtype()));
  OW_CHECK(self.numel() == tensor.numel(), "inconsistent tensor size, expected tensor [",
           self.numel(), "] and src [", tensor.numel(),
           "] to have the same number of elements, but got ", self.numel(), " and ", tensor.numel(),
           " elements respectively");
  Tensor out = make_tensor({}, self.dtype(), self.device());
  const DotResult result = dot_kernel(self.dtype())(
      self.raw_data(), self.strides()[0], tensor.raw_data(), tensor.strides()[0], self.numel());
  visit_dtype("dot", out.dtype(), [&]<class T>(TypeTag<T>) {
    *static_cast<T*>(out.raw_data()) =
        std::is_integral_v<T> ? static_cast<T>(result.integral) : static_cast<T>(result.floating);
  });
  return out;
}

Tensor mv(const Tensor& self, const Tensor& vec) {
  OW_CHECK(self.dim() == 2 && vec.dim() == 1, "vector + matrix @ vector expected, got ", 1, ", ",
           self.dim(), ", ", vec.dim());
  OW_CHECK(self.sizes()[1] == vec.sizes()[0], "size mismatch, got input (", self.sizes()[0],
           "), mat (", self.sizes()[0], "x", self.sizes()[1], "), vec (", vec.sizes()[0], ")");
  OW_CHECK(self.dtype() == vec.dtype(), "addmv input tensors must have the same dtype, but got ",
           scalar_type_name(vec.dtype()), ", ", scalar_type_name(self.dtype()), ", and ",
           scalar_type_name(vec.dtype()));
  Tensor out = make_tensor(IntList{self.sizes()[0]}, self.dtype(), self.device());
  const Matrix column{static_cast<char*>(vec.raw_data()), vec.sizes()[0], 1, vec.strides()[0], 1};
  const Matrix result{static_cast<char*>(out.raw_data()), out.sizes()[0], 1, 1, 1};
  gemm(self.dtype(), 1, matrix_of(self), column, 0, result);
  return out;
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  OW_CHECK(input.dim() > 0 && weight.dim() > 0,
           "both arguments to linear need to be at least 1D, but they are ", input.dim(), "D and ",
           weight.dim(), "D");
  if (weight.dim() != 2) {
    OW_CHECK(!bias.defined(), "addmm: mat2 must be a matrix, got ", weight.dim(), "-D tensor");
    return opweave::matmul(input, weight);
  }
  // Leading dimensions are rows.
  const Tensor x = input.dim() == 2 ? input : opweave::contiguous(input);
  const int64_t in = x.sizes().back(), outputs = weight.sizes()[0];
  const int64_t rows = x.dim() == 2 ? x.sizes()[0] : checked_numel(x.sizes().first(x.dim() - 1));
  const int64_t shape[] = {rows, in};
  check_inner(bias.defined() ? "addmm" : "mm", IntList(shape, 2), weight.sizes(), 1, 0);
  check_product(x, weight);
  DimVector sizes(x.sizes());
  sizes.back() = outputs;
  Tensor out = make_tensor(sizes, x.dtype(), x.device());
  if (bias.defined()) start_with(out, bias, 1);
  Matrix a{static_cast<char*>(x.raw_data()), rows, in, in, 1};
  if (x.dim() == 2) a = matrix_of(x);
  const Matrix c{static_cast<char*>(out.raw_data()), rows, outputs, outputs, 1};
  gemm(x.dtype(), 1, a, matrix_of(weight).transposed(), int64_t{bias.defined()}, c);
  return out;
}

}  // namespace opweave::cpu

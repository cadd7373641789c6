// fill_, zero_ and item() on CUDA tensors.
#include <bit>

#include "kernels/cuda/pointwise/begin.h"
#include "kernels/cuda/pointwise/run.h"
#include "opweave/kernels/cuda.h"
#include "opweave/ops/_local_scalar_dense.h"
#include "opweave/ops/view.h"
#include "runtime/core/base/error.h"

namespace opweave::cuda {
namespace {

// The tensor is an input as well, which gives the type of computation; what it holds is not read.
constexpr PointwiseSpec kFillSpec{
    .name = "fill_",
    .num_inputs = 1,
    .num_params = 1,
    .promotion = PointwisePromotion::kNone,
    .result = OperandKind::kCommon,
    .dtypes = dtypes::kReal,
    .input_names = {"self"},
    .input_dtypes = {dtypes::kReal},
};

struct FillExpression {
  template <class D, class V>
  static OW_POINTWISE V apply(D, V, V value) {
    return value;
  }
};

const PointwiseLoops& fill_loops() {
  static const PointwiseLoops loops = make_loops<FillExpression, 1, 1, dtypes::kReal, false>();
  return loops;
}

}  // namespace

// As words of their size.
static Tensor& fill_complex(Tensor& self, const Scalar& value) {
  static_assert(element_size(kComplexFloat) == element_size(kLong));
  Tensor words = opweave::view(self, kLong);
  fill__Scalar(words, std::bit_cast<int64_t>(value.to<ComplexFloat>()));
  return self;
}

Tensor& fill__Scalar(Tensor& self, const Scalar& value) {
  if (is_complex(self.dtype())) return fill_complex(self, value);
  const Tensor* const inputs[] = {&self};
  run_pointwise_into(kFillSpec, fill_loops(), self, /*resize=*/false, inputs, {&value, 1});
  return self;
}

Tensor& fill__Tensor(Tensor& self, const Tensor& value) {
  return copy_(self, value, /*non_blocking=*/false);
}

Tensor& zero_(Tensor& self) { return fill__Scalar(self, Scalar(0)); }

Scalar _local_scalar_dense(const Tensor& self) {
  Tensor on_host = make_tensor(self.sizes(), self.dtype(), host_device());
  copy_(on_host, self, /*non_blocking=*/false);
  return opweave::_local_scalar_dense(on_host);
}

}  // namespace opweave::cuda

// Blocks as tensors: operators know the processor's widest instructions.
#include "runtime/distributed/backends/combine.h"

#include "opweave/ops/add.h"
#include "opweave/ops/bitwise_and.h"
#include "opweave/ops/bitwise_or.h"
#include "opweave/ops/bitwise_xor.h"
#include "opweave/ops/div.h"
#include "opweave/ops/maximum.h"
#include "opweave/ops/minimum.h"
#include "opweave/ops/mul.h"
#include "runtime/core/tensor/tensor_impl.h"
#include "runtime/distributed/backends/combine_rare.h"

namespace opweave::distributed {
namespace {

Tensor tensor_over(const void* data, ScalarType dtype, int64_t count) {
  const size_t nbytes = static_cast<size_t>(count) * element_size(dtype);
  auto storage = StorageImpl::wrap(const_cast<void*>(data), nbytes, Device(), {});
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, Device(), IntList{count}));
}

}  // namespace

void combine(ReduceOp op, ScalarType dtype, void* out, const void* a, const void* b,
             int64_t count) {
  if (count == 0) return;
  if (contains(kRareDtypes, dtype)) return combine_rare(op, dtype, out, a, b, count);
  Tensor result = tensor_over(out, dtype, count);
  const Tensor left = tensor_over(a, dtype, count), right = tensor_over(b, dtype, count);
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kAvg:
      ops::add_Tensor_out::call(left, right, 1, result);
      return;
    case ReduceOp::kProduct:
      ops::mul_Tensor_out::call(left, right, result);
      return;
    case ReduceOp::kMin:
      ops::minimum_out::call(left, right, result);
      return;
    case ReduceOp::kMax:
      ops::maximum_out::call(left, right, result);
      return;
    case ReduceOp::kBand:
      ops::bitwise_and_Tensor_out::call(left, right, result);
      return;
    case ReduceOp::kBor:
      ops::bitwise_or_Tensor_out::call(left, right, result);
      return;
    case ReduceOp::kBxor:
      ops::bitwise_xor_Tensor_out::call(left, right, result);
      return;
  }
}

void finish(ReduceOp op, ScalarType dtype, void* out, int64_t count, int ranks) {
  if (op != ReduceOp::kAvg || count == 0) return;
  if (contains(kRareDtypes, dtype)) return finish_rare(dtype, out, count, ranks);
  Tensor result = tensor_over(out, dtype, count);
  ops::div__Scalar::call(result, Scalar(static_cast<int64_t>(ranks)));
}

}  // namespace opweave::distributed

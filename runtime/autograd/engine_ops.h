// The operators that autograd itself needs. They are found in the registry by name, because
// autograd lies below the generated code; calls are dispatched, so they are recorded like any
// other.
#pragma once

#include <atomic>
#include <optional>

#include "runtime/core/tensor.h"
#include "runtime/dispatch/operator.h"

namespace opweave {

namespace detail {
// The operator's typed call. Internal error unless it is registered with these argument types.
AnyKernel find_by_schema(const char* schema);
}  // namespace detail

template <class Signature>
class OperatorBySchema;

template <class R, class... Args>
class OperatorBySchema<R(Args...)> {
 public:
  constexpr explicit OperatorBySchema(const char* schema) : schema_(schema) {}

  R operator()(Args... args) const {
    AnyKernel call = call_.load(std::memory_order_acquire);
    if (call == nullptr) [[unlikely]] {
      call = detail::find_by_schema(schema_);
      call_.store(call, std::memory_order_release);
    }
    return reinterpret_cast<R (*)(Args...)>(call)(std::forward<Args>(args)...);
  }
  const char* schema() const { return schema_; }

 private:
  const char* schema_;
  mutable std::atomic<AnyKernel> call_{nullptr};
};

namespace engine_ops {

template <class Signature>
using Op = OperatorBySchema<Signature>;

inline constinit Op<Tensor(const Tensor&, const Tensor&, const Scalar&)> add{
    "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"};
inline constinit Op<Tensor&(Tensor&, const Tensor&, const Scalar&)> add_{
    "add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"};
inline constinit Op<Tensor&(Tensor&, const Tensor&, bool)> copy_{
    "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)"};
inline constinit Op<Tensor(const Tensor&, IntList, IntList, std::optional<int64_t>)> as_strided{
    "as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> "
    "Tensor(a)"};
inline constinit Op<Tensor(const Tensor&, IntList)> sum_to_size{
    "sum_to_size(Tensor self, SymInt[] size) -> Tensor"};
inline constinit Op<Tensor&(Tensor&, const Scalar&)> fill_{
    "fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)"};
inline constinit Op<Tensor(const Tensor&)> isnan{"isnan(Tensor self) -> Tensor"};
inline constinit Op<Tensor(const Tensor&)> any{"any(Tensor self) -> Tensor"};
inline constinit Op<Scalar(const Tensor&)> item{"_local_scalar_dense(Tensor self) -> Scalar"};

// A copy in another dtype or on another device, differentiably.
Tensor convert(const Tensor& gradient, ScalarType dtype, Device device);
Tensor full(IntList sizes, const Scalar& value, ScalarType dtype, Device device);
bool has_nan(const Tensor& gradient);

}  // namespace engine_ops
}  // namespace opweave

// amax, amin, max, min, argmax, argmin.
#include "kernels/cpu/reduction/reduce_extreme.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "opweave/kernels/cpu/amax.h"
#include "opweave/kernels/cpu/amin.h"
#include "opweave/kernels/cpu/argmax.h"
#include "opweave/kernels/cpu/argmin.h"
#include "opweave/kernels/cpu/max.h"
#include "opweave/kernels/cpu/min.h"

namespace opweave::cpu {
namespace {

// Calls with the type in which elements of `dtype` are compared; bool is compared as a byte.
template <class Visitor>
void visit_compared(ScalarType dtype, Visitor&& visit) {
  visit_dtype("max", dtype, [&]<class T>(TypeTag<T>) {
    using C = std::conditional_t<std::is_same_v<T, bool>, uint8_t, compute_type<T>>;
    visit(TypeTag<C>());
  });
}

Tensor extreme_over(const Tensor& self, DimMask mask, bool keepdim, Extreme which) {
  Tensor out = make_result(self, mask, keepdim, self.dtype());
  visit_compared(self.dtype(), [&]<class C>(TypeTag<C>) {
    reduce(self, mask, extreme_kernel(self.dtype(), which),
           [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
             write_results<C>(out, states, n, begin, stride, [](C value) { return value; });
           });
  });
  return out;
}

Tensor extreme_of_dims(std::string_view op, const Tensor& self, IntList dim, bool keepdim,
                       Extreme which) {
  const DimMask mask = reduced_dims(dim, self.dim());
  check_reduces_something(op, self, dim);
  return extreme_over(self, mask, keepdim, which);
}

// Positions of extremes, and the extremes themselves into `values` when it is defined.
Tensor arg_extreme_over(const Tensor& self, DimMask mask, bool keepdim, Extreme which,
                        Tensor values) {
  Tensor indices = make_result(self, mask, keepdim, kLong);
  visit_compared(self.dtype(), [&]<class C>(TypeTag<C>) {
    using State = ArgState<C>;
    reduce(self, mask, arg_extreme_kernel(self.dtype(), which),
           [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
             write_results<State>(indices, states, n, begin, stride,
                                  [](const State& s) { return s.index; });
             if (!values.defined()) return;
             write_results<State>(values, states, n, begin, stride,
                                  [](const State& s) { return s.value; });
           });
  });
  return indices;
}

std::tuple<Tensor, Tensor> extreme_of_dim(std::string_view op, const Tensor& self, int64_t dim,
                                          bool keepdim, Extreme which) {
  const DimMask mask = reduced_dims(IntList(&dim, 1), self.dim());
  check_reduces_something(op, self, dim);
  Tensor values = make_result(self, mask, keepdim, self.dtype());
  Tensor indices = arg_extreme_over(self, mask, keepdim, which, values);
  return {std::move(values), std::move(indices)};
}

Tensor arg_extreme(std::string_view op, const Tensor& self, std::optional<int64_t> dim,
                   bool keepdim, Extreme which) {
  OW_CHECK_NOT_IMPLEMENTED(self.dtype() != kBool, op, "(): does not support bool input");
  OW_CHECK_INDEX(dim || self.numel() != 0, op,
                 "(): Expected reduction dim to be specified for input.numel() == 0.");
  const DimMask mask = dim ? reduced_dims(IntList(&*dim, 1), self.dim()) : every_dim(self.dim());
  check_reduces_something(op, self, dim);
  return arg_extreme_over(self, mask, keepdim, which, Tensor());
}

}  // namespace

Tensor amax(const Tensor& self, IntList dim, bool keepdim) {
  return extreme_of_dims("amax", self, dim, keepdim, Extreme::kMax);
}
Tensor amin(const Tensor& self, IntList dim, bool keepdim) {
  return extreme_of_dims("amin", self, dim, keepdim, Extreme::kMin);
}
Tensor max(const Tensor& self) { return extreme_of_dims("max", self, {}, false, Extreme::kMax); }
Tensor min(const Tensor& self) { return extreme_of_dims("min", self, {}, false, Extreme::kMin); }

std::tuple<Tensor, Tensor> max_dim(const Tensor& self, int64_t dim, bool keepdim) {
  return extreme_of_dim("max", self, dim, keepdim, Extreme::kMax);
}
std::tuple<Tensor, Tensor> min_dim(const Tensor& self, int64_t dim, bool keepdim) {
  return extreme_of_dim("min", self, dim, keepdim, Extreme::kMin);
}

Tensor argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return arg_extreme("argmax", self, dim, keepdim, Extreme::kMax);
}
Tensor argmin(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return arg_extreme("argmin", self, dim, keepdim, Extreme::kMin);
}

}  // namespace opweave::cpu

// amax, amin, max, min, argmax, argmin.
#include "kernels/cpu/reduction/reduce_extreme.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "kernels/plans/dims.h"
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

void extreme_over(const Tensor& self, DimMask mask, Extreme which, Tensor& out) {
  visit_compared(self.dtype(), [&]<class C>(TypeTag<C>) {
    reduce(self, mask, extreme_kernel(self.dtype(), which),
           [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
             write_results<C>(out, states, n, begin, stride, [](C value) { return value; });
           });
  });
}

// Positions of extremes, and the extremes themselves where they are wanted.
void arg_extreme_over(const Tensor& self, DimMask mask, Extreme which, Tensor* values,
                      Tensor& indices) {
  visit_compared(self.dtype(), [&]<class C>(TypeTag<C>) {
    using State = ArgState<C>;
    reduce(self, mask, arg_extreme_kernel(self.dtype(), which),
           [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
             write_results<State>(indices, states, n, begin, stride,
                                  [](const State& s) { return s.index; });
             if (values == nullptr) return;
             write_results<State>(*values, states, n, begin, stride,
                                  [](const State& s) { return s.value; });
           });
  });
}

void arg_extreme(const Tensor& self, std::optional<int64_t> dim, Extreme which, Tensor& out) {
  const DimMask mask = dim ? plans::mask_of(*dim, self.dim()) : every_dim(self.dim());
  arg_extreme_over(self, mask, which, nullptr, out);
}

}  // namespace

void max(const Tensor& self, Tensor& out) {
  extreme_over(self, every_dim(self.dim()), Extreme::kMax, out);
}
void min(const Tensor& self, Tensor& out) {
  extreme_over(self, every_dim(self.dim()), Extreme::kMin, out);
}

void max_dim(const Tensor& self, int64_t dim, bool /*keepdim*/, Tensor& values, Tensor& indices) {
  arg_extreme_over(self, plans::mask_of(dim, self.dim()), Extreme::kMax, &values, indices);
}
void min_dim(const Tensor& self, int64_t dim, bool /*keepdim*/, Tensor& values, Tensor& indices) {
  arg_extreme_over(self, plans::mask_of(dim, self.dim()), Extreme::kMin, &values, indices);
}

void argmax(const Tensor& self, std::optional<int64_t> dim, bool /*keepdim*/, Tensor& out) {
  arg_extreme(self, dim, Extreme::kMax, out);
}
void argmin(const Tensor& self, std::optional<int64_t> dim, bool /*keepdim*/, Tensor& out) {
  arg_extreme(self, dim, Extreme::kMin, out);
}

}  // namespace opweave::cpu

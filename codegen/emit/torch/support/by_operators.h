// Expressions over whole tensors, by PyTorch's own operators: for devices without loops of ours.
#pragma once

#include <ATen/ATen.h>

#include "pointwise.h"

namespace opweave {

// What an expression is evaluated for: numbers become tensors of this kind.
struct Tensors {
  at::TensorOptions options;
};

// The functions of expressions, each over tensors of one dtype, or over masks.
namespace m {

using at::Tensor;

inline Tensor lit(const Tensors& d, double x) { return at::full({}, x, d.options); }
inline Tensor lit(const Tensors& d, bool x) { return at::full({}, x, d.options.dtype(at::kBool)); }
inline Tensor to_boolean(const Tensor& x) { return at::ne(x, 0); }
inline Tensor to_value(const Tensors& d, const Tensor& x) {
  return x.to(c10::typeMetaToScalarType(d.options.dtype()));
}
inline Tensor select(const Tensor& mask, const Tensor& a, const Tensor& b) {
  return at::where(mask, a, b);
}
inline bool is_whole(const Tensor& x) {
  return c10::isIntegralType(x.scalar_type(), /*includeBool=*/true);
}

#define OW_SAME(name) \
  inline Tensor name(const Tensor& x, const Tensor& y) { return at::name(x, y); }
OW_SAME(add)
OW_SAME(mul)
OW_SAME(div)
OW_SAME(lt)
OW_SAME(le)
OW_SAME(gt)
OW_SAME(ge)
OW_SAME(eq)
OW_SAME(ne)
OW_SAME(logical_and)
OW_SAME(logical_or)
OW_SAME(bitwise_and)
OW_SAME(bitwise_or)
OW_SAME(bitwise_xor)
OW_SAME(gcd)
OW_SAME(pow)
OW_SAME(atan2)
OW_SAME(copysign)
#undef OW_SAME
// Truth values wrap around as numbers do.
inline Tensor sub(const Tensor& x, const Tensor& y) {
  return x.scalar_type() == at::kBool ? at::bitwise_xor(x, y) : at::sub(x, y);
}
inline Tensor neg(const Tensor& x) { return x.scalar_type() == at::kBool ? x : at::neg(x); }
inline Tensor shift_left(const Tensor& x, const Tensor& y) { return at::bitwise_left_shift(x, y); }
inline Tensor shift_right(const Tensor& x, const Tensor& y) {
  return at::bitwise_right_shift(x, y);
}
inline Tensor max(const Tensor& x, const Tensor& y) { return at::maximum(x, y); }
inline Tensor min(const Tensor& x, const Tensor& y) { return at::minimum(x, y); }
inline Tensor hypot(const Tensor& x, const Tensor& y) {
  if (!is_whole(x)) return at::hypot(x, y);
  return at::hypot(x.to(at::kDouble), y.to(at::kDouble)).to(x.scalar_type());
}
inline Tensor polygamma(const Tensor& n, const Tensor& x) {
  TORCH_CHECK_NOT_IMPLEMENTED(n.numel() == 1, "polygamma of several orders runs on the CPU alone");
  return at::polygamma(n.item<int64_t>(), x);
}

#define OW_SAME(name) \
  inline Tensor name(const Tensor& x) { return at::name(x); }
OW_SAME(logical_not)
OW_SAME(bitwise_not)
OW_SAME(exp)
OW_SAME(exp2)
OW_SAME(expm1)
OW_SAME(log)
OW_SAME(log2)
OW_SAME(log10)
OW_SAME(log1p)
OW_SAME(sqrt)
OW_SAME(rsqrt)
OW_SAME(sin)
OW_SAME(cos)
OW_SAME(tan)
OW_SAME(asin)
OW_SAME(acos)
OW_SAME(atan)
OW_SAME(sinh)
OW_SAME(cosh)
OW_SAME(tanh)
OW_SAME(asinh)
OW_SAME(acosh)
OW_SAME(atanh)
OW_SAME(erf)
OW_SAME(erfc)
OW_SAME(erfinv)
OW_SAME(lgamma)
OW_SAME(digamma)
OW_SAME(i0)
OW_SAME(sigmoid)
OW_SAME(reciprocal)
OW_SAME(sign)
OW_SAME(isnan)
OW_SAME(isinf)
OW_SAME(isfinite)
#undef OW_SAME
inline Tensor trigamma(const Tensor& x) { return at::polygamma(1, x); }
inline Tensor i1(const Tensor& x) { return at::special_i1(x); }
inline Tensor i0e(const Tensor& x) { return at::special_i0e(x); }
inline Tensor i1e(const Tensor& x) { return at::special_i1e(x); }
inline Tensor square(const Tensor& x) { return at::mul(x, x); }
inline Tensor abs(const Tensor& x) { return x.scalar_type() == at::kBool ? x : at::abs(x); }
inline Tensor conj(const Tensor& x) { return at::conj_physical(x); }
inline Tensor relu(const Tensor& x) { return at::where(at::lt(x, 0), at::zeros_like(x), x); }

#define OW_ROUNDING(name) \
  inline Tensor name(const Tensor& x) { return is_whole(x) ? x : at::name(x); }
OW_ROUNDING(floor)
OW_ROUNDING(ceil)
OW_ROUNDING(round)
OW_ROUNDING(trunc)
#undef OW_ROUNDING

// Of whole numbers by zero: what division.h gives.
template <class F>
Tensor divided(const Tensor& x, const Tensor& y, const Tensor& by_zero, const F& f) {
  if (!is_whole(x)) return f(x, y);
  const Tensor zero = at::eq(y, 0);
  return at::where(zero, by_zero, f(x, at::where(zero, at::ones_like(y), y)));
}
inline Tensor trunc_div(const Tensor& x, const Tensor& y) {
  return divided(x, y, at::zeros_like(x),
                 [](const Tensor& a, const Tensor& b) { return at::div(a, b, "trunc"); });
}
inline Tensor floor_div(const Tensor& x, const Tensor& y) {
  return divided(x, y, at::zeros_like(x),
                 [](const Tensor& a, const Tensor& b) { return at::div(a, b, "floor"); });
}
inline Tensor fmod(const Tensor& x, const Tensor& y) {
  return divided(x, y, x, [](const Tensor& a, const Tensor& b) { return at::fmod(a, b); });
}
inline Tensor remainder(const Tensor& x, const Tensor& y) {
  return divided(x, y, x, [](const Tensor& a, const Tensor& b) { return at::remainder(a, b); });
}

}  // namespace m

// 16-bit floats are computed with as floats, as in loops.
inline ScalarType computed_in(ScalarType dtype) {
  return dtype == at::kHalf || dtype == at::kBFloat16 ? at::kFloat : dtype;
}

// What a call gives, without its values.
inline Tensor empty_result(const std::vector<Tensor>& inputs, ScalarType dtype, at::Device device) {
  at::TensorIteratorConfig config;
  config.check_all_same_dtype(false).declare_static_dtype_and_device(dtype, device);
  config.add_owned_output(Tensor());
  for (const Tensor& input : inputs) config.add_const_input(input);
  return config.build().output();
}

template <class Expression, size_t... kI, size_t... kP>
Tensor apply_to_tensors(const Tensors& d, const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& params, std::index_sequence<kI...>,
                        std::index_sequence<kP...>) {
  return Expression::apply(d, inputs[kI]..., params[kP]...);
}

template <class Expression, int kInputs, int kParams>
Tensor run_by_operators(const PointwiseSpec& spec, Inputs given, Params numbers) {
  const ScalarType dtype = checked_dtype(spec, given, numbers);
  const at::Device device = common_device(spec, given);
  const Tensors d{at::TensorOptions().dtype(computed_in(dtype)).device(device)};
  std::vector<Tensor> inputs, params;
  for (size_t i = 0; i < given.size(); ++i)
    inputs.push_back(
        given[i]->to(device, (spec.masks >> i & 1) != 0 ? at::kBool : computed_in(dtype)));
  for (const Scalar& number : numbers) params.push_back(at::full({}, number, d.options));
  const Tensor value = apply_to_tensors<Expression>(
      d, inputs, params, std::make_index_sequence<kInputs>(), std::make_index_sequence<kParams>());
  return empty_result(inputs, spec.bool_result ? at::kBool : dtype, device).copy_(value);
}

}  // namespace opweave

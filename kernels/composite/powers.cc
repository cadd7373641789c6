// Powers, and numbers as a mantissa times a power of 2.
#include <cmath>

#include "kernels/composite/float_bits.h"
#include "kernels/composite/recording.h"
#include "opweave/kernels/composite/float_power_.h"
#include "opweave/kernels/composite/frexp.h"
#include "opweave/kernels/composite/ldexp.h"
#include "opweave/kernels/composite/vander.h"
#include "opweave/ops/_frexp_exponent.h"
#include "opweave/ops/_frexp_mantissa.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/clamp.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/exp2.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/neg.h"
#include "opweave/ops/pow.h"
#include "opweave/ops/pow_.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/to.h"
#include "opweave/ops/trunc.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/view.h"
#include "opweave/ops/where.h"
#include "runtime/core/tensor/type_promotion.h"

namespace opweave::composite {
namespace {

// self * 2^exponent of float64, in two steps: 2^1074, which takes the least number to 1, is no
// float64.
Tensor scaled_by_power(const Tensor& self, const Tensor& exponent) {
  const Tensor half = opweave::trunc(opweave::mul(exponent, 0.5));
  return opweave::mul(opweave::mul(self, opweave::exp2(half)),
                      opweave::exp2(opweave::sub(exponent, half)));
}

// self * 2^exponent of float64, rounded once: what is beyond the exponents of float64 goes before,
// where the product is not subnormal yet, and is exact.
Tensor times_whole_power(const Tensor& self, const Tensor& exponent) {
  const Tensor last = opweave::clamp(exponent, -1022, 1023);
  return opweave::mul(scaled_by_power(self, opweave::sub(exponent, last)), opweave::exp2(last));
}

// Floats times powers of 2 with whole exponents: 2^200 is no float32, and 1e-30 times it is one. No
// product of exponents further out differs.
Tensor with_whole_exponents(const Tensor& self, const Tensor& other) {
  const bool is_widest = self.dtype() == kDouble;
  const int64_t furthest = is_widest ? 2400 : 300;
  const Tensor wide = opweave::to(self, kDouble);
  const Tensor exponent = opweave::to(opweave::clamp(other, -furthest, furthest), kDouble);
  return is_widest ? times_whole_power(wide, exponent)
                   : opweave::mul(wide, opweave::exp2(exponent));
}

}  // namespace

Tensor& float_power__Tensor_Tensor(Tensor& self, const Tensor& exponent) {
  return opweave::pow_(self, opweave::to(exponent, kDouble));
}

Tensor& float_power__Tensor_Scalar(Tensor& self, const Scalar& exponent) {
  return opweave::pow_(self, exponent);
}

Tensor ldexp_Tensor(const Tensor& self, const Tensor& other) {
  const bool scales = is_floating(self.dtype()) && is_integral(other.dtype(), false);
  const Tensor product =
      scales ? with_whole_exponents(self, other) : opweave::mul(self, opweave::pow(2.0, other));
  if (!is_floating(self.dtype()) && !is_floating(other.dtype())) return product;
  ResultType common;
  common.add(self);
  common.add(other);
  return opweave::to(product, common.result());
}

std::tuple<Tensor, Tensor> frexp_Tensor(const Tensor& self) {
  const FloatBits bits(self.dtype());
  const auto read = [&](const Tensor& x) { return opweave::view(x, bits.whole_numbers()); };
  const Tensor values = opweave::detach(self), least = opweave::abs(values);
  // Subnormal numbers have their exponent elsewhere, unless they are as much larger as they have
  // bits.
  const int64_t scale = bits.fraction();
  const double smallest = std::ldexp(1.0, static_cast<int>(1 - bits.bias()));
  const Tensor larger = opweave::mul(values, std::ldexp(1.0, static_cast<int>(scale)));
  const Tensor normal = read(opweave::where(opweave::lt(least, smallest), larger, values));
  const int64_t below_one = bits.bias() - 1;  // the exponent's bits of 0.5
  const Tensor exponent = opweave::_frexp_exponent(read(values), normal, bits.fraction(),
                                                   bits.exponents(), below_one, scale);
  const Tensor mantissa = opweave::view(
      opweave::_frexp_mantissa(normal, bits.fraction(), bits.exponents(), below_one), self.dtype());
  if (!recording(self)) return {mantissa, opweave::to(exponent, kInt)};
  const Tensor scaled =
      scaled_by_power(opweave::to(self, kDouble), opweave::neg(opweave::to(exponent, kDouble)));
  return {opweave::to(scaled, self.dtype()), opweave::to(exponent, kInt)};
}

Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
  const ScalarType dtype = is_floating(x.dtype()) ? x.dtype() : kLong;
  const int64_t columns = N.value_or(x.numel());
  const Tensor powers = increasing ? opweave::arange(0, columns, 1, kLong, {}, x.device())
                                   : opweave::arange(columns - 1, -1, -1, kLong, {}, x.device());
  return opweave::to(opweave::pow(opweave::unsqueeze(opweave::to(x, dtype), 1), powers), dtype);
}

}  // namespace opweave::composite

// Pointwise operators that look at their arguments before an expression computes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/composite/float_bits.h"
#include "opweave/kernels/composite/allclose.h"
#include "opweave/kernels/composite/celu.h"
#include "opweave/kernels/composite/celu_.h"
#include "opweave/kernels/composite/clamp.h"
#include "opweave/kernels/composite/conj_physical.h"
#include "opweave/kernels/composite/div.h"
#include "opweave/kernels/composite/gelu.h"
#include "opweave/kernels/composite/gelu_.h"
#include "opweave/kernels/composite/hardtanh.h"
#include "opweave/kernels/composite/hardtanh_.h"
#include "opweave/kernels/composite/isclose.h"
#include "opweave/kernels/composite/nan_to_num.h"
#include "opweave/kernels/composite/nextafter.h"
#include "opweave/kernels/composite/polygamma.h"
#include "opweave/kernels/composite/polygamma_.h"
#include "opweave/kernels/composite/positive.h"
#include "opweave/kernels/composite/pow.h"
#include "opweave/kernels/composite/pow_.h"
#include "opweave/kernels/composite/round.h"
#include "opweave/kernels/composite/softshrink.h"
#include "opweave/ops/_celu.h"
#include "opweave/ops/_clamp.h"
#include "opweave/ops/_div_trunc.h"
#include "opweave/ops/_gelu_erf.h"
#include "opweave/ops/_gelu_tanh.h"
#include "opweave/ops/_hardtanh.h"
#include "opweave/ops/_isclose.h"
#include "opweave/ops/_nan_to_num.h"
#include "opweave/ops/_nextafter.h"
#include "opweave/ops/_polygamma.h"
#include "opweave/ops/_pow_number.h"
#include "opweave/ops/_round_to.h"
#include "opweave/ops/_softshrink.h"
#include "opweave/ops/add.h"
#include "opweave/ops/all.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/floor_divide.h"
#include "opweave/ops/item.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/to.h"
#include "opweave/ops/view.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/number.h"

namespace opweave::composite {
namespace {

enum class Gelu { kErf, kTanh };

Gelu gelu_form(std::string_view approximate) {
  if (approximate == "none") return Gelu::kErf;
  OW_CHECK(approximate == "tanh", "approximate argument must be either none or tanh.");
  return Gelu::kTanh;
}

template <class Other>
Tensor divide(const Tensor& self, const Other& other, std::optional<std::string_view> mode) {
  if (!mode) return opweave::div(self, other);
  if (*mode == "floor") return opweave::floor_divide(self, other);
  OW_CHECK(*mode == "trunc",
           "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", *mode,
           "'");
  return opweave::_div_trunc(self, other);
}

enum class Side { kMin, kMax };

// A bound as a number that the dtype has. One beyond the range of integers limits nothing, where it
// would wrap; one that no integer of the dtype satisfies is an error.
Scalar bound_in(ScalarType dtype, const Scalar& bound, Side side) {
  if (!is_integral(dtype, /*include_bool=*/false)) {
    return bound.type() == kUInt64 ? Scalar(bound.to_double()) : bound;
  }
  const bool negative = bound.to_double() < 0;
  if (fits(bound, dtype) && (is_signed(dtype) || !negative)) return bound;
  OW_CHECK(negative == (side == Side::kMin) && !std::isnan(bound.to_double()), "Clamp ",
           side == Side::kMin ? "min" : "max", " value ", bound.to_double(),
           " is outside the representable range of ", scalar_type_name(dtype));
  if (negative) return least_counted(dtype);
  return dtype == kUInt64 ? Scalar(UINT64_MAX) : Scalar(largest_counted(dtype));
}

// A bound with a point makes floats of integers, whatever the other one is.
std::optional<Scalar> bound_in(ScalarType dtype, const std::optional<Scalar>& bound, Side side,
                               const std::optional<Scalar>& other) {
  const bool floats = bound && (bound->is_floating() || (other && other->is_floating()));
  if (!bound || (floats && !is_floating(dtype))) return bound;
  return bound_in(dtype, *bound, side);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Comparisons with NaN are false, which the formula would take for "within the limits": the result
// is NaN, and the gradient what the other limit makes it.
bool has_nan_limit(const Scalar& min_val, const Scalar& max_val) {
  return std::isnan(min_val.to_double()) || std::isnan(max_val.to_double());
}

void check_celu(const Scalar& alpha) {
  OW_CHECK(!alpha.equal(0), "ZeroDivisionError: alpha cannot be 0 for CELU");
}

void check_exponent(const Tensor& self, const Scalar& exponent) {
  const bool integers = !is_floating(self.dtype()) && !exponent.is_floating();
  OW_CHECK(!integers || exponent.type() != kLong || exponent.to_long() >= 0,
           "Integers to negative integer powers are not allowed.");
  // A bool takes the exponent's type.
  if (integers ? self.dtype() != kBool : is_floating(self.dtype()))
    check_fits(exponent, self.dtype());
}

// Powers that every dtype has, because nothing is computed: of 0 and 1, in the dtype itself.
bool is_trivial_power(const Tensor& self, const Scalar& exponent) {
  const bool promotes = exponent.is_floating() && !is_floating(self.dtype());
  return !contains(dtypes::kCommon, self.dtype()) && !promotes &&
         (exponent.equal(0) || exponent.equal(1));
}

double power_of_ten(int64_t n) { return std::pow(10.0, std::fabs(static_cast<double>(n))); }

}  // namespace

Tensor positive(const Tensor& self) {
  OW_CHECK_NOT_IMPLEMENTED(self.dtype() != kBool,
                           "The `+` operator, on a bool tensor is not supported.");
  return self;
}

Tensor conj_physical(const Tensor& self) { return self; }

Tensor nan_to_num(const Tensor& self, std::optional<double> nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  if (!is_floating(self.dtype())) return opweave::clone(self);
  const double limit = dtype_info(self.dtype()).largest;
  return opweave::_nan_to_num(self, nan.value_or(0), posinf.value_or(limit),
                              neginf.value_or(-limit));
}

Tensor gelu(const Tensor& self, std::string_view approximate) {
  return gelu_form(approximate) == Gelu::kErf ? opweave::_gelu_erf(self)
                                              : opweave::_gelu_tanh(self);
}

Tensor& gelu_(Tensor& self, std::string_view approximate) {
  return gelu_form(approximate) == Gelu::kErf ? opweave::_gelu_erf_(self)
                                              : opweave::_gelu_tanh_(self);
}

Tensor div_Tensor_mode(const Tensor& self, const Tensor& other,
                       std::optional<std::string_view> rounding_mode) {
  return divide(self, other, rounding_mode);
}

Tensor div_Scalar_mode(const Tensor& self, const Scalar& other,
                       std::optional<std::string_view> rounding_mode) {
  return divide(self, other, rounding_mode);
}

Tensor clamp(const Tensor& self, const std::optional<Scalar>& min,
             const std::optional<Scalar>& max) {
  OW_CHECK(min || max, "clamp(): at least one of 'min' or 'max' must not be None");
  return opweave::_clamp(self, bound_in(self.dtype(), min, Side::kMin, max),
                         bound_in(self.dtype(), max, Side::kMax, min));
}

Tensor hardtanh(const Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  const Tensor limited = opweave::_hardtanh(self, bound_in(self.dtype(), min_val, Side::kMin),
                                            bound_in(self.dtype(), max_val, Side::kMax));
  return has_nan_limit(min_val, max_val) ? opweave::add(limited, kNan) : limited;
}

Tensor& hardtanh_(Tensor& self, const Scalar& min_val, const Scalar& max_val) {
  opweave::_hardtanh_(self, bound_in(self.dtype(), min_val, Side::kMin),
                      bound_in(self.dtype(), max_val, Side::kMax));
  return has_nan_limit(min_val, max_val) ? opweave::add_(self, kNan) : self;
}

Tensor celu(const Tensor& self, const Scalar& alpha) {
  check_celu(alpha);
  return opweave::_celu(self, alpha);
}

Tensor& celu_(Tensor& self, const Scalar& alpha) {
  check_celu(alpha);
  return opweave::_celu_(self, alpha);
}

Tensor softshrink(const Tensor& self, const Scalar& lambd) {
  const double most = dtype_info(self.dtype()).largest, given = lambd.to_double();
  OW_CHECK(given >= 0 && given <= most, "lambda must be in range [0, ", most, "] for input dtype ",
           scalar_type_name(self.dtype()), ", but found ", given);
  return opweave::_softshrink(self, lambd);
}

Tensor clamp_Tensor(const Tensor& self, const Tensor& min, const Tensor& max) {
  OW_CHECK(min.defined() || max.defined(),
           "clamp(): at least one of 'min' or 'max' must not be None");
  return opweave::_clamp(self, min, max);
}

Tensor pow_Tensor_Scalar(const Tensor& self, const Scalar& exponent) {
  check_exponent(self, exponent);
  if (self.dtype() == kBool && exponent.is_bool()) {
    return exponent.to_bool() ? opweave::clone(self) : opweave::ones_like(self);
  }
  if (is_trivial_power(self, exponent)) {
    return exponent.to_bool() ? opweave::clone(self) : opweave::ones_like(self);
  }
  return opweave::_pow_number(self, exponent);
}

Tensor& pow__Tensor_Scalar(Tensor& self, const Scalar& exponent) {
  check_exponent(self, exponent);
  return opweave::_pow_number_(self, exponent);
}

Tensor nextafter(const Tensor& self, const Tensor& other) {
  ResultType promotion;
  promotion.add(self);
  promotion.add(other);
  const ScalarType dtype = promotion.result();
  const FloatBits bits(dtype);
  const auto read = [&](const Tensor& x) {
    return opweave::view(opweave::to(x, dtype), bits.whole_numbers());
  };
  return opweave::view(opweave::_nextafter(read(self), read(other), bits.lowest(), bits.infinity()),
                       dtype);
}

Tensor round_decimals(const Tensor& self, int64_t decimals) {
  return opweave::_round_to(self, power_of_ten(decimals), decimals < 0);
}

Tensor polygamma(int64_t n, const Tensor& self) { return opweave::_polygamma(self, n); }

Tensor& polygamma_(Tensor& self, int64_t n) { return opweave::_polygamma_(self, n); }

Tensor isclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  OW_CHECK(self.dtype() == other.dtype(), scalar_type_name(self.dtype()), " did not match ",
           scalar_type_name(other.dtype()));
  OW_CHECK(rtol >= 0, "rtol must be greater than or equal to zero, but got ", rtol);
  OW_CHECK(atol >= 0, "atol must be greater than or equal to zero, but got ", atol);
  // The differences are those of floats, in which not every whole number has a place.
  if (rtol == 0 && atol == 0 && !is_floating(self.dtype())) return opweave::eq(self, other);
  return opweave::_isclose(self, other, rtol, atol, equal_nan);
}

bool allclose(const Tensor& self, const Tensor& other, double rtol, double atol, bool equal_nan) {
  return opweave::item(ops::all::call(isclose(self, other, rtol, atol, equal_nan))).to_bool();
}

}  // namespace opweave::composite

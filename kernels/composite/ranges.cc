// Creation of ranges and of the identity: shapes and dtypes here, elements by kernels of the
// target.
#include <cmath>

#include "kernels/composite/new_tensor.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/arange.h"
#include "opweave/kernels/composite/eye.h"
#include "opweave/kernels/composite/linspace.h"
#include "opweave/kernels/composite/logspace.h"
#include "opweave/kernels/composite/range.h"
#include "opweave/ops/_fill_linspace_.h"
#include "opweave/ops/_fill_range_.h"
#include "opweave/ops/pow.h"
#include "opweave/ops/to.h"
#include "runtime/rules/number.h"
#include "runtime/rules/out_size.h"

namespace opweave::composite {
namespace {

void check_bounds(const Scalar& start, const Scalar& end, const Scalar& step) {
  const double from = start.to_double(), to = end.to_double(), by = step.to_double();
  OW_CHECK(std::isfinite(by), "step must be finite but got ", step);
  OW_CHECK(by != 0, "step must be nonzero");
  OW_CHECK(std::isfinite(from) && std::isfinite(to), "unsupported range: ", start, " -> ", end);
  OW_CHECK((by > 0 && to >= from) || (by < 0 && to <= from),
           "upper bound and lower bound inconsistent with step sign: arange(", start, ", ", end,
           ", ", step, ")");
}

// Exact where all three are integers.
int64_t range_length(const Scalar& start, const Scalar& end, const Scalar& step) {
  if (!start.is_floating() && !end.is_floating() && !step.is_floating()) {
    const auto distance = static_cast<__int128>(end.to_long()) - start.to_long();
    const auto by = static_cast<__int128>(step.to_long());
    const __int128 whole = distance / by + (distance % by != 0);
    OW_CHECK(whole <= INT64_MAX, "arange(): too many elements");
    return static_cast<int64_t>(whole);
  }
  const double n = std::ceil((end.to_double() - start.to_double()) / step.to_double());
  OW_CHECK(n >= 0 && n < 0x1p63, "invalid size, possible overflow? arange(", start, ", ", end, ", ",
           step, ")");
  return static_cast<int64_t>(n);
}

// Of dtypes of whole numbers bounds are whole.
Scalar suited(const Scalar& number, ScalarType kind) {
  return is_floating(kind) ? number : Scalar(number.to_long());
}

// How many numbers there are from `start` to `end`, which counts where a step meets it.
int64_t length_with_end(const Scalar& start, const Scalar& end, const Scalar& step) {
  const double from = start.to_double(), to = end.to_double(), by = step.to_double();
  OW_CHECK(by != 0, "step must be nonzero");
  OW_CHECK((to - from) * by >= 0, "upper bound and lower bound inconsistent with step sign");
  const double n = std::floor((to - from) / by) + 1;
  OW_CHECK(n < 0x1p63, "invalid size, possible overflow? range(", start, ", ", end, ", ", step,
           ")");
  return static_cast<int64_t>(n);
}

}  // namespace

Tensor arange_start_step(const Scalar& start, const Scalar& end, const Scalar& step,
                         std::optional<ScalarType> dtype, std::optional<Layout>,
                         std::optional<Device> device, std::optional<bool> pin_memory) {
  check_bounds(start, end, step);
  const bool whole = !start.is_floating() && !end.is_floating() && !step.is_floating();
  const ScalarType kind = dtype.value_or(whole ? kLong : default_dtype());
  OW_CHECK_NOT_IMPLEMENTED(kind != kBool, "\"arange\" not implemented for 'Bool'");
  Tensor result = new_tensor({range_length(start, end, step)}, {kind, device, pin_memory});
  return opweave::_fill_range_(result, start, step);
}

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                std::optional<ScalarType> dtype, std::optional<Layout>,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  OW_CHECK(steps >= 0, "number of steps must be non-negative, got ", steps);
  Tensor result = new_tensor({steps}, {dtype, device, pin_memory});
  return opweave::_fill_linspace_(result, start, end);
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                std::optional<ScalarType> dtype, std::optional<Layout>,
                std::optional<Device> device, std::optional<bool> pin_memory) {
  OW_CHECK(steps >= 0, "number of steps must be non-negative, got ", steps);
  const ScalarType kind = dtype.value_or(default_dtype());
  if (steps == 0) return new_tensor({0}, {kind, device, pin_memory});  // whatever the numbers are
  if (steps == 1) {  // as in PyTorch, its exponent may be a fraction whatever the dtype is
    const Scalar only(std::pow(base, start.to_double()));
    check_fits(only, kind);
    return filled(new_tensor({1}, {kind, device, pin_memory}), only);
  }
  OW_CHECK_NOT_IMPLEMENTED(kind != kBool, "\"logspace_cpu\" not implemented for 'Bool'");
  check_fits(start, kind);
  check_fits(end, kind);
  Tensor exponents = new_tensor({steps}, {kDouble, device, pin_memory});
  exponents = opweave::_fill_linspace_(exponents, suited(start, kind), suited(end, kind));
  return opweave::to(ops::pow_Scalar::call(base, exponents), kind);
}

Tensor range_step(const Scalar& start, const Scalar& end, const Scalar& step,
                  std::optional<ScalarType> dtype, std::optional<Layout>,
                  std::optional<Device> device, std::optional<bool> pin_memory) {
  warn_program(
      "range is deprecated, as it is not Python's range, which ends before its end; use arange");
  OW_CHECK(std::isfinite(start.to_double()) && std::isfinite(end.to_double()),
           "unsupported range: ", start, " -> ", end);
  OW_CHECK(std::isfinite(step.to_double()), "unsupported range: step must be finite, got ", step);
  const ScalarType kind = dtype.value_or(default_dtype());
  OW_CHECK_NOT_IMPLEMENTED(kind != kBool, "\"range_cpu\" not implemented for 'Bool'");
  check_fits(start, kind);
  check_fits(end, kind);
  if (!is_floating(kind)) check_fits(step, kind);
  const Scalar from = suited(start, kind), by = suited(step, kind);
  const int64_t count = length_with_end(from, suited(end, kind), by);
  Tensor result = new_tensor({count}, {kind, device, pin_memory});
  return opweave::_fill_range_(result, from, by);
}

Tensor eye_m(int64_t n, int64_t m, std::optional<ScalarType> dtype, std::optional<Layout>,
             std::optional<Device> device, std::optional<bool> pin_memory) {
  OW_CHECK(n >= 0, "n must be greater or equal to 0, got ", n);
  OW_CHECK(m >= 0, "m must be greater or equal to 0, got ", m);
  const Tensor result = zeroed(new_tensor({n, m}, {dtype, device, pin_memory}));
  filled(make_alias(result, {std::min(n, m)}, {m + 1}, 0), 1);
  return result;
}

}  // namespace opweave::composite

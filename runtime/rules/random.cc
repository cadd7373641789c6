// Checks of random operators.
#include "runtime/rules/random.h"

namespace opweave {
namespace {

void check_floating(const char* op, const Tensor& self) {
  OW_CHECK_NOT_IMPLEMENTED(contains(dtypes::kCommonFloating, self.dtype()), "\"", op,
                           "\" not implemented for '", scalar_type_name(self.dtype()), "'");
}

}  // namespace

void check_uniform(const Tensor& self, double from, double to) {
  check_floating("uniform_", self);
  OW_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
           " > to=", to);
}

void check_normal(const Tensor& self, double std) {
  check_floating("normal_", self);
  OW_CHECK(std >= 0, "normal expects std >= 0.0, but found std ", std);
}

void check_exponential(const Tensor& self, double lambda) {
  check_floating("exponential_", self);
  OW_CHECK(lambda > 0, "exponential_ expects lambda > 0.0, but found lambda=", lambda);
}

void check_probability(double p) {
  OW_CHECK(p >= 0 && p <= 1, "bernoulli expects p to be in [0, 1], but got p=", p);
}

uint64_t check_random_range(ScalarType dtype, int64_t from, std::optional<int64_t> to) {
  const int64_t last = to ? *to - 1 : largest_counted(dtype);
  OW_CHECK(!to || from < *to, "random_ expects 'from' to be less than 'to', but got from=", from,
           " >= to=", to);
  const int64_t least = least_counted(dtype);
  const int64_t largest = is_floating(dtype) ? INT64_MAX : largest_counted(dtype);
  OW_CHECK(is_floating(dtype) || (from >= least && from <= largest), "from is out of bounds for ",
           dtype, ": ", from);
  OW_CHECK(last >= from && (is_floating(dtype) || last <= largest), "to - 1 is out of bounds for ",
           dtype, ": ", last);
  return static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
}

}  // namespace opweave

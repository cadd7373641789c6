// Values of trees in 512 bits: where a formula loses half of them, a hundred are left twice over.
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "codegen/proof/special.h"
#include "codegen/proof/tape.h"

namespace opweave::codegen {
namespace {

namespace mp = boost::multiprecision;
namespace policies = boost::math::policies;

constexpr unsigned kBits = 512;
// No power of a float64 leaves this range, nor does the exponential of what is not infinite anyhow.
constexpr int32_t kExponents = 200000;
using Backend = mp::backends::cpp_bin_float<kBits, mp::backends::digit_base_2, void, int32_t,
                                            -kExponents, kExponents>;
using Real = mp::number<Backend, mp::et_off>;

}  // namespace
}  // namespace opweave::codegen

// Before main() Boost computes what its functions of a type need, which takes 80 ms for this one;
// few commands of the generator call any. Without that, it is computed in the first call.
namespace boost::math::detail {

using opweave::codegen::Real;
struct ComputedLater {
  static void force_instantiate() {}
};
template <class Policy, class Tag>
struct erf_initializer<Real, Policy, Tag> : ComputedLater {};
template <class Policy, class Tag>
struct expm1_initializer<Real, Policy, Tag> : ComputedLater {};
template <class Policy, class Tag>
struct log1p_initializer<Real, Policy, Tag> : ComputedLater {};
template <class Policy, class Tag>
struct zeta_initializer<Real, Policy, Tag> : ComputedLater {};
template <class Policy>
struct bernoulli_initializer<Real, Policy> : ComputedLater {};
template <class Policy>
struct digamma_initializer<Real, Policy> : ComputedLater {};
template <class Policy>
struct erf_inv_initializer<Real, Policy> : ComputedLater {};
template <class Policy>
struct lgamma_initializer<Real, Policy> : ComputedLater {};
template <class Policy>
struct polygamma_initializer<Real, Policy> {
  static constexpr ComputedLater initializer{};
};

}  // namespace boost::math::detail

namespace opweave::codegen {
namespace {

// NaN and infinities instead of exceptions.
using Quiet = policies::policy<policies::domain_error<policies::ignore_error>,
                               policies::pole_error<policies::ignore_error>,
                               policies::overflow_error<policies::ignore_error>,
                               policies::evaluation_error<policies::ignore_error>>;

Real sign_of(const Real& x) { return Real(x.sign()); }

Real round_to_even(const Real& x) {
  const Real below = floor(x), rest = x - below;
  const bool up = rest > 0.5 || (rest == 0.5 && fmod(below, Real(2)) != 0);
  return up ? Real(below + 1) : below;
}

Real digamma(const Real& x) { return boost::math::digamma(x, Quiet()); }
Real erf_inverse(const Real& x) { return boost::math::erf_inv(x, Quiet()); }

Real polygamma(const Real& n, const Real& x) {
  constexpr int kMost = 100;
  // A pole, of which Boost asks whether it is even as an int64_t.
  constexpr double kFarthestPole = 1e18;
  const bool too_far = x < -kFarthestPole && x == floor(x);
  const bool known = n >= 0 && n <= kMost && n == floor(n) && !too_far;
  return known ? boost::math::polygamma(n.convert_to<int>(), x, Quiet())
               : std::numeric_limits<Real>::quiet_NaN();
}

Real trigamma(const Real& x) { return polygamma(1, x); }

// The power series, whose terms have one sign.
Real bessel_i(int order, const Real& x) {
  if (!(fabs(x) <= kLargestOfBessel)) return std::numeric_limits<Real>::quiet_NaN();
  const Real square = x * x / 4;
  Real term = order == 0 ? Real(1) : Real(x / 2), sum = 0;
  for (int k = 1; k < 100000 && sum + term != sum; ++k) {
    sum += term;
    term *= square / (k * (k + order));
  }
  return sum;
}

}  // namespace
}  // namespace opweave::codegen

// Behind the functions above.
#include "codegen/proof/values.h"

namespace opweave::codegen {

std::vector<long double> precise_values(const Tape& tape, const ElementPoint& point,
                                        Arithmetic rounding_of_arguments) {
  const auto& steps = tape.steps();
  std::vector<Real> values(steps.size());
  std::vector<long double> found;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto& [node, at] = steps[i];
    if (node->operands.empty()) {
      const long double leaf = leaf_value(*node, point);
      const bool is_argument = node->op == ElementOp::argument;
      values[i] = Real(is_argument ? rounded(leaf, rounding_of_arguments) : leaf);
    } else if (node->op == ElementOp::select) {
      values[i] = values[at[values[at[0]] != 0 ? 1 : 2]];
    } else {
      values[i] = value_of<Real>(node->op, values[at[0]], values[at[1]]);
    }
    found.push_back(values[i].convert_to<long double>());
  }
  return found;
}

}  // namespace opweave::codegen

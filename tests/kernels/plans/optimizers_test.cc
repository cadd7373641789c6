// One step of each optimizer, against its definition in double precision.
#include <doctest/doctest.h>

#include <limits>

#include "kernels/plans/optimizer_formulas.h"
#include "runtime/core/numbers/half.h"

namespace opweave::plans {
namespace {

constexpr double kP = 0.7, kG = -0.3;

TEST_CASE("before a step: the sign, and decay of the gradient or of the parameter") {
  const BeforeStep<double> before(Before{0.1, 1, true});
  CHECK(before.gradient(kG, kP) == doctest::Approx(0.3 + 0.07));
  CHECK(BeforeStep<double>(Before{0, 0.9, false}).parameter(kP) == doctest::Approx(0.63));
  // An infinite parameter is no part of a gradient without decay.
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(BeforeStep<double>(Before{}).gradient(kG, infinite) == kG);
}

TEST_CASE("gradient descent, with momentum and without") {
  double p = kP;
  PlainSgd<double>({{}, 0.1, 0, 0, false, false})(p, kG);
  CHECK(p == doctest::Approx(0.73));
  double buffer = 0.5;
  p = kP;
  MomentumSgd<double>({{}, 0.1, 0.9, 0.2, false, false})(p, kG, buffer);
  CHECK(buffer == doctest::Approx(0.9 * 0.5 + 0.8 * kG));
  CHECK(p == doctest::Approx(kP - 0.1 * buffer));
  MomentumSgd<double>({{}, 0.1, 0.9, 0.2, false, true})(p, kG, buffer);
  CHECK(buffer == kG);  // the first step
}

TEST_CASE("a buffer is rounded to the elements before it is used") {
  float p = 1, buffer = 0;
  MomentumSgd<Half>({{}, 1, 0.5, 0, false, true})(p, 0.1f, buffer);
  CHECK(buffer == static_cast<float>(Half(0.1f)));
  CHECK(p == 1 - buffer);
}

TEST_CASE("Adam, with the largest second moment and without") {
  const AdamRule rule{{}, 0.1, 0.9, 0.99, 2, 1e-8, false};
  double p = kP, mean = 0.2, square = 0.4;
  Adam<double, false>{rule}(p, kG, mean, square);
  CHECK(mean == doctest::Approx(0.9 * 0.2 + 0.1 * kG));
  CHECK(square == doctest::Approx(0.99 * 0.4 + 0.01 * kG * kG));
  CHECK(p == doctest::Approx(kP - 0.1 * mean / (std::sqrt(square) * 2 + 1e-8)));
  double largest = 9;
  p = kP;
  Adam<double, true>{rule}(p, kG, mean, square, largest);
  CHECK(largest == 9);
  CHECK(p == doctest::Approx(kP - 0.1 * mean / (3 * 2 + 1e-8)));
}

TEST_CASE("RMSprop has the states that it is asked for") {
  CHECK(Rmsprop<double, false, false>::kStates == 1);
  CHECK(Rmsprop<double, true, true>::kStates == 3);
  const RmspropRule rule{{}, 0.1, 0.9, 1e-8, 0.5, true};
  double p = kP, square = 0.4, mean = 0.2, buffer = 0.1;
  Rmsprop<double, true, true>{rule}(p, kG, square, mean, buffer);
  CHECK(mean == doctest::Approx(0.9 * 0.2 + 0.1 * kG));
  const double spread = 0.9 * 0.4 + 0.1 * kG * kG - mean * mean;
  CHECK(buffer == doctest::Approx(0.05 + kG / (std::sqrt(spread) + 1e-8)));
  CHECK(p == doctest::Approx(kP - 0.1 * buffer));
  p = kP;
  square = 0.4, buffer = 0.1;
  Rmsprop<double, false, true>{rule}(p, kG, square, buffer);
  CHECK(buffer == doctest::Approx(0.05 + kG / (std::sqrt(square) + 1e-8)));
}

TEST_CASE("Rprop steps back no further than it may, and not at a turn") {
  const RpropRule rule{{}, 0.5, 1.2, 1e-6, 0.1};
  double p = kP, before = 0.2, size = 0.04;
  Rprop<double>{rule}(p, kG, before, size);
  CHECK(size == doctest::Approx(0.02));
  CHECK(p == kP);
  CHECK(before == 0);
  Rprop<double>{rule}(p, kG, before, size);
  CHECK(p == doctest::Approx(kP + 0.02));
}

TEST_CASE("the others") {
  double p = kP, a = 0.2, b = 0.4;
  Adagrad<double>({{}, 0.1, 1e-8})(p, kG, a);
  CHECK(p == doctest::Approx(kP - 0.1 * kG / (std::sqrt(0.2 + kG * kG) + 1e-8)));
  p = kP, a = 0.2;
  Adadelta<double>({{}, 1, 0.9, 1e-6})(p, kG, a, b);
  const double delta = std::sqrt(0.4 + 1e-6) / std::sqrt(0.9 * 0.2 + 0.1 * kG * kG + 1e-6) * kG;
  CHECK(p == doctest::Approx(kP - delta));
  CHECK(b == doctest::Approx(0.9 * 0.4 + 0.1 * delta * delta));
  p = kP, a = 0.2, b = 0.4;
  Adamax<double>({{}, 0.1, 0.9, 0.5, 1e-8})(p, kG, a, b);
  CHECK(b == doctest::Approx(0.3));
  CHECK(p == doctest::Approx(kP - 0.1 * (0.18 - 0.03) / b));
  p = kP, a = 0.5;
  Asgd<double>({{}, 0.1, 0.25})(p, kG, a);
  CHECK(p == doctest::Approx(0.73));
  CHECK(a == doctest::Approx(0.5 + 0.25 * 0.23));
  p = kP, a = 0.2, b = 0.4;
  Moments<double, false, false>({{}, 0.9, 0.99, 0, 0.5, 1, 1e-8, false})(p, kG, a, b);
  CHECK(p == doctest::Approx(kP - 0.5 * (0.9 * 0.2 + 0.1 * kG)));
}

}  // namespace
}  // namespace opweave::plans

// Proofs of equality, and values in numbers.
#include "codegen/proof/equality.h"

#include <doctest/doctest.h>

#include <cmath>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/proof/evaluate.h"
#include "codegen/proof/special.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

const std::string kArguments = "(Tensor x, Tensor y, *, Scalar a=1, str mode='p', Scalar? z=None)";

std::string entry(const std::string& name, const std::string& expr) {
  const bool complex = expr.find("conj") != std::string::npos;
  return "- func: " + name + kArguments + " -> Tensor\n  expr: \"" + expr +
         "\"\n  differentiable: false\n" + (complex ? "  dtypes: [floating, complex]\n" : "");
}

// Both trees in one arena.
struct Pair {
  Pair(const std::string& f, const std::string& g)
      : loaded(entry("f", f) + entry("g", g)),
        a(ElementCopier(arena, Simplify::no).copy(*loaded.op("f").elements->expr)),
        b(ElementCopier(arena, Simplify::no).copy(*loaded.op("g").elements->expr)) {}
  Loaded loaded;
  ElementArena arena;
  const ElementNode *a, *b;
};

Equality compared(const std::string& f, const std::string& g) {
  Pair pair(f, g);
  return prove_equal(*pair.a, *pair.b, pair.arena);
}

bool equal(const std::string& f, const std::string& g) {
  CAPTURE(f);
  CAPTURE(g);
  return compared(f, g).how == Equality::How::everywhere;
}

TEST_CASE("conjugates of sums and products are those of their parts") {
  CHECK(equal("conj(conj(x))", "x"));
  CHECK(equal("conj(x + 2 * y)", "conj(x) + 2 * conj(y)"));
  CHECK(equal("conj(x * y) * x", "conj(y) * conj(x) * x"));
  CHECK(equal("conj(x * conj(y))", "conj(x) * y"));
  CHECK(equal("conj(exp(x)) * conj(y)", "conj(exp(x) * y)"));
  CHECK(compared("conj(x / y)", "conj(x) / conj(y)").how != Equality::How::not_proved);
  CHECK_FALSE(equal("conj(x) * y", "x * conj(y)"));
  CHECK_FALSE(equal("conj(x)", "x"));
}

TEST_CASE("algebra of polynomials and quotients") {
  CHECK(equal("(x + y) * (x - y)", "x * x - y * y"));
  CHECK(equal("pow(x + 1, 3)", "x * x * x + 3 * square(x) + 3 * x + 1"));
  CHECK(equal("1 / x - 1 / (x + 1)", "1 / (x * (x + 1))"));
  CHECK(equal("reciprocal(x) / y", "1 / (y * x)"));
  CHECK(equal("0.1 * x + 0.2 * x", "0.3 * x"));
  CHECK_FALSE(equal("(x + y) * (x - y)", "x * x + y * y"));
  CHECK_FALSE(equal("x / y", "y / x"));
  CHECK_FALSE(equal("x", "1.0001 * x"));
}

TEST_CASE("exponentials, logarithms and powers") {
  CHECK(equal("sigmoid(x)", "1 - sigmoid(-x)"));
  CHECK(equal("sigmoid(x - y)", "exp(x) / (exp(x) + exp(y))"));
  CHECK(equal("tanh(x)", "2 * sigmoid(2 * x) - 1"));
  CHECK(equal("cosh(x) * cosh(x) - sinh(x) * sinh(x)", "1"));
  CHECK(equal("exp(x + y)", "exp(x) * exp(y)"));
  CHECK(equal("expm1(x)", "exp(x) - 1"));
  CHECK(equal("exp2(x)", "exp(x * 0.6931471805599453)"));
  CHECK(equal("log2(x)", "log(x) / 0.6931471805599453"));
  CHECK(equal("log10(x)", "log(x) * 0.4342944819032518"));
  CHECK(equal("log1p(x)", "log(x + 1)"));
  CHECK(equal("exp(-x - 2 * y)", "1 / (exp(x) * exp(y) * exp(y))"));
  CHECK(equal("x > 0 ? pow(x, y - 1) : 0", "x > 0 ? pow(x, y) / x : 0"));
  CHECK(equal("exp(-(x / (1 + y * y)))", "1 / exp(x / (y * y + 1))"));
  CHECK(equal("erfc(x)", "1 - erf(x)"));
  CHECK_FALSE(equal("exp(x * y)", "exp(x) * exp(y)"));
  CHECK_FALSE(equal("tanh(x)", "2 * sigmoid(x) - 1"));
}

TEST_CASE("roots and sines") {
  CHECK(equal("sqrt(x * x + 1) * sqrt(x * x + 1)", "x * x + 1"));
  CHECK(equal("x * rsqrt(x)", "sqrt(x) * (x / x)"));
  CHECK(equal("rsqrt(x) * rsqrt(x) * rsqrt(x)", "1 / (x * sqrt(x))"));
  CHECK(equal("pow(x, 0.5) * pow(x, 1.5)", "sqrt(x) * sqrt(x) * x"));
  CHECK(equal("hypot(x, y) * hypot(x, y)", "x * x + y * y"));
  CHECK(equal("sin(x) * sin(x) + cos(x) * cos(x)", "1"));
  CHECK(equal("1 + tan(x) * tan(x)", "1 / (cos(x) * cos(x))"));
  CHECK_FALSE(equal("sin(x) * sin(x)", "cos(x) * cos(x)"));
}

TEST_CASE("conditions are decided in every way, and alike on both sides") {
  CHECK(equal("abs(x)", "x * sign(x)"));
  CHECK(equal("max(x, y)", "(x + y + abs(x - y)) / 2"));
  CHECK(equal("min(x, y) + max(x, y)", "x + y"));
  CHECK(equal("relu(x) - relu(-x)", "x"));
  CHECK(equal("x > y ? x : y", "y >= x ? y : x"));
  CHECK(equal("(x > 0) * x", "x < 0 ? 0 : x"));
  CHECK(equal("2 * x > 0 ? 1 : y", "-x < 0 ? 1 : y"));
  CHECK(equal("x > 0 && y > 0 ? 1 : 0", "!(x <= 0 || y <= 0)"));
  CHECK(equal("mode == 'p' ? x : y", "mode != 'p' ? y : x"));
  CHECK(equal("z == none ? x : z", "z != none ? z : x"));
  CHECK(equal("isinf(x) || isnan(y) ? 7 : x", "isfinite(x) ? x : y"));
  CHECK(equal("x == y ? 7 : x", "x"));  // equal elements are single points
  CHECK(equal("a == 0 ? x : y", "a != 0 ? y : x"));
  CHECK(equal("3 > 2 ? x : y", "x"));
  CHECK(equal("fmod(x, y)", "x - trunc_div(x, y) * y"));
  CHECK(equal("x % y", "x - floor_div(x, y) * y"));
  CHECK_FALSE(equal("a == 2 ? x : y", "y"));  // parameters often are
  CHECK_FALSE(equal("x > 0 ? x : y", "x < 0 ? x : y"));
  CHECK_FALSE(equal("abs(x)", "x"));
  CHECK_FALSE(equal("mode == 'p' ? x : y", "mode == 'q' ? x : y"));
}

bool equal_where_finite(const std::string& f, const std::string& g) {
  CAPTURE(f);
  CAPTURE(g);
  return compared(f, g).how == Equality::How::where_finite;
}

TEST_CASE("a rewrite that changes where it is finite is no equality") {
  CHECK(equal_where_finite("exp(log(x))", "x"));
  CHECK(equal_where_finite("sqrt(x) * sqrt(x)", "x"));
  CHECK(equal_where_finite("pow(pow(x, 0.5), 2)", "x"));
  CHECK(equal_where_finite("x + 0 * log(x - 100)", "x"));
  CHECK(equal_where_finite("x * (log(x - 1000) / log(x - 1000))", "x"));
  CHECK(equal_where_finite("x * x / x", "x"));
  CHECK(equal_where_finite("x * rsqrt(x)", "sqrt(x)"));
  CHECK(equal_where_finite("pow(x, 0.5) * pow(x, 1.5)", "x * x"));
  CHECK(equal_where_finite("pow(x, y - 1)", "pow(x, y) / x"));
  CHECK(equal_where_finite("pow(x, y)", "exp(y * log(x))"));
  CHECK(equal_where_finite("exp(-log(x))", "1 / x"));
  CHECK(equal_where_finite("log(x * y)", "log(x * y) + 0 * log(x)"));
  CHECK(equal_where_finite("x + 0 * asin(x)", "x"));
  CHECK(equal_where_finite("x + 0 * acosh(x)", "x"));
  CHECK(equal_where_finite("x + 0 * atanh(x)", "x"));
  CHECK(equal_where_finite("x + 0 * lgamma(x)", "x"));
  CHECK(equal_where_finite("x + 0 * tan(x)", "x"));
  CHECK(equal_where_finite("x + 0 * fmod(x, y)", "x"));
  CHECK(equal_where_finite("max(log(x), -100) * 0 + y", "y"));
  CHECK(equal_where_finite("x == 1 ? 3 : 1 / (x - 1)", "1 / (x - 1)"));
  const Equality found = compared("exp(log(x))", "x");
  CHECK(found.first_not_finite != nullptr);
  CHECK(found.second_not_finite == nullptr);
}

TEST_CASE("and what is nowhere finite is equal to nothing") {
  CHECK_FALSE(compared("x + 0 / (x - x)", "x").how != Equality::How::not_proved);
  CHECK_FALSE(compared("x + log(-1 - x * x) - log(-1 - x * x)", "x").how !=
              Equality::How::not_proved);
  CHECK_FALSE(compared("log(-1 - x * x)", "log(-2 - x * x)").how != Equality::How::not_proved);
}

TEST_CASE("conditions may be what keeps it finite") {
  CHECK(equal("x > 0 ? log(x) : 0", "x <= 0 ? 0 : 2 * log(x) - log(x)"));
  CHECK(equal("x > 0 ? exp(log(x)) : x", "x"));
  CHECK(equal("x == 0 ? 1 : x / x", "1"));
  CHECK(equal("x == y ? 0 : (x - y) / (x - y)", "x != y ? 1 : 0"));
  CHECK(equal("x > 100 ? x + 0 * log(x) : x", "x"));
  CHECK(equal("log1p(exp(-abs(x)))", "log(1 + exp(-max(x, -x)))"));
  CHECK(equal("log(x) > 0 ? 1 : 2", "!(log(x) > 0) ? 2 : 1"));
  CHECK_FALSE(equal("log(x) > 0 ? 1 : 2", "log(x) <= 0 ? 2 : 1"));
  CHECK(equal("isfinite(log(x)) ? x : 0", "isfinite(log(2 * x)) ? x : 0"));
  CHECK(equal("a == 2 ? x * x : pow(x, a)", "pow(x, a)"));
  CHECK(equal("1 / (x * x - 1)", "1 / ((x - 1) * (x + 1))"));
  CHECK(equal("rsqrt(1 - x * x)", "1 / sqrt((1 - x) * (1 + x))"));
}

TEST_CASE("single points where conditions turn are told apart") {
  CHECK(compared("x > 0 ? x : -x", "abs(x)").but_at_kinks == false);
  CHECK(compared("x > 0 ? 1 : -1", "sign(x)").but_at_kinks);
  CHECK(compared("x == y ? 7 : x", "x").but_at_kinks);
  CHECK(compared("x >= y ? 1 : 0", "x > y ? 1 : 0").but_at_kinks);
}

TEST_CASE("what is beyond it is not proved, and soon") {
  CHECK_FALSE(equal("lgamma(x + 1)", "lgamma(x) + log(x)"));
  CHECK_FALSE(equal("x / (y - y)", "x"));
  CHECK_FALSE(equal("pow(x + y + a, 16)", "pow(y + x + a, 15) * (x + y + 1)"));
}

TEST_CASE("values come with a bound of their error") {
  const Pair pair("(x + 1e10) - 1e10", "x > y ? sqrt(x) : floor(y)");
  ElementPoint point{.arguments = {0.3L, 0.2L, 1, 0, 0}};
  const Evaluated a = Evaluator(point).evaluate(*pair.a);
  CHECK(std::fabs(static_cast<double>(a.value) - 0.3) <= static_cast<double>(a.error));
  CHECK(a.error > 1e-12L);
  CHECK(a.error < 1e-6L);
  Evaluator left(point);
  CHECK(static_cast<double>(left.evaluate(*pair.b).value) == doctest::Approx(std::sqrt(0.3)));
  point.arguments[1] = 0.4L;
  Evaluator right(point);
  CHECK(right.evaluate(*pair.b).value == 0);
  CHECK(left.way() != right.way());
}

double value_at(const std::string& expr, long double x, long double y) {
  const Pair pair(expr, expr);
  const ElementPoint point{.arguments = {x, y, 2, 0, 0},
                           .given = {true, true, true, true, false},
                           .texts = {"", "", "", "p", ""}};
  return static_cast<double>(Evaluator(point).evaluate(*pair.a).value);
}

TEST_CASE("operations in numbers") {
  CHECK(value_at("exp2(x) + expm1(y)", 3, 0) == 8);
  CHECK(value_at("log2(x) + log10(y) + log1p(x - x)", 8, 100) == doctest::Approx(5));
  CHECK(value_at("ceil(x) + round(y) + trunc(x)", 1.2L, 2.6L) == 6);
  CHECK(value_at("rsqrt(x) + reciprocal(y) + square(x)", 4, 2) == 17);
  CHECK(value_at("asin(x) + acos(x)", 0.3L, 0) == doctest::Approx(1.5707963267948966));
  CHECK(value_at("sinh(asinh(x)) + cosh(acosh(y)) + tanh(atanh(x))", 0.5L, 2) ==
        doctest::Approx(3));
  CHECK(value_at("atan(x) - atan2(x, y - y + 1)", 0.7L, 2) == doctest::Approx(0));
  CHECK(value_at("erf(erfinv(x)) + erfc(y)", 0.5L, 0) == doctest::Approx(1.5));
  CHECK(value_at("x % y + fmod(x, y)", -1, 3) == 1);
  CHECK(value_at("floor_div(x, y) + trunc_div(x, y)", -7, 2) == -7);
  CHECK(value_at("copysign(x, y) + sign(y) + relu(y)", 3, -2) == -4);
  CHECK(value_at("max(x, y) * min(x, y) + hypot(x, y)", 3, 4) == 17);
  CHECK(value_at("isnan(x) || isinf(y) || !isfinite(x) ? 1 : 2", 3, 4) == 2);
  CHECK(value_at("x <= 3 && y >= 4 && x != y ? pow(x, 2) : 0", 3, 4) == 9);
  CHECK(value_at("z == none && mode == 'p' ? a : x", 3, 4) == 2);
  CHECK(std::isnan(value_at("max(log(x), y)", -1, 4)));
}

TEST_CASE("functions that the C library lacks") {
  CHECK(static_cast<double>(digamma(1)) == doctest::Approx(-0.5772156649015329));
  CHECK(static_cast<double>(digamma(-0.5L)) == doctest::Approx(0.03648997397857652));
  CHECK(static_cast<double>(trigamma(1)) == doctest::Approx(1.6449340668482264));
  CHECK(static_cast<double>(trigamma(-0.5L)) == doctest::Approx(8.934802200544679));
  CHECK(std::isnan(digamma(-2)));
  CHECK(std::isinf(trigamma(0)));
  for (long double x : {-0.99L, -0.3L, 0.0L, 0.5L, 0.999L}) {
    CHECK(static_cast<double>(std::erf(erf_inverse(x)) - x) == doctest::Approx(0));
  }
  CHECK(static_cast<double>(bessel_i(0, 2.5L)) == doctest::Approx(3.2898391440501231));
  CHECK(static_cast<double>(bessel_i(1, -2.5L)) == doctest::Approx(-2.5167162452886984));
  CHECK(std::isnan(bessel_i(1, std::numeric_limits<long double>::quiet_NaN())));
  CHECK(std::isinf(erf_inverse(1)));
  CHECK(std::isnan(erf_inverse(1.5L)));
}

}  // namespace
}  // namespace opweave::codegen

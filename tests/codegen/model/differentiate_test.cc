// Symbolic derivatives: against differences for every intrinsic, and their simplified form.
#include "codegen/expr/differentiate.h"

#include <doctest/doctest.h>

#include "codegen/expr/element_print.h"
#include "tests/codegen/support/evaluate.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

// A tree over the arguments x and y that outlives the model it came from.
struct Tree {
  explicit Tree(const std::string& expr)
      : loaded("- func: f(Tensor x, Tensor y, *, Scalar a=1) -> Tensor\n  expr: \"" + expr +
               "\"\n  differentiable: false\n"),
        root(loaded.op("f").elements->expr) {}
  // The trees of one model and their derivatives live in different arenas: leaves are looked up by
  // index, so that is no harm.
  std::string derivative(uint16_t argument) {
    ElementDerivative derived = differentiator.differentiate(*root, argument);
    return derived.gradient ? print(*derived.gradient, {"x", "y", "a"}) : "none";
  }

  Loaded loaded;
  Node root;
  ElementArena arena;
  Differentiator differentiator{arena};
};

std::string dx(const std::string& expr) { return Tree(expr).derivative(0); }
std::string dy(const std::string& expr) { return Tree(expr).derivative(1); }

// Points within the domain of each function, away from kinks.
std::vector<double> points_of(const Intrinsic& function) {
  switch (function.domain) {
    case IntrinsicDomain::unit:
      return {-0.7, 0.1, 0.6};
    case IntrinsicDomain::above_one:
      return {1.3, 2.7};
    case IntrinsicDomain::positive:
      return {0.3, 1.4, 2.6};
    case IntrinsicDomain::real:
      break;
  }
  return {-1.3, 0.4, 2.2};
}

void check_against_difference(const std::string& expr, double x, double y, uint16_t argument) {
  CAPTURE(expr);
  CAPTURE(x);
  CAPTURE(y);
  Tree tree(expr);
  ElementDerivative derived = tree.differentiator.differentiate(*tree.root, argument);
  REQUIRE(derived.gradient);
  Values at{.arguments = {x, y, 1.0}, .grad = 1.5};
  at.result = evaluate(*tree.root, at);
  Values low = at, high = at;
  double h = 1e-5;
  low.arguments[argument] -= h;
  high.arguments[argument] += h;
  double difference = (evaluate(*tree.root, high) - evaluate(*tree.root, low)) / (2 * h);
  CHECK(evaluate(*derived.gradient, at) == doctest::Approx(1.5 * difference).epsilon(1e-4));
}

TEST_CASE("every intrinsic's derivative agrees with differences") {
  int checked = 0;
  for (const Intrinsic& intrinsic : intrinsics()) {
    bool has_derivative = !intrinsic.derivatives[0].empty();
    if (!has_derivative || intrinsic.result != ElementType::value) continue;
    std::string name(intrinsic.name);
    bool binary = intrinsic.arity == 2;
    std::string expr = name.empty() ? "x " + std::string(intrinsic.symbol) + " y"
                       : binary     ? name + "(x, y)"
                                    : name + "(x)";
    for (double x : points_of(intrinsic)) {
      for (double y : binary ? std::vector<double>{0.9, 1.7} : std::vector<double>{1}) {
        check_against_difference(expr, x, y, 0);
        if (binary) check_against_difference(expr, x, y, 1);
      }
    }
    ++checked;
  }
  CHECK(checked > 45);
}

TEST_CASE("compositions agree with differences") {
  for (double x : {-1.3, 0.4, 2.2}) {
    for (double y : {-0.8, 0.7}) {
      for (std::string expr :
           {"x * sigmoid(x)", "0.5 * x * (1 + erf(x * 0.7071067811865476))",
            "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))",
            "log1p(exp(x)) / (y * y + 1)", "x > y ? x * y : y / (x * x + 1)", "tanh(x) * tanh(x)",
            "max(x * y, x + y) - min(x, 2)", "abs(x - y) * sign(y)", "-(x / y) / y",
            "exp(-(x - y) * (x - y)) * sqrt(x * x + 1)", "atan2(x, y) + hypot(x, y)",
            "x * tanh(log1p(exp(x)))"}) {
        check_against_difference(expr, x, y, 0);
        check_against_difference(expr, x, y, 1);
      }
    }
  }
}

TEST_CASE("derivatives are simplified") {
  CHECK(dx("x + y") == "grad");
  CHECK(dy("x - y") == "-grad");
  CHECK(dx("x * y") == "grad * y");
  CHECK(dx("x * x") == "grad * (2 * x)");
  CHECK(dx("3 * (2 * x)") == "6 * grad");
  CHECK(dx("x / 2") == "0.5 * grad");
  CHECK(dx("x / y") == "grad / y");
  CHECK(dx("pow(x, 1)") == "grad");
  CHECK(dx("pow(x, 2)") == "grad * (2 * x)");
  CHECK(dx("pow(x, 0)") == "0");
  CHECK(dx("x - x") == "0");
  CHECK(dx("log(x)") == "grad / x");
  CHECK(dx("x + a * y") == "grad");
  CHECK(dy("x + a * y") == "grad * a");
}

TEST_CASE("steps have derivative zero") {
  CHECK(dx("floor(x)") == "0");
  CHECK(dx("x > y ? 1 : 2") == "0");
  CHECK(dx("(x > 0) * y") == "0");
  CHECK(dx("floor_div(x, y)") == "0");
}

TEST_CASE("kinks and ties follow PyTorch") {
  CHECK(dx("abs(x)") == "grad * sign(x)");
  CHECK(dx("max(x, y)") == "(x == y) ? (0.5 * grad) : ((x < y) ? 0 : grad)");
  CHECK(dx("x < y ? y : x") == "(x < y) ? 0 : grad");
  CHECK(dx("pow(x, y)") == "(y == 0) ? 0 : (grad * (y * pow(x, y - 1)))");
}

TEST_CASE("results are used where that saves less") {
  CHECK(dx("exp(x)") == "grad * result");
  CHECK(dx("tanh(x)") == "grad * (1 - (result * result))");
  CHECK(dx("sigmoid(x)") == "grad * ((1 - result) * result)");
  CHECK(dx("sqrt(x)") == "grad * (0.5 / result)");
  CHECK(dx("relu(x)") == "(result <= 0) ? 0 : grad");
  // Here both would have to be kept.
  CHECK(dx("x * exp(x)").find("result") == std::string::npos);
  // Not a result but a part of one.
  CHECK(dx("exp(x) + y") == "grad * exp(x)");
}

TEST_CASE("zero branches stay zero whatever the other factor is") {
  CHECK(dx("log1p(relu(x))") == "(relu(x) <= 0) ? 0 : (grad / (relu(x) + 1))");
}

TEST_CASE("what has no derivative says so") {
  Tree tree("x * polygamma(y, 2)");
  CHECK(tree.derivative(0) == "grad * polygamma(y, 2)");
  CHECK(tree.derivative(1) == "none");
  CHECK(tree.differentiator.differentiate(*tree.root, 1).obstacle == ElementOp::polygamma);
}

TEST_CASE("polygamma is its own derivative, of the next order") {
  CHECK(dx("lgamma(x)") == "grad * digamma(x)");
  CHECK(dx("i0(x)") == "grad * i1(x)");
  CHECK(dx("digamma(x)") == "grad * polygamma(1, x)");
  CHECK(dx("trigamma(x)") == "grad * polygamma(2, x)");
  CHECK(dx("polygamma(3, x)") == "grad * polygamma(4, x)");
}

}  // namespace
}  // namespace opweave::codegen

// Typing of pointwise expressions, dtype rules, and inlining.
#include <doctest/doctest.h>

#include "codegen/expr/element_print.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

// The tree of `f(arguments) -> Tensor` with this expression, as text.
std::string tree_of(const std::string& arguments, const std::string& expr,
                    const std::string& others = "") {
  Loaded loaded(others + "- func: f(" + arguments + ") -> Tensor\n  expr: \"" + expr + "\"\n");
  const Operator& op = loaded.op("f");
  return print(*op.elements->expr, argument_names(op));
}

struct Rules {
  Promotion promotion;
  std::vector<ElementArgument> arguments;
};

Rules rules_of(const std::string& arguments, const std::string& expr) {
  Loaded loaded("- func: f(" + arguments + ") -> Tensor\n  expr: \"" + expr + "\"\n");
  return {loaded.op("f").elements->promotion, loaded.op("f").elements->arguments};
}

TEST_CASE("values and truth values convert where they are needed") {
  CHECK(tree_of("Tensor self", "self && true") == "(self != 0) && true");
  CHECK(tree_of("Tensor self", "(self > 0) * self") == "((self > 0) ? 1 : 0) * self");
  CHECK(tree_of("Tensor self", "self ? 1 : self") == "(self != 0) ? 1 : self");
  CHECK(tree_of("Tensor self, bool b", "b ? self : -2") == "b ? self : (-2)");
  CHECK(tree_of("Tensor self", "self + true") == "self + 1");
  CHECK(tree_of("Tensor self", "(self > 0) & (self < 1)") == "(self > 0) && (self < 1)");
  CHECK(tree_of("Tensor self", "self & 1") == "self & 1");
  CHECK(tree_of("Tensor self", "isnan(self) ^ (self > 0)") ==
        "(isnan(self) ? 1 : 0) != ((self > 0) ? 1 : 0)");
}

TEST_CASE("methods and where are calls") {
  CHECK(tree_of("Tensor self", "self.exp()") == "exp(self)");
  CHECK(tree_of("Tensor self", "where(self, 1, 2)") == "(self != 0) ? 1 : 2");
}

TEST_CASE("parameters are compared with strings and none") {
  CHECK(tree_of("Tensor self, str mode", "mode == 'a' ? self : -self") ==
        "(mode == 'a') ? self : (-self)");
  CHECK(tree_of("Tensor self, str mode", "'a' != mode ? 1 : self") ==
        "(!(mode == 'a')) ? 1 : self");
  CHECK(tree_of("Tensor self, Scalar? min=None", "min != none ? max(self, min) : self") ==
        "(min != none) ? max(self, min) : self");
}

TEST_CASE("the compute type follows from the operations") {
  CHECK(rules_of("Tensor self, Tensor other", "self + other").promotion.compute ==
        ComputeRule::common);
  CHECK(rules_of("Tensor self", "2 * self").promotion.compute == ComputeRule::common);
  CHECK(rules_of("Tensor self", "0.5 * self").promotion.compute == ComputeRule::int_to_float);
  CHECK(rules_of("Tensor self", "floor(self)").promotion.compute == ComputeRule::common);
  CHECK(rules_of("Tensor self", "exp(self)").promotion.compute == ComputeRule::int_to_float);
  CHECK(rules_of("Tensor self", "self / 2").promotion.compute == ComputeRule::int_to_float);
  CHECK(rules_of("Tensor self, float eps", "self + eps").promotion.compute ==
        ComputeRule::int_to_float);
  CHECK(rules_of("Tensor self", "self > 0").promotion.result == ResultRule::boolean);
  CHECK(rules_of("Tensor self", "exp(self) > 1").promotion.compute == ComputeRule::int_to_float);
}

TEST_CASE("what promotes") {
  auto add =
      rules_of("Tensor self, Scalar other, *, Scalar alpha=1", "self + alpha * other").arguments;
  CHECK(add[0].promotes);
  CHECK(add[1].promotes);
  CHECK_FALSE(add[2].promotes);
  CHECK(add[2].used);
  auto where =
      rules_of("Tensor condition, Tensor self, Tensor other", "condition ? self : other").arguments;
  CHECK(where[0].as_boolean);
  CHECK_FALSE(where[0].promotes);
  CHECK(where[1].promotes);
  auto both = rules_of("Tensor self", "self ? self : 1").arguments;
  CHECK_FALSE(both[0].as_boolean);
  CHECK(both[0].promotes);
  auto unused = rules_of("Tensor self, Tensor like", "-self").arguments;
  CHECK_FALSE(unused[1].used);
}

TEST_CASE("the entry overrides dtype rules") {
  Loaded loaded(
      "- func: f(Tensor self, Tensor other) -> Tensor\n"
      "  expr: self + other\n"
      "  promotion: none\n"
      "  promotes: [other]\n"
      "- func: g(Tensor self) -> Tensor\n"
      "  expr: ~self\n");
  CHECK(loaded.op("f").elements->promotion.compute == ComputeRule::first);
  CHECK_FALSE(loaded.op("f").elements->arguments[0].promotes);
  CHECK(loaded.op("f").elements->arguments[1].promotes);
  CHECK(loaded.op("g").selected->dtypes.contains(kBool));
  CHECK_FALSE(loaded.op("g").selected->dtypes.contains(kFloat));
  CHECK(loaded.op("g").gradient->differentiability == Differentiability::none);
}

TEST_CASE("calls of pointwise operators are inlined") {
  const std::string gelu =
      "- func: gelu(Tensor self, *, str approximate='none') -> Tensor\n"
      "  expr: \"approximate == 'tanh' ? tanh(self) : erf(self)\"\n"
      "- func: clip(Tensor self, Scalar? min=None) -> Tensor\n"
      "  expr: \"min != none ? max(self, min) : self\"\n"
      "- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
      "  expr: self + alpha * other\n";
  CHECK(tree_of("Tensor self", "gelu(2 * self)", gelu) == "erf(2 * self)");
  CHECK(tree_of("Tensor self", "self.gelu(approximate='tanh')", gelu) == "tanh(self)");
  CHECK(tree_of("Tensor self, str mode", "gelu(self, approximate=mode)", gelu) ==
        "(mode == 'tanh') ? tanh(self) : erf(self)");
  CHECK(tree_of("Tensor self", "clip(self)", gelu) == "self");
  CHECK(tree_of("Tensor self", "clip(self, 3)", gelu) == "max(self, 3)");
  CHECK(tree_of("Tensor self, Scalar? low", "clip(self, low)", gelu) ==
        "(low != none) ? max(self, low) : self");
  CHECK(tree_of("Tensor self", "add(self, 1, alpha=2)", gelu) == "self + (2 * 1)");
}

TEST_CASE("an overload may call another of its name") {
  Loaded loaded(
      "- func: twice.Tensor(Tensor self, Tensor by) -> Tensor\n"
      "  expr: self * by * by\n"
      "- func: twice.Scalar(Tensor self, Scalar by) -> Tensor\n"
      "  expr: twice(self, by)\n");
  const Operator& op = loaded.op("twice.Scalar");
  CHECK(print(*op.elements->expr, argument_names(op)) == "(self * by) * by");
}

TEST_CASE("equal subexpressions are one node") {
  Loaded loaded("- func: f(Tensor self) -> Tensor\n  expr: exp(self) * exp(self)\n");
  const ElementNode& root = *loaded.op("f").elements->expr;
  CHECK(&root.operand(0) == &root.operand(1));
  CHECK_FALSE(root.uniform);
}

}  // namespace
}  // namespace opweave::codegen

// Mutants: which mistakes are made, and that nothing of them shows unless they were asked for.
#include "codegen/report/mutants.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "codegen/emit/output/emit.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

using Texts = std::set<std::string>;

Loaded with_mutants(std::string ops, std::string derivatives = "") {
  Inputs inputs;
  inputs.mutants = true;
  inputs.ops.push_back({"ops.yaml", std::move(ops)});
  if (!derivatives.empty())
    inputs.derivatives.push_back({"derivatives.yaml", std::move(derivatives)});
  return Loaded(std::move(inputs));
}

Texts changes(const Loaded& loaded, std::string_view op, std::string_view where) {
  Texts texts;
  for (const Mutant& mutant : loaded.model->mutants().of(loaded.op(op))) {
    if (mutant.where == where) texts.insert(mutant.change);
  }
  return texts;
}

Texts of_expression(const std::string& expr, const std::string& dtypes = "") {
  const Loaded loaded = with_mutants("- func: f(Tensor x, Tensor y) -> Tensor\n  expr: \"" + expr +
                                     "\"\n  differentiable: false\n" +
                                     (dtypes.empty() ? "" : "  dtypes: " + dtypes + "\n"));
  return changes(loaded, "f", "expr");
}

constexpr const char* kOperators =
    "- func: mul(Tensor self, Tensor other) -> Tensor\n"
    "  expr: self * other\n"
    "- func: sub(Tensor self, Tensor other) -> Tensor\n"
    "  expr: self - other\n"
    "- func: neg(Tensor self) -> Tensor\n"
    "  expr: -self\n"
    "- func: turn(Tensor self, int dim0, int dim1, bool back=False) -> Tensor\n"
    "  kernels: [cpu]\n";
constexpr const char* kTurn =
    "- name: turn\n"
    "  self: turn(grad, dim0, dim1, true)\n";

TEST_CASE("signs, terms and the order of arguments of expressions") {
  CHECK(of_expression("x - y") ==
        Texts{"x - y -> x + y", "x - y -> y - x", "x - y -> x", "x - y -> -(x - y)"});
  CHECK(of_expression("x * exp(y)") ==
        Texts{"x * exp(y) -> x", "x * exp(y) -> exp(y)", "x * exp(y) -> -(x * exp(y))"});
  CHECK(of_expression("pow(x, 2)") ==
        Texts{"pow(x, 2) -> pow(2, x)", "2 -> -2", "pow(x, 2) -> -pow(x, 2)"});
}

TEST_CASE("conditions are turned round, and a truth value has no sign") {
  CHECK(of_expression("x < y") == Texts{"x < y -> y < x"});
  CHECK(of_expression("x == y || isnan(x)") == Texts{"x == y -> x != y",
                                                     "(x == y) || isnan(x) -> x == y",
                                                     "(x == y) || isnan(x) -> isnan(x)"});
  CHECK(of_expression("x > y ? x : y") == Texts{"x > y -> y > x",
                                                "(x > y) ? x : y -> (x > y) ? y : x",
                                                "(x > y) ? x : y -> -((x > y) ? x : y)"});
}

TEST_CASE("a conjugate is forgotten where there is one") {
  CHECK(of_expression("conj(x) * y", "[all, complex]").contains("conj(x) -> x"));
  CHECK_FALSE(of_expression("conj(x) * y").contains("conj(x) -> x"));
}

TEST_CASE("operations of two values, with what they do not commute or one of them alone") {
  CHECK(of_expression("max(x, y)").contains("max(x, y) -> x"));
  CHECK(of_expression("x % y").contains("x % y -> y % x"));
  CHECK(of_expression("x & ~y") ==
        Texts{"x & (~y) -> x", "x & (~y) -> ~y", "~y -> y", "x & (~y) -> -(x & (~y))"});
  CHECK(of_expression("!(x == y)") == Texts{"x == y -> x != y", "!(x == y) -> x == y"});
  CHECK(of_expression("x != y") == Texts{"x != y -> x == y"});
  CHECK(of_expression("x / y").contains("x / y -> y / x"));
}

TEST_CASE("zero has no sign, and what commutes is not swapped") {
  CHECK(of_expression("x + 0") ==
        Texts{"x + 0 -> x - 0", "x + 0 -> x", "x + 0 -> 0", "x + 0 -> -(x + 0)"});
}

TEST_CASE("mistakes in formulas that the checker would refuse are none") {
  const std::string ops = std::string(kOperators) +
                          "- func: g(Tensor self, Tensor other) -> Tensor\n"
                          "  composite: turn(self, 0, 1) * other - self\n";
  const Loaded loaded = with_mutants(ops, kTurn);
  const std::string whole = "turn(self, 0, 1) * other - self";
  const std::string product = "turn(self, 0, 1) * other";
  CHECK(changes(loaded, "g", "composite") ==
        Texts{whole + " -> -(" + whole + ")", whole + " -> self - (" + product + ")",
              whole + " -> " + product, product + " -> turn(self, 0, 1)", product + " -> other",
              "turn(self, 0, 1) -> turn(self, 1, 0)", "turn(self, 0, 1) -> self", "1 -> -1"});
}

TEST_CASE("numbers, truth values and choices in formulas") {
  const Loaded loaded = with_mutants(
      std::string(kOperators) +
          "- func: g(Tensor self, float n, bool back) -> Tensor\n"
          "  composite: \"back && !(n == 2) ? turn(self, 1, 0, true) : self * (n < 1 ? -1.5 : n - "
          "1)\"\n",
      kTurn);
  const Texts found = changes(loaded, "g", "composite");
  for (const char* change :
       {"back && !(n == 2) -> back", "back && !(n == 2) -> !(n == 2)", "!(n == 2) -> (n == 2)",
        "n == 2 -> n != 2", "true -> false", "n < 1 -> 1 < n", "-1.5 -> 1.5", "n - 1 -> 1 - n",
        "n - 1 -> n + 1", "n < 1 ? -1.5 : n - 1 -> n < 1 ? (n - 1) : (-1.5)"}) {
    CAPTURE(change);
    CHECK(found.contains(change));
  }
}

TEST_CASE("gradients that are told apart by number") {
  const Loaded loaded = with_mutants(std::string(kOperators) +
                                         "- func: pair(Tensor self) -> (Tensor, Tensor)\n"
                                         "  kernels: [cpu]\n",
                                     std::string(kTurn) +
                                         "- name: pair\n"
                                         "  self: grads[0] - grads[1]\n");
  CHECK(changes(loaded, "pair", "gradient of self") ==
        Texts{"grads[0] - grads[1] -> grads[1] - grads[0]", "grads[0] - grads[1] -> grads[0]",
              "grads[0] -> -grads[0]", "grads[1] -> -grads[1]"});
}

TEST_CASE("in a gradient the sign of the incoming gradient is flipped") {
  const Loaded loaded = with_mutants(kOperators, kTurn);
  const std::string call = "turn(grad, dim0, dim1, true)";
  CHECK(changes(loaded, "turn", "gradient of self") ==
        Texts{call + " -> turn(grad, dim1, dim0, true)", call + " -> grad", "grad -> -grad",
              "true -> false"});
}

constexpr const char* kTurnBothWays =
    "- name: turn\n"
    "  self: turn(grad, dim0, dim1, true)\n"
    "  result: turn(self_t, dim0, dim1)\n";

TEST_CASE("in a forward rule the signs of tangents are flipped") {
  const Loaded loaded = with_mutants(kOperators, kTurnBothWays);
  const std::string call = "turn(self_t, dim0, dim1)";
  CHECK(changes(loaded, "turn", "tangent of result") ==
        Texts{call + " -> turn(self_t, dim1, dim0)", call + " -> self_t", "self_t -> -self_t"});
}

TEST_CASE("a mistake that makes no forward rule is none") {
  const Loaded loaded = with_mutants(std::string(kOperators) +
                                         "- func: by(Tensor self, Tensor other) -> Tensor\n"
                                         "  kernels: [cpu]\n",
                                     std::string(kTurn) +
                                         "- name: by\n"
                                         "  self: grad * other\n"
                                         "  other: non_differentiable\n"
                                         "  result: self_t * other_p\n");
  // Not `self_t * other_p -> other_p`, which reads no tangent.
  CHECK(changes(loaded, "by", "tangent of result") ==
        Texts{"self_t * other_p -> self_t", "self_t -> -self_t"});
}

TEST_CASE("derived gradients have mutants, as formulas and as expressions") {
  const Loaded loaded = with_mutants(std::string(kOperators) +
                                         "- func: hill(Tensor self) -> Tensor\n"
                                         "  expr: exp(-self * self)\n",
                                     kTurn);
  CHECK(changes(loaded, "mul", "gradient of self") ==
        Texts{"grad * other -> grad", "grad * other -> other", "grad * other -> -(grad * other)"});
  CHECK(!changes(loaded, "hill_backward_self", "expr").empty());
}

TEST_CASE("mutants are numbered from one, and their places are those of the files") {
  const Loaded loaded = with_mutants(kOperators, kTurn);
  std::set<int> ids;
  for (const Operator* op : loaded.model->operators().all()) {
    for (const Mutant& mutant : loaded.model->mutants().of(*op)) ids.insert(mutant.id);
  }
  CHECK(*ids.begin() == 1);
  CHECK(*ids.rbegin() == static_cast<int>(ids.size()));
  const Mutant& last = loaded.model->mutants().of(loaded.op("turn")).back();
  CHECK(last.span.source->path() == "derivatives.yaml");
  CHECK(last.span.source->position(last.span.begin).line == 2);
}

TEST_CASE("the list for programs says whose formula it is and where") {
  const Loaded loaded = with_mutants(std::string(kOperators) +
                                         "- func: hill(Tensor self) -> Tensor\n"
                                         "  expr: exp(-self * self)\n",
                                     kTurn);
  const auto list = nlohmann::json::parse(mutants_report(*loaded.model));
  REQUIRE(list.size() > 10);
  CHECK(list[0] == nlohmann::json{{"id", 1},
                                  {"operator", "mul"},
                                  {"where", "expr"},
                                  {"file", "ops.yaml"},
                                  {"line", 1},
                                  {"column", 9},
                                  {"change", "self * other -> self"},
                                  {"equal", false}});
  // A backward operator belongs to the entry that it was derived from.
  const bool found = std::ranges::any_of(list, [](const nlohmann::json& mutant) {
    return mutant["operator"] == "hill" && mutant["where"] == "hill_backward_self";
  });
  CHECK(found);
}

std::string everything(const Loaded& loaded) {
  std::string text;
  for (const EmittedFile& file : emit_all(*loaded.model, {})) text += file.text;
  return text;
}

TEST_CASE("every mutant is printed once, and none without being asked for") {
  const Loaded loaded = with_mutants(kOperators, kTurnBothWays);
  const std::string text = everything(loaded);
  for (const Operator* op : loaded.model->operators().all()) {
    for (const Mutant& mutant : loaded.model->mutants().of(*op)) {
      const std::string choice = "OW_MUTANT(" + std::to_string(mutant.id) + ")";
      CAPTURE(mutant.change);
      const size_t first = text.find(choice);
      CHECK(first != std::string::npos);
      CHECK(text.find(choice, first + 1) == std::string::npos);
    }
  }
  CHECK(everything(Loaded(kOperators, kTurnBothWays)).find("OW_MUTANT") == std::string::npos);
}

TEST_CASE("rewrites that compute the same are known") {
  const Loaded loaded = with_mutants(
      "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n"
      "- func: away(Tensor self, Tensor other) -> Tensor\n"
      "  expr: (self - other) * (self - other)\n"
      "- func: positive(Tensor self) -> Tensor\n"
      "  expr: \"isinf(self) && self > 0 ? 1 : 0\"\n  differentiable: false\n"
      "- func: both(Tensor self, Tensor other) -> Tensor\n  composite: mul(self, other)\n"
      "- func: ruled(Tensor self, int[] size) -> Tensor\n  kernels: [cpu]\n  differentiable: "
      "false\n"
      "  require: {\"same(self.sizes(), size) && ends_with(size, self.sizes())\": no}\n"
      "  result: size\n");
  std::set<std::string> equal;
  for (const auto& mutant : nlohmann::json::parse(mutants_report(*loaded.model))) {
    if (mutant["equal"])
      equal.insert(mutant["operator"].get<std::string>() + ": " +
                   mutant["change"].get<std::string>());
  }
  CHECK(equal.contains("away: self - other -> other - self"));
  CHECK(equal.contains("both: mul(self, other) -> mul(other, self)"));
  CHECK_FALSE(equal.contains("away: self - other -> self + other"));
  CHECK(equal.contains("ruled: same(self.sizes(), size) -> same(size, self.sizes())"));
  CHECK_FALSE(
      equal.contains("ruled: ends_with(size, self.sizes()) -> ends_with(self.sizes(), size)"));
  // Of finite arguments nothing is infinite: the proof alone would take these for equal.
  CHECK_FALSE(equal.contains("positive: self > 0 -> 0 > self"));
}

}  // namespace
}  // namespace opweave::codegen

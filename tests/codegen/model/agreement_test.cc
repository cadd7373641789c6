// Formulas beside the derivative of the expression: what is agreed on, and how; and the derived
// gradients of all operators beside difference quotients.
#include "codegen/model/gradients/agreement.h"

#include <doctest/doctest.h>

#include <cmath>

#include "codegen/expr/element_copy.h"
#include "codegen/expr/element_print.h"
#include "codegen/model/pointwise/formula_elements.h"
#include "codegen/model/samples/sample_points.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

const std::string kArithmetic = R"(
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  expr: self + alpha * other
- func: sub.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self - other
- func: rsub.Scalar(Tensor self, Scalar other) -> Tensor
  expr: other - self
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self * other
- func: div.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self / other
- func: neg(Tensor self) -> Tensor
  expr: -self
- func: exp(Tensor self) -> Tensor
  expr: exp(self)
- func: log(Tensor self) -> Tensor
  expr: log(self)
- func: asin(Tensor self) -> Tensor
  expr: asin(self)
- func: sqrt(Tensor self) -> Tensor
  expr: sqrt(self)
- func: pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
  expr: pow(self, exponent)
- func: abs(Tensor self) -> Tensor
  expr: abs(self)
- func: sign(Tensor self) -> Tensor
  expr: sign(self)
- func: sigmoid(Tensor self) -> Tensor
  expr: sigmoid(self)
- func: where(Tensor condition, Tensor self, Tensor other) -> Tensor
  expr: "condition ? self : other"
- func: zeros_like(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
- func: gt.Scalar(Tensor self, Scalar other) -> Tensor
  expr: self > other
- func: lt.Scalar(Tensor self, Scalar other) -> Tensor
  expr: self < other
- func: eq.Scalar(Tensor self, Scalar other) -> Tensor
  expr: self == other
- func: eq.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self == other
- func: max_of(Tensor self, Scalar other) -> Tensor
  expr: max(self, other)
- func: add.Scalar(Tensor self, Scalar other) -> Tensor
  expr: self + other
- func: lgamma_of(Tensor self) -> Tensor
  expr: lgamma(self)
)";

Agreement agreement(const std::string& op, const std::string& formula) {
  Loaded loaded(kArithmetic + op, "- name: f\n  self: " + formula + "\n");
  return loaded.op("f").gradient->derivative->formula_of(0)->agreement;
}

using How = Agreement::How;
const std::string kF = "- func: f(Tensor self) -> Tensor\n  expr: ";

TEST_CASE("formulas are proved by algebra where that reaches") {
  CHECK(agreement(kF + "self * sigmoid(self)",
                  "grad * sigmoid(self) * (1 + self * (1 - sigmoid(self)))")
            .how == How::by_algebra);
  CHECK(agreement(kF + "exp(self)", "grad * result").how == How::by_algebra);
  CHECK(agreement(kF + "tanh(self)", "grad * (1 - result * result)").how == How::by_algebra);
  CHECK(agreement(kF + "log1p(exp(self))", "grad / (1 + exp(-self))").how == How::by_algebra);
  CHECK(agreement(kF + "abs(self)", "where(self > 0, grad, -grad)").how == How::by_algebra);
  CHECK(agreement(kF + "floor(self)", "zero").how == How::by_algebra);
}

TEST_CASE("and by composites, in numbers, from the domain of the samples") {
  CHECK(agreement("- func: f(Tensor self) -> Tensor\n  composite: self * exp(self)\n",
                  "grad * (exp(self) + result)")
            .how == How::by_algebra);
  // lgamma(x + 1) is lgamma(x) + log(x), which no rule says.
  const Agreement found = agreement(
      "- func: digamma_next(Tensor self) -> Tensor\n  expr: digamma(self + 1)\n"
      "- func: f(Tensor self) -> Tensor\n  expr: lgamma(self) + log(self)\n"
      "  samples: {self: positive}\n",
      "grad * digamma_next(self)");
  CHECK(found.how == How::in_numbers);
  CHECK(found.points >= 100);
}

// What is said where a formula is refused.
std::string refusal(const std::string& op, const std::string& formula) {
  Inputs inputs;
  inputs.ops.push_back({"ops.yaml", kArithmetic + op});
  inputs.derivatives.push_back({"derivatives.yaml", "- name: f\n  self: " + formula + "\n"});
  DiagnosticSink sink;
  const auto sources = std::make_shared<Sources>();  // the errors point into it
  load_model(std::move(inputs), sources, sink);
  return render_all(sink);
}

TEST_CASE("a formula that is not finite where the derivative is, is refused") {
  for (const char* formula :
       {"grad * 2 * exp(log(self))", "grad * 2 * sqrt(self) * sqrt(self)",
        "grad * 2 * pow(pow(self, 0.5), 2)", "grad * 2 * self + 0 * log(self - 100)",
        "grad * 2 * self * (log(self - 1000) / log(self - 1000))",
        "grad * 2 * self + 0 / (self - self)", "grad * 2 * self * self / self",
        "grad * 2 * self + (log(-1 - self * self) - log(-1 - self * self))"}) {
    CAPTURE(formula);
    const std::string text = refusal(kF + "self * self\n", formula);
    CHECK(text.find("the formula gives nan, and the derivative is ") != std::string::npos);
  }
}

TEST_CASE(
    "also where no drawn value comes: large, tiny, at the formula's own numbers, of no gradient") {
  for (const char* formula :
       {"grad * 2 * log(exp(self))", "grad * 2 * self + 0 * asin(self / 1000)",
        "grad * 2 * self + 0 * (1 / (self - 12345.678))", "grad * 2 * self * grad / grad"}) {
    CAPTURE(formula);
    const std::string text = refusal(kF + "self * self\n", formula);
    CHECK(text.find("and the derivative is ") != std::string::npos);
  }
  CHECK(refusal(kF + "sigmoid(self)\n", "grad * exp(self) / ((1 + exp(self)) * (1 + exp(self)))")
            .find("the formula gives nan") != std::string::npos);
  CHECK(refusal(kF + "self * self\n", "grad * 2 * where(abs(self) < 1e-30, 0, self)")
            .find("e-31 the formula gives 0, the derivative is ") != std::string::npos);
}

TEST_CASE("also where a number is what the expression compares it with, or lies beyond") {
  const char* const numbers[][2] = {
      {"*, float a=1", "a == 7.25"},
      {"*, float a=1", "a > 1e9"},
      {"*, Scalar a=1", "a == -4"},
      {"int a=1", "a == 17"},
      {"*, float? a=None", "a != none && a == 0.5"},
      {"*, float a=1, float b=2", "a == 3 && b == 5"},
      {"*, float a=1", "a - 2 < -1000"},
      {"*, str a='x'", "a == 'cubic'"},
      {"*, float a=1, float b=2", "a > 1 && b < -1"},
  };
  for (const auto& [arguments, condition] : numbers) {
    CAPTURE(std::string(condition));
    const std::string op =
        std::string("- func: f(Tensor self, ") + arguments + ") -> Tensor\n  expr: \"" + condition +
        " ? self * 3 : self * 2\"\n" +
        (std::string(arguments).starts_with("int") ? "  roles: {a: number}\n" : "");
    CHECK(refusal(op, "grad * 2").find("is not the derivative of its expr") != std::string::npos);
  }
  // Whatever value the first sample gives it.
  CHECK_FALSE(
      refusal("- func: f(Tensor self, *, float a=1) -> Tensor\n"
              "  expr: \"a > 7.25 ? self * 3 : self * 2\"\n  samples: [{self: real(3), a: 2}]\n",
              "grad * 2")
          .empty());
  // What the entry says a number is, it is.
  CHECK(refusal("- func: f(Tensor self, *, float a=1) -> Tensor\n"
                "  expr: \"a > 7.25 ? self * 3 : self * 2\"\n  samples: {a: prob}\n",
                "grad * 2")
            .empty());
}

TEST_CASE("a formula that loses all digits where the derivative keeps them is refused") {
  CHECK(refusal(kF + "self * self\n", "grad * 2 * (self + 1e20 - 1e20)")
            .find("the formula gives 0, the derivative is 4.90442") != std::string::npos);
  // What is nothing beside the incoming gradient may be lost.
  CHECK(refusal(kF + "exp(self) - self\n", "grad * (exp(self) - 1)").empty());
}

TEST_CASE("a call with kernels of its own is looked into through the overload with an expression") {
  const std::string powers =
      "- func: power.Tensor(Tensor self, Tensor exponent) -> Tensor\n  expr: pow(self, exponent)\n"
      "- func: power.Scalar(Tensor self, Scalar exponent) -> Tensor\n  kernels: [cpu]\n"
      "  differentiable: false\n";
  CHECK(refusal(powers + kF + "self * self\n", "grad * 2 * power(power(self, 0.5), 2)")
            .find("the formula gives nan") != std::string::npos);
  CHECK(agreement(powers + kF + "self * self * self\n", "grad * 3 * power(self, 2)").how !=
        How::not_compared);
}

TEST_CASE("a small error is found") {
  const std::string text = refusal(kF + "self * self\n", "grad * 2.0000001 * self");
  CHECK(text.find("the formula gives 4.9044") != std::string::npos);
  CHECK(text.find("the derivative is 4.9044") != std::string::npos);
  CHECK_FALSE(refusal(kF + "self * self\n", "grad * 2.00000001 * self").empty());
}

TEST_CASE("where it is not equal everywhere that is said") {
  const std::string positive = "\n  samples: {self: positive}\n";
  const auto how = [](const std::string& op, const std::string& formula) {
    return how_equal(agreement(op, formula));
  };
  CHECK(how(kF + "self * self", "grad * 2 * self") == "by algebra");
  CHECK(how(kF + "self * self" + positive, "grad * 2 * exp(log(self))") ==
        "by algebra where both are finite: 'log(self)' is not finite everywhere");
  CHECK(how(kF + "abs(self)", "where(self > 0, grad, -grad)") == "by algebra but at kinks");
  CHECK(how(kF + "sqrt(self * self)", "grad * sign(self)") == "at 120 points");
  CHECK(how(kF + "sigmoid(self)", "grad * (result * (1 - result) + 0 * (self - self))") ==
        "by algebra, but at self = inf it gives nan, the derivative 0");
}

// By the size of a number.
const std::string kSizeOf =
    "- func: size_of(Tensor self, float a) -> Tensor\n  expr: self * abs(a)\n";

std::string of_where(const std::string& condition) {
  return "where(" + condition + ", grad * 3, grad * 2)";
}

TEST_CASE("a number may have other values than its samples, such as its conditions admit") {
  const auto op = [](const std::string& how, const std::string& samples, const std::string& more) {
    return kSizeOf + "- func: f(Tensor self, *, float a) -> Tensor\n  " + how +
           "\n  samples: " + samples + "\n" + more;
  };
  const std::string listed = "{self: real, a: [1, 2.5]}";
  const auto is_refused = [](const std::string& op, const std::string& formula) {
    return refusal(op, formula).find("is not the derivative of its") != std::string::npos;
  };
  for (const char* how : {"expr: self * a", "composite: self * a"}) {
    CAPTURE(how);
    CHECK(is_refused(op(how, listed, ""), "size_of(grad, a)"));
    CHECK(is_refused(op(how, "[{self: real(3), a: 2}]", ""), "size_of(grad, a)"));
    CHECK_FALSE(is_refused(op(how, "{self: real, a: positive}", ""), "size_of(grad, a)"));
  }
  CHECK(is_refused(op("expr: self * a * a", listed, ""), "size_of(grad, a) * a"));
  const std::string composite = "composite: self * a";
  for (const char* condition : {"a > 0", "a >= 0 && self.dim() > 0", "a > 0 || self.dim() > 1"}) {
    CAPTURE(condition);
    const std::string require = std::string("  require:\n    ") + condition + ": no\n";
    CHECK(refusal(op(composite, listed, require), "size_of(grad, a)").empty());
  }
  CHECK(is_refused(op(composite, listed, "  require:\n    self.dim() > 0 && a != 3: no\n"),
                   "size_of(grad, a)"));
}

TEST_CASE("a formula has no kinks of its own") {
  for (const char* condition : {"self == 1", "self == 0", "self == -1", "self == 0.5", "self == 3",
                                "self == 2.5", "self == 77", "abs(self) == 9"}) {
    CAPTURE(condition);
    CHECK(
        refusal(kF + "self * 2\n", of_where(condition)).find("is not the derivative of its expr") !=
        std::string::npos);
  }
  const std::string product =
      "- func: f(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n";
  for (const char* condition : {"self == other", "self == -other", "self == other + 1",
                                "abs(self) == abs(other)", "self * other == 0", "other == 1"}) {
    CAPTURE(condition);
    const std::string formula = "where(" + std::string(condition) + ", grad, grad * other)";
    const bool refused = !refusal(product, formula).empty();
    CHECK(refused == (std::string(condition) != "other == 1"));  // where it is equal
  }
  // Where the expression turns and its derivative does not jump the formula has to agree.
  const std::string square = kF + "relu(self) * relu(self)\n";
  CHECK(refusal(square, "where(self == 0, grad, grad * 2 * max_of(self, 0))")
            .find("and the derivative is 0") != std::string::npos);
  CHECK(refusal(square, "grad * 2 * max_of(self, 0)").empty());
  CHECK(refusal(kF + "\"self == 3 ? self * 7 : self * 2\"\n", "grad * 2").empty());
}

TEST_CASE("a formula is linear in the gradient") {
  for (const char* condition :
       {"grad > 10", "grad < -3", "grad == 1", "abs(grad) > 4", "grad > 100", "grad > 5e7"}) {
    CAPTURE(condition);
    CHECK(
        refusal(kF + "self * 2\n", of_where(condition)).find("is not the derivative of its expr") !=
        std::string::npos);
  }
  CHECK(refusal(kF + "self * 2\n", of_where("grad == 0")).empty());
}

TEST_CASE("points lie between what conditions name, one by one and together") {
  const char* const expressions[] = {
      "self >= 64 && self <= 65 ? self : 2 * self",
      "self * self > 4096 && self * self < 4225 ? self : 2 * self",
      "self > 700 && self < 700.5 ? self : 2 * self",
      "sin(self) > 0.9999 ? self : 2 * self",
  };
  for (const char* expr : expressions) {
    CAPTURE(expr);
    CHECK(
        refusal(kF + "\"" + expr + "\"\n", "grad * 2").find("is not the derivative of its expr") !=
        std::string::npos);
  }
  const char* const together[] = {"a < -b ? 1 : 2", "a > 3 && b > 3 && self > 3 ? 1 : 2",
                                  "a == b ? 1 : 2"};
  for (const char* factor : together) {
    CAPTURE(factor);
    CHECK_FALSE(refusal(std::string("- func: f(Tensor self, *, float a, float b) -> Tensor\n"
                                    "  expr: \"self * (") +
                            factor + ")\"\n  samples: {self: real, a: [1, 2.5], b: [1, 0.5]}\n",
                        "grad * 2")
                    .empty());
  }
  CHECK(refusal("- func: f(Tensor self, *, float a) -> Tensor\n  expr: pow(self, a)\n",
                "grad * a * pow(self, a - 1)")
            .find("for self = 0, a = 0 the formula gives nan") != std::string::npos);
}

TEST_CASE("a kink leaves the choice to the author") {
  CHECK(agreement(kF + "relu(self)", "where(self > 0, grad, 0.25 * grad - 0.25 * grad)").how ==
        How::by_algebra);
  CHECK(agreement(kF + "max(self, 0)", "where(self > 0, grad, grad - grad)").how ==
        How::by_algebra);
}

TEST_CASE("what cannot be compared says why") {
  const Agreement called = agreement(kF + "exp(self)", "grad * result + zeros_like(self)");
  CHECK(called.how == How::not_compared);
  CHECK(called.reason == "'zeros_like' is not pointwise");
  CHECK(agreement(kF + "exp(self)", "grad * result * self.size(0) / self.size(0)").reason ==
        "it reads more than elements");
  CHECK(agreement("- func: f(Tensor self) -> Tensor\n  composite: exp(zeros_like(self))\n", "zero")
            .reason == "'zeros_like' is not pointwise");
  CHECK(agreement(kF + "polygamma(self, 2)", "grad").reason ==
        "'polygamma' has no derivative here");
  CHECK(agreement(kF + "log(-1 - abs(self))", "grad").reason ==
        "no sample is in the domain of both");
  CHECK(agreement("- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n", "grad").how ==
        How::not_asked);
  CHECK(agreement(kF + "exp(self)", "non_differentiable").how == How::not_asked);
}

TEST_CASE("formulas for several inputs are not compared") {
  Loaded loaded(kArithmetic +
                    "- func: pair(Tensor grad, bool[2] mask) -> (Tensor, Tensor)\n"
                    "  kernels: [cpu]\n  differentiable: false\n"
                    "- func: f(Tensor self, Tensor other) -> Tensor\n  expr: self + other\n",
                "- name: f\n  self, other: pair(grad, grad_input_mask)\n");
  CHECK(loaded.op("f").gradient->derivative->formula_of(0)->agreement.reason ==
        "one formula is for several inputs");
}

// The gradient of an operator's expression beside its quotient of differences.
struct GradientCheck {
  const Operator& op;
  uint16_t argument;
  ElementArena arena;

  long double quotient(ElementPoint point) const {
    const auto at = [&](long double by) {
      ElementPoint moved = point;
      moved.arguments[argument] += by;
      return Evaluator(moved).evaluate(*op.elements->expr);
    };
    const auto central = [&](long double h) { return (at(h).value - at(-h).value) / (2 * h); };
    const long double h = 1e-4L;
    return (4 * central(h / 2) - central(h)) / 3;
  }
  bool is_smooth(const ElementPoint& point) const {
    const auto way = [&](long double by) {
      ElementPoint moved = point;
      moved.arguments[argument] += by;
      Evaluator evaluator(moved);
      evaluator.evaluate(*op.elements->expr);
      return evaluator.way();
    };
    return way(0) == way(3e-3L) && way(0) == way(-3e-3L);
  }

  // How many points were compared.
  int run(const FormulaNode& formula) {
    FormulaElements elements(arena, op.schema, FormulaElements::Depth::whole);
    const ElementNode* tree = elements.convert(formula);
    if (!elements.opaque().empty()) return 0;
    SamplePoints samples(op, {op.elements->expr, tree});
    int compared = 0;
    for (int i = 0; i < 200; ++i) {
      ElementPoint point = samples.next();
      point.result = Evaluator(point).evaluate(*op.elements->expr).value;
      const Evaluated found = Evaluator(point).evaluate(*tree);
      const long double expected = quotient(point) * point.grad;
      const bool usable = std::isfinite(point.result) && std::isfinite(found.value) &&
                          std::isfinite(expected) && std::fabs(expected) < 1e6L && is_smooth(point);
      if (!usable) continue;
      ++compared;
      CAPTURE(print(*tree, argument_names(op)));
      CHECK(static_cast<double>(found.value) ==
            doctest::Approx(static_cast<double>(expected)).epsilon(2e-3));
    }
    return compared;
  }
};

TEST_CASE("every derived gradient of ops.yaml, up to the second order, is the slope") {
  Loaded loaded(read_file("ops.yaml"), read_file("derivatives.yaml"));
  int gradients = 0, points = 0;
  for (const Operator* op : loaded.model->operators().all()) {
    const bool derived =
        op->is_expr() && op->gradient->derivative && op->forms->form == Form::functional;
    if (!derived) continue;
    for (const DerivativeFormula& formula : op->gradient->derivative->formulas) {
      if (formula.kind != DerivativeFormula::Kind::formula || formula.inputs.size() != 1) continue;
      CAPTURE(op->name.full);
      CAPTURE(op->schema.arguments[formula.inputs[0]].name);
      GradientCheck check{*op, formula.inputs[0], {}};
      const int compared = check.run(*formula.formula);
      points += compared;
      gradients += compared > 0 ? 1 : 0;
    }
  }
  MESSAGE(gradients << " gradients at " << points << " points");
  CHECK(gradients > 200);
}

TEST_CASE("a result is read where all gradients together then keep fewer tensors") {
  Loaded loaded(read_file("ops.yaml"), read_file("derivatives.yaml"));
  const auto kept = [&](const std::string& name) {
    std::string names;
    for (const Saved& saved : loaded.op(name).gradient->derivative->saved)
      names += saved.name + " ";
    return names;
  };
  for (const char* name :
       {"sigmoid", "tanh", "exp", "exp2", "sqrt", "rsqrt", "reciprocal", "relu", "tan", "erfinv"}) {
    CAPTURE(name);
    CHECK(kept(name) == "result ");
  }
  CHECK(kept("expm1") == "self ");  // exp(x) is not the rest of expm1(x) where that is -1
  CHECK(kept("add.Tensor") == "alpha ");
  CHECK(kept("neg").empty());
  CHECK(kept("hypot") == "self other ");
  CHECK(kept("pow.Tensor_Tensor") == "self exponent ");
}

}  // namespace
}  // namespace opweave::codegen

// Formulas: resolution of calls, conversions, metadata, and what they save.
#include <doctest/doctest.h>

#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

const std::string kOperators =
    "- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
    "  expr: self + alpha * other\n"
    "- func: sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
    "  expr: self - alpha * other\n"
    "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  expr: self * other\n"
    "- func: mul.Scalar(Tensor self, Scalar other) -> Tensor\n"
    "  expr: self * other\n"
    "- func: neg(Tensor self) -> Tensor\n"
    "  expr: -self\n"
    "- func: gt.Scalar(Tensor self, Scalar other) -> Tensor\n"
    "  expr: self > other\n"
    "- func: sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False) -> Tensor\n"
    "  kernels: [composite]\n"
    "- func: zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? "
    "pin_memory=None) -> Tensor\n"
    "  kernels: [composite]\n"
    "- func: cat(Tensor[] tensors, int dim=0) -> Tensor\n"
    "  kernels: [composite]\n"
    "- func: index(Tensor self, Tensor?[] indices) -> Tensor\n"
    "  kernels: [composite]\n"
    "- func: pair(Tensor self) -> (Tensor values, Tensor indices)\n"
    "  kernels: [composite]\n"
    "- func: split(Tensor(a -> *) self, int[] sizes, int dim=0) -> Tensor(a)[]\n"
    "  kernels: [composite]\n"
    "- func: mean(Tensor self, *, ScalarType? dtype=None) -> Tensor\n"
    "  kernels: [composite]\n"
    "- func: dropout(Tensor self, float p, bool train) -> Tensor\n"
    "  kernels: [composite]\n";

// The formula of `f(arguments) -> Tensor` as text.
std::string composite(const std::string& arguments, const std::string& formula,
                      const std::string& returns = "Tensor") {
  Loaded loaded(kOperators + "- func: f(" + arguments + ") -> " + returns + "\n  composite: \"" +
                formula + "\"\n");
  const Operator& op = loaded.op("f");
  return print_formula(*op.formulas->composite, op);
}

TEST_CASE("symbols between tensors and numbers are operators") {
  CHECK(composite("Tensor self, Tensor o", "self + o * self") ==
        "add.Tensor(self, mul.Tensor(o, self))");
  CHECK(composite("Tensor self", "self * 2") == "mul.Scalar(self, Scalar(2))");
  CHECK(composite("Tensor self", "1 - self") == "sub.Tensor(Tensor(1), self)");
  CHECK(composite("Tensor self", "-self") == "neg(self)");
  CHECK(composite("Tensor self, Scalar a", "self * a") == "mul.Scalar(self, a)");
  CHECK(composite("Tensor self", "self > 0") == "gt.Scalar(self, Scalar(0))");
  CHECK(composite("Tensor self, Scalar a", "self.add(self, alpha=a)") ==
        "add.Tensor(self, self, alpha=a)");
}

TEST_CASE("arguments convert to what the operator takes") {
  CHECK(composite("Tensor self", "self.sum([0, 1], true)") ==
        "sum.dim_IntList(self, int[1]?([0, 1]), true)");
  CHECK(composite("Tensor self", "self.sum(none)") == "sum.dim_IntList(self, none)");
  CHECK(composite("Tensor self, int d", "self.sum(d)") ==
        "sum.dim_IntList(self, int[1]?(int[1](d)))");
  CHECK(composite("Tensor self", "cat([self, self], dim=1)") == "cat([self, self], 1)");
  CHECK(composite("Tensor self", "self.index([none, self])") ==
        "index(self, [Tensor?(none), self])");
  CHECK(composite("Tensor self", "self.dropout(1, true)") == "dropout(self, 1, true)");
  CHECK(composite("Tensor self, int n", "self.dropout(n, true)") ==
        "dropout(self, float(n), true)");
  CHECK(composite("Tensor self", "self.mean(dtype=float32)") ==
        "mean(self, dtype=ScalarType?(float32))");
  CHECK(composite("Tensor self", "self.mean(dtype=self.scalar_type())") ==
        "mean(self, dtype=ScalarType?(self.scalar_type()))");
}

TEST_CASE("options stand for dtype, layout and device") {
  std::string expected =
      "zeros(self.sizes(), dtype=ScalarType?(self.scalar_type()), layout=Layout?(self.layout()), "
      "device=Device?(self.device()))";
  CHECK(composite("Tensor self", "zeros(self.sizes(), self.options())") == expected);
  CHECK(composite("Tensor self", "zeros(self.sizes(), options=self.options())") == expected);
}

TEST_CASE("numbers have arithmetic of their own") {
  CHECK(composite("Tensor self, int n", "self * (n + 1)") == "mul.Scalar(self, Scalar((n + 1)))");
  CHECK(composite("Tensor self", "self * (1 / self.numel())") ==
        "mul.Scalar(self, Scalar((1 / float(self.numel()))))");
  CHECK(composite("Tensor self, Scalar a", "self * (a - 1)") ==
        "mul.Scalar(self, (a - Scalar(1)))");
  CHECK(composite("Tensor self, int n", "n > 1 && !(n == 3) ? self : -self") ==
        "(((n > 1) && !(n == 3)) ? self : neg(self))");
  CHECK(composite("Tensor self, Tensor? w", "w != none ? self * w : self") ==
        "(w.defined() ? mul.Tensor(self, w) : self)");
  CHECK(composite("Tensor self, int? n", "n == none ? self : self * n.value()") ==
        "(!n.has_value() ? self : mul.Scalar(self, Scalar(int(n))))");
  CHECK(composite("Tensor self, str? mode", "mode == 'a' ? self : -self") ==
        "((mode == 'a') ? self : neg(self))");
}

TEST_CASE("lists and results are indexed") {
  CHECK(composite("Tensor self", "pair(self)[1]") == "pair(self)[1]");
  CHECK(composite("Tensor[] tensors", "tensors[0]") == "tensors[0]");
  CHECK(composite("Tensor self, int[2] n", "self * n[1]") == "mul.Scalar(self, Scalar(n[1]))");
  CHECK(composite("Tensor[] tensors", "tensors.size()", "int") == "tensors.size()");
}

TEST_CASE("several results come from one call or a list") {
  CHECK(composite("Tensor self", "pair(self)", "(Tensor, Tensor)") == "pair(self)");
  CHECK(composite("Tensor self", "[self, -self]", "(Tensor, Tensor)") == "(self, neg(self))");
}

struct Gradient {
  std::string text;
  std::string saved;  // the names, with blanks between them
};

Gradient gradient(const std::string& schema, const std::string& lines, const std::string& inputs) {
  Loaded loaded(kOperators + "- func: f" + schema + "\n  kernels: [cpu]\n", "- name: f\n" + lines);
  const Operator& op = loaded.op("f");
  Gradient found;
  for (const Saved& saved : op.gradient->derivative->saved) {
    found.saved += (found.saved.empty() ? "" : " ") + saved.name;
  }
  auto argument = static_cast<uint16_t>(op.schema.find_argument(inputs));
  found.text = print_formula(*op.gradient->derivative->formula_of(argument)->formula, op);
  return found;
}

TEST_CASE("formulas save what they read, and of tensors only what they need") {
  Gradient g = gradient("(Tensor self, Tensor other, int dim) -> Tensor",
                        "  self: grad * other\n  other: grad * self.size(dim)\n", "self");
  CHECK(g.text == "mul.Tensor(grads[0], other)");
  CHECK(g.saved == "other self_sizes dim");
  CHECK(gradient("(Tensor self) -> Tensor", "  self: zeros(self.sizes(), self.options()) + grad\n",
                 "self")
            .saved == "self_sizes self_scalar_type self_layout self_device");
  CHECK(gradient("(Tensor self) -> Tensor", "  self: grad * result\n", "self").saved == "result");
  CHECK(gradient("(Tensor self) -> (Tensor values, Tensor indices)", "  self: grads[0] * indices\n",
                 "self")
            .saved == "indices");
  CHECK(gradient("(Tensor self) -> (Tensor, Tensor)",
                 "  self: grads[1] * result0 * result1.dim()\n", "self")
            .saved == "result0 result1_sizes");
  CHECK(
      gradient("(Tensor self, int? n) -> Tensor", "  self: \"n == none ? grad : -grad\"\n", "self")
          .saved == "n");
}

TEST_CASE("lists of tensors keep their sizes along a dimension only") {
  Gradient g = gradient("(Tensor[] tensors, int dim) -> Tensor",
                        "  tensors: grad.split(tensors.sizes_along(dim), dim)\n", "tensors");
  CHECK(g.text == "split(grads[0], tensors.sizes_along(dim), dim)");
  CHECK(g.saved == "tensors_sizes_along dim");
}

TEST_CASE("inputs may share one formula") {
  Loaded loaded(
      kOperators +
          "- func: f(Tensor a, Tensor b, Tensor? c=None) -> Tensor\n"
          "  kernels: [cpu]\n"
          "- func: f_backward(Tensor grad, Tensor a, bool[2] mask) -> (Tensor, Tensor)\n"
          "  kernels: [composite]\n"
          "  internal: true\n",
      "- name: f\n  a, c: f_backward(grad, a, grad_input_mask)\n  b: non_differentiable\n");
  const Derivative& derivative = *loaded.op("f").gradient->derivative;
  REQUIRE(derivative.formulas.size() == 2);
  const DerivativeFormula& shared = *derivative.formula_of(2);
  CHECK(&shared == derivative.formula_of(0));
  CHECK(shared.inputs == std::vector<uint16_t>{0, 2});
  CHECK(shared.uses_grad_input_mask);
  CHECK(shared.gradients == std::vector<uint16_t>{0});
  CHECK(derivative.formula_of(1)->kind == DerivativeFormula::Kind::non_differentiable);
}

TEST_CASE("outputs that are not differentiable") {
  Loaded loaded(
      kOperators + "- func: f(Tensor self) -> (Tensor values, Tensor indices)\n  kernels: [cpu]\n",
      "- name: f\n  self: grad\n  output_differentiability: [true, false]\n");
  CHECK(loaded.op("f").gradient->derivative->differentiable_outputs ==
        std::vector<bool>{true, false});
}

}  // namespace
}  // namespace opweave::codegen

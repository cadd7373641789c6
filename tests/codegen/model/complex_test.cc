// Derivatives where numbers are complex: their texts, and their values against PyTorch's.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/expr/element_print.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/model/lowered/lowered.h"
#include "codegen/proof/complex_values.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

using Complex = ComplexNumber;

// An operator over x and y that takes these dtypes.
struct Tree {
  explicit Tree(const std::string& expr, const std::string& dtypes = "[floating, complex]")
      : loaded("- func: f(Tensor x, Tensor y, *, Scalar a=1, float b=1) -> Tensor\n  expr: \"" +
               expr + "\"\n  dtypes: " + dtypes + "\n  differentiable: false\n"),
        root(ElementCopier(arena, Simplify::no).copy(*loaded.op("f").elements->expr)) {}

  ElementDerivative derive(const ElementNode& of, uint16_t argument) {
    return differentiator.differentiate(of, argument, Differentiator::Result::read,
                                        Numbers::complex);
  }
  static std::string text(const ElementNode* tree) {
    return tree == nullptr ? "none" : print(*tree, {"x", "y", "a", "b"});
  }
  std::string gradient(uint16_t argument) { return text(derive(*root, argument).gradient); }
  std::string tangent(uint16_t argument) { return text(derive(*root, argument).tangent); }

  Loaded loaded;
  ElementArena arena;
  const ElementNode* root;
  Differentiator differentiator{arena};
};

std::string dx(const std::string& expr) { return Tree(expr).gradient(0); }
std::string dy(const std::string& expr) { return Tree(expr).gradient(1); }
std::string tx(const std::string& expr) { return Tree(expr).tangent(0); }
std::string ty(const std::string& expr) { return Tree(expr).tangent(1); }

TEST_CASE("gradients of complex numbers conjugate the derivative") {
  CHECK(dx("x + y") == "grad");
  CHECK(dy("x - y") == "-grad");
  CHECK(dx("x * y") == "grad * conj(y)");
  CHECK(dy("x * y") == "grad * conj(x)");
  CHECK(dx("x / y") == "grad / conj(y)");
  CHECK(dy("x / y") == "-(grad * conj(result / y))");
  CHECK(dx("exp(x)") == "grad * conj(result)");
  CHECK(dx("sin(x)") == "grad * conj(cos(x))");
  CHECK(dx("cos(x)") == "-(grad * conj(sin(x)))");
  CHECK(dx("log(x)") == "grad / conj(x)");
  CHECK(dx("sqrt(x)") == "grad * (0.5 / conj(result))");
  CHECK(dx("square(x)") == "grad * (2 * conj(x))");
  CHECK(dx("sigmoid(x)") == "grad * conj((1 - result) * result)");
  CHECK(dx("pow(x, y)") == "(y == 0) ? 0 : (grad * conj(y * pow(x, y - 1)))");
  CHECK(dy("pow(x, y)") ==
        "((x == 0) && ((pow(x, y) == 0) || (y == 0))) ? 0 : (grad * conj(pow(x, y) * log(x)))");
  CHECK(dx("sin(exp(x))") == "grad * conj(cos(exp(x)) * exp(x))");
  CHECK(dx("x == y ? x : 2 * y") == "(x == y) ? grad : 0");
}

TEST_CASE("numbers of an expression that are real are not conjugated") {
  CHECK(dx("3 * x") == "3 * grad");
  CHECK(dx("b * x") == "grad * b");
  CHECK(dx("a * x") == "grad * conj(a)");
  CHECK(dx("x / 2") == "0.5 * grad");
}

TEST_CASE("tangents of complex numbers do not") {
  CHECK(tx("x * y") == "grad * y");
  CHECK(tx("exp(x)") == "grad * result");
  CHECK(tx("sin(x)") == "grad * cos(x)");
  CHECK(ty("x / y") == "-(grad * (result / y))");
  CHECK(tx("conj(x)") == "conj(grad)");
}

TEST_CASE("functions that are not holomorphic") {
  CHECK(dx("conj(x)") == "conj(grad)");
  CHECK(dx("conj(conj(x))") == "grad");
  CHECK(dx("conj(exp(x))") == "conj(grad) * result");
  CHECK(dx("x * conj(y)") == "grad * y");
  CHECK(dy("x * conj(y)") == "conj(grad) * x");
  CHECK(tx("x * conj(y)") == "grad * conj(y)");
  CHECK(ty("x * conj(y)") == "conj(grad) * x");
  CHECK(dx("abs(x)") == "(abs(x) == 0) ? 0 : ((grad + conj(grad)) * ((0.5 * x) / abs(x)))");
}

// Of f(x, y) at two numbers: gradients, the tangent along both, and the gradients of x's gradient.
struct Answer {
  const char* expr;
  Complex dx, dy, tangent, dxx, dxy;
};

// `torch.autograd.grad`, with `create_graph` for the last two, and `torch.func.jvp` of PyTorch 2.15
// in complex128. Where it takes one argument alone, the other one was added times 0.
constexpr Complex kX{0.6L, 0.4L}, kY{-0.3L, 0.8L}, kGrad{0.5L, -1.2L}, kAlong{0.7L, 0.3L};
const Answer kAnswers[] = {
    {"x * y", {-1.11L, -0.04L}, {-0.18L, -0.92L}, {-0.91L, 0.77L}, {0.0L, 0.0L}, {-0.01L, -0.99L}},
    {"x / y",
     {1.10958904109589L, 1.04109589041096L},
     {0.642897354100206L, -1.11165321823982L},
     {-0.163445299305686L, -0.166447738787765L},
     {0.0L, 0.0L},
     {0.881403640457872L, -1.03077500469131L}},
    {"exp(x)",
     {-0.0123385025454853L, -2.36872230554358L},
     {0.0L, 0.0L},
     {0.961927842614069L, 1.00018130395996L},
     {-0.719253643444914L, -1.65440406311686L},
     {0.0L, 0.0L}},
    {"sin(x)",
     {0.724437616419456L, -0.954732932330754L},
     {0.0L, 0.0L},
     {0.694151734299428L, 0.105324512796101L},
     {0.341722631937666L, 0.600925098940443L},
     {0.0L, 0.0L}},
    {"pow(x, y)",
     {-0.517077435127491L, -0.927016243822474L},
     {-0.571135665436455L, -0.192621312081127L},
     {-0.152857107356074L, 0.439270619069834L},
     {-0.383386469959483L, 1.66769542730621L},
     {0.723102738789654L, 0.0392989983918668L}},
    {"conj(x)", {0.5L, 1.2L}, {0.0L, 0.0L}, {0.7L, -0.3L}, {0.0L, 0.0L}, {0.0L, 0.0L}},
    {"x * conj(y)",
     {0.81L, 0.76L},
     {-0.18L, 0.92L},
     {0.13L, -1.19L},
     {0.0L, 0.0L},
     {-0.01L, 0.99L}},
    {"sin(x * conj(y)) / (x + y)",
     {0.0762750714447638L, 0.768706448725614L},
     {1.29690146872758L, 0.2476284809166L},
     {-0.60749148298129L, -0.310016435119176L},
     {0.61896185763484L, -0.274754910860436L},
     {0.685160510099853L, 0.232859625663071L}},
    {"x * abs(y)",
     {0.427200187265877L, -1.0252804494381L},
     {0.0632022194859105L, -0.168539251962428L},
     {1.05454073623714L, 0.560627095069465L},
     {0.0L, 0.0L},
     {0.00351123441588392L, -0.00936329177569045L}},
    {"abs(x)",
     {0.416025147168922L, 0.277350098112615L},
     {0.0L, 0.0L},
     {0.748845264904059L, 0.0L},
     {0.053336557329349L, -0.0800048359940235L},
     {0.0L, 0.0L}},
    {"exp(conj(x)) * x + square(y)",
     {2.04133136051679L, 0.012586093287372L},
     {-2.22L, -0.08L},
     {1.42489695940899L, -1.10854941720289L},
     {3.11388926640694L, 2.07937888353244L},
     {0.0L, 0.0L}},
    {"sigmoid(x) * tanh(y)",
     {-0.315793829562604L, 0.0171868667590587L},
     {-0.477848999280398L, -1.39945392271453L},
     {-0.922722279102951L, 0.492334606025565L},
     {0.0455135457723604L, -0.072180497705675L},
     {-0.185877950977365L, -0.361483820574457L}},
    {"rsqrt(x) + acosh(y)",
     {-1.01593178254804L, 0.307599393353186L},
     {0.872729258987538L, 0.529025724459972L},
     {0.026175329020811L, 0.436217387385302L},
     {1.67123971705172L, -0.186087963911296L},
     {0.0L, 0.0L}},
};

Complex value(const ElementNode* tree, const ElementNode& root, Complex grad) {
  ComplexPoint point{.arguments = {kX, kY, 1, 1}, .grad = grad, .result = 0, .other = {}};
  point.result = complex_value(root, point);
  return complex_value(*tree, point);
}

void check_close(Complex found, Complex wanted) {
  CAPTURE(found.real());
  CAPTURE(found.imag());
  CAPTURE(wanted.real());
  CAPTURE(wanted.imag());
  CHECK(std::abs(found - wanted) < 1e-12L * (1 + std::abs(wanted)));
}

TEST_CASE("gradients and tangents are PyTorch's") {
  for (const Answer& answer : kAnswers) {
    CAPTURE(answer.expr);
    Tree tree(answer.expr);
    const ElementDerivative x = tree.derive(*tree.root, 0), y = tree.derive(*tree.root, 1);
    REQUIRE(x.gradient);
    REQUIRE(y.gradient);
    check_close(value(x.gradient, *tree.root, kGrad), answer.dx);
    check_close(value(y.gradient, *tree.root, kGrad), answer.dy);
    const Complex second = kAlong * Complex(0, 1);
    check_close(value(x.tangent, *tree.root, kAlong) + value(y.tangent, *tree.root, second),
                answer.tangent);
  }
}

// The gradient as a function of x and y alone, its `grad` a number: as the backward operator of it
// is differentiated, with result put in.
const ElementNode* without_result(const ElementNode* tree, Tree& of) {
  ElementCopier copier(of.arena, Simplify::no);
  copier.replace(kResultIndex, ElementCopier(of.arena, Simplify::no).copy(*of.root));
  copier.replace(kGradIndex, of.arena.argument(2, ElementType::value, true, false));
  return copier.copy(*tree);
}

TEST_CASE("second derivatives are PyTorch's") {
  for (const Answer& answer : kAnswers) {
    CAPTURE(answer.expr);
    Tree tree(answer.expr);
    const ElementNode* gradient = without_result(tree.derive(*tree.root, 0).gradient, tree);
    Complex found[2];
    for (uint16_t i : {0, 1}) {
      const ElementDerivative second = tree.differentiator.differentiate(
          *gradient, i, Differentiator::Result::unread, Numbers::complex);
      REQUIRE(second.gradient);
      ComplexPoint point{.arguments = {kX, kY, kGrad, 1}, .grad = kAlong, .result = 0, .other = {}};
      found[i] = complex_value(*second.gradient, point);
    }
    check_close(found[0], answer.dxx);
    check_close(found[1], answer.dxy);
  }
}

// By both parts, of the real number whose gradient by the value is `grad`.
Complex difference(const ElementNode& root, Complex x, Complex y) {
  const long double h = 1e-5L;
  const auto at = [&](Complex by) {
    const ComplexPoint point{.arguments = {x + by, y, 1, 1}, .grad = 1, .result = 0, .other = {}};
    return (std::conj(kGrad) * complex_value(root, point)).real();
  };
  return {(at(h) - at(-h)) / (2 * h), (at(Complex(0, h)) - at(Complex(0, -h))) / (2 * h)};
}

TEST_CASE("every function of complex numbers agrees with differences") {
  int checked = 0;
  for (const Intrinsic& intrinsic : intrinsics()) {
    if (!complex_rules(intrinsic).exist || intrinsic.result != ElementType::value) continue;
    const bool binary = intrinsic.arity == 2;
    const std::string name(intrinsic.name.empty() ? intrinsic.symbol : intrinsic.name);
    const bool infix = intrinsic.name.empty();
    Tree tree(infix && binary ? "x " + name + " y" : name + (binary ? "(x, y)" : "(x)"));
    CAPTURE(name);
    for (const Complex x : {Complex(0.6L, 0.4L), Complex(1.7L, -0.9L), Complex(-0.3L, 1.6L),
                            Complex(-1.4L, -0.7L), Complex(-0.2L, 0.1L)}) {
      const ElementDerivative found = tree.derive(*tree.root, 0);
      REQUIRE(found.gradient);
      ComplexPoint point{.arguments = {x, kY, 1, 1}, .grad = kGrad, .result = 0, .other = {}};
      point.result = complex_value(*tree.root, point);
      const Complex wanted = difference(*tree.root, x, kY);
      const Complex given = complex_value(*found.gradient, point);
      CHECK(std::abs(given - wanted) < 1e-6L * (1 + std::abs(wanted)));
    }
    ++checked;
  }
  CHECK(checked > 30);
}

// --- the model ----------------------------------------------------------------------------------

constexpr const char* kOperators =
    "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  expr: self * other\n"
    "  dtypes: [all, complex]\n"
    "  doc: d.\n"
    "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  expr: self + other\n"
    "  dtypes: [all, complex]\n"
    "  doc: d.\n"
    "- func: neg(Tensor self) -> Tensor\n"
    "  expr: -self\n"
    "  doc: d.\n"
    "- func: sin(Tensor self) -> Tensor\n"
    "  expr: sin(self)\n"
    "  doc: d.\n"
    "- func: cos(Tensor self) -> Tensor\n"
    "  expr: cos(self)\n"
    "  doc: d.\n"
    "- func: conj_physical(Tensor self) -> Tensor\n"
    "  expr: conj(self)\n"
    "  dtypes: [all, complex]\n"
    "  doc: d.\n";

std::string entry(const std::string& name, const std::string& expr, const std::string& dtypes) {
  return "- func: " + name + "(Tensor self, Tensor other) -> Tensor\n  expr: " + expr +
         "\n  dtypes: " + dtypes + "\n  doc: d.\n";
}

std::string gradient_of(const Operator& op, uint16_t argument) {
  return print_formula(*op.gradient->derivative->formula_of(argument)->formula, op);
}

TEST_CASE("entries with complex dtypes have gradients that conjugate, others as ever") {
  const std::string complex = entry("f", "self * other", "[floating, complex]"),
                    real = entry("g", "self * other", "floating");
  const Loaded loaded(complex + real, "", kOperators);
  CHECK(gradient_of(loaded.op("g"), 0) == "mul.Tensor(grads[0], other)");
  CHECK(gradient_of(loaded.op("f"), 0) == "f_backward_self(grads[0], other)");
  const Operator& backward = loaded.op("f_backward_self");
  CHECK(print(*backward.elements->expr, argument_names(backward)) == "grad_output * conj(other)");
  CHECK(backward.dtypes->takes_complex());
}

TEST_CASE("second derivatives are formulas over public operators, which conjugate, too") {
  const Loaded loaded(
      "- func: f(Tensor self) -> Tensor\n"
      "  expr: sin(self)\n"
      "  dtypes: [floating, complex]\n"
      "  doc: d.\n",
      "", kOperators);
  const Operator& backward = loaded.op("f_backward_self");
  CHECK(print(*backward.elements->expr, argument_names(backward)) ==
        "grad_output * conj(cos(self))");
  CHECK(gradient_of(backward, 0) == "mul.Tensor(grads[0], cos(self))");
  CHECK(gradient_of(backward, 1) ==
        "neg(mul.Tensor(conj_physical(grads[0]), mul.Tensor(grad_output, "
        "conj_physical(sin(self)))))");
  CHECK(backward.lowered->forward.way == ForwardWay::reverse);
}

TEST_CASE("tangents are sums of their own where gradients conjugate") {
  const Loaded loaded(entry("f", "self * other", "[floating, complex]") +
                          entry("g", "self * other", "floating") +
                          entry("h", "self + other", "[floating, complex]"),
                      "", kOperators);
  const ForwardPass& f = loaded.op("f").lowered->forward;
  CHECK(f.way == ForwardWay::formula);
  REQUIRE(f.sums.size() == 1);
  REQUIRE(f.sums[0].terms.size() == 2);
  CHECK(print_formula(*f.sums[0].written, loaded.op("f")) ==
        "add.Tensor(mul.Tensor(self_t, other), mul.Tensor(other_t, self))");
  CHECK(loaded.op("g").lowered->forward.way == ForwardWay::elementwise);
  CHECK(loaded.op("h").lowered->forward.way == ForwardWay::elementwise);
  // Without an operator for sums by two backward passes.
  const Loaded alone(entry("f", "self * other", "[floating, complex]"));
  CHECK(alone.op("f").lowered->forward.way == ForwardWay::reverse);
}

TEST_CASE("of dtypes that are not complex an expression has no conjugates") {
  CHECK(Tree::text(Tree("conj(x) * y", "floating").root) == "x * y");
  CHECK(Tree::text(Tree("conj(x) * y", "[floating, complex]").root) == "conj(x) * y");
  CHECK(Tree::text(Tree("conj(x == y)", "[floating, complex]").root) == "x == y");
  // What a caller puts in is what was written.
  const Loaded loaded(entry("f", "conj(self) * other", "floating") +
                      entry("g", "f(other, self)", "[floating, complex]"));
  CHECK(print(*loaded.op("f").elements->expr, {"self", "other"}) == "self * other");
  CHECK(print(*loaded.op("g").elements->expr, {"self", "other"}) == "conj(other) * self");
}

std::string written(const std::string& dtypes, const std::string& formula) {
  const Loaded loaded(
      "- func: f(Tensor self, Scalar a=2) -> Tensor\n"
      "  kernels: [cpu]\n"
      "  result: self.sizes()\n"
      "  samples: [{self: real(2)}]\n"
      "  dtypes: " +
          dtypes + "\n  doc: d.\n",
      "- name: f\n  self: " + formula + "\n", kOperators);
  return gradient_of(loaded.op("f"), 0);
}

TEST_CASE("formulas that are written conjugate what may be complex") {
  CHECK(written("floating", "conj(grad) * self") == "mul.Tensor(grads[0], self)");
  CHECK(written("complex", "conj(grad) * self") == "mul.Tensor(conj_physical(grads[0]), self)");
  CHECK(written("complex", "grad.conj() * self") == "mul.Tensor(conj_physical(grads[0]), self)");
  CHECK(written("floating", "grad * conj(a)") == "mul.Tensor(grads[0], Tensor(a))");
}

std::string errors_of(const std::string& ops, const std::string& derivatives) {
  Inputs inputs;
  inputs.ops.push_back({"ops.yaml", ops});
  inputs.derivatives.push_back({"derivatives.yaml", derivatives});
  inputs.imported_ops.push_back({"imported.yaml", kOperators});
  auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  load_model(std::move(inputs), sources, sink);
  return render_all(sink);
}

TEST_CASE("a formula that forgets to conjugate disagrees with the expression") {
  const std::string ops = entry("f", "self * other", "[floating, complex]");
  CHECK(errors_of(ops, "- name: f\n  self: grad * conj(other)\n  other: grad * conj(self)\n")
            .empty());
  const std::string said =
      errors_of(ops, "- name: f\n  self: grad * other\n  other: grad * conj(self)\n");
  CAPTURE(said);
  CHECK(said.find("the gradient of 'f' with respect to 'self' is not the derivative of its expr") !=
        std::string::npos);
  CHECK(said.find("the derivative is grad * conj(other)") != std::string::npos);
  CHECK(said.find("i the formula gives ") != std::string::npos);
  // Of real numbers both are the same.
  CHECK(errors_of(entry("f", "self * other", "floating"),
                  "- name: f\n  self: grad * other\n  other: grad * conj(self)\n")
            .empty());
}

}  // namespace
}  // namespace opweave::codegen

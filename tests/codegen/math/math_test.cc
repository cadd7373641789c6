// Mathematics of operators: as text, and as MathML.
#include "codegen/math/math.h"

#include <doctest/doctest.h>

#include <map>

#include "codegen/math/operator_math.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

// The right side of the only equation about f.
std::string right_side(const Math& equation) {
  const std::string text = math_text(*equation);
  return text.substr(text.find(" = ") + 3);
}

std::string value_of(const std::string& arguments, const std::string& expr) {
  Loaded loaded("- func: f(" + arguments + ") -> Tensor\n  expr: \"" + expr + "\"\n" +
                "  differentiable: false\n");
  return right_side(value_math(loaded.op("f")));
}
std::string value(const std::string& expr) {
  return value_of("Tensor x, Tensor y, *, Scalar alpha=1, Scalar? z=None, str mode='a'", expr);
}

std::string derivative(const std::string& expr) {
  Loaded loaded("- func: f(Tensor x, Tensor y) -> Tensor\n  expr: \"" + expr + "\"\n");
  const auto all = gradient_math(loaded.op("f"));
  REQUIRE_FALSE(all.empty());
  CHECK(all[0].arguments == std::vector<uint16_t>{0});
  CHECK(math_text(*all[0].equation).starts_with("∂f/∂x = "));
  return right_side(all[0].equation);
}

std::string mathml(const std::string& expr) {
  Loaded loaded("- func: f(Tensor x, Tensor y) -> Tensor\n  expr: \"" + expr + "\"\n");
  const std::string text = math_ml(*value_math(loaded.op("f"))->parts[1]);
  CHECK(text.starts_with("<math><mrow>"));
  CHECK(text.ends_with("</mrow></math>"));
  return text.substr(12, text.size() - 12 - 14);
}

// Of complex numbers, which have conjugates.
Loaded complex(const std::string& expr) {
  return Loaded("- func: f(Tensor x, Tensor y) -> Tensor\n  expr: \"" + expr +
                "\"\n  dtypes: [floating, complex]\n");
}

TEST_CASE("a conjugate has a line above it") {
  const Loaded product = complex("conj(x) * y"), sum = complex("conj(x + exp(y))");
  CHECK(right_side(value_math(product.op("f"))) == "x\u0304·y");
  CHECK(right_side(value_math(sum.op("f"))) == "conj(x + exp(y))");
  // No derivative is a factor of a gradient that conjugates.
  CHECK(math_text(*gradient_math(product.op("f"))[1].equation) == "grad_y = grad·x");
  const std::string text = math_ml(*value_math(sum.op("f"))->parts[1]);
  CAPTURE(text);
  CHECK(text.find("<mover accent=\"true\"><mrow><mi>x</mi><mo>+</mo>") != std::string::npos);
  CHECK(text.find("<mo stretchy=\"true\">¯</mo></mover>") != std::string::npos);
}

TEST_CASE("parentheses stand where precedence wants them") {
  CHECK(value("x + y * x") == "x + y·x");
  CHECK(value("(x + y) * x") == "(x + y)·x");
  CHECK(value("x - (y - x)") == "x − y + x");
  CHECK(value("-(x + y)") == "−(x + y)");
  CHECK(value("x - (-y)") == "x + y");
  CHECK(value("x / (y * 3)") == "x/(3·y)");
  CHECK(value("x / y / 2") == "x/(2·y)");
  CHECK(value("(x + 1) / y") == "(x + 1)/y");
  CHECK(value("pow(x + y, 2)") == "(x + y)²");
  CHECK(value("pow(x, y + 1)") == "x^(y + 1)");
  CHECK(value("pow(pow(x, y), 3)") == "(x^y)³");
  CHECK(value("x * x * x") == "x³");
  CHECK(value("-x * y") == "−x·y");
  CHECK(value("x % (y + 1)") == "x mod (y + 1)");
}

TEST_CASE("operations have the signs of mathematics") {
  CHECK(value("sqrt(x) + rsqrt(y + 1)") == "√x + 1/√(y + 1)");
  CHECK(value("abs(x) * floor(y) + ceil(x)") == "|x|·⌊y⌋ + ⌈x⌉");
  CHECK(value("floor_div(x, y) + trunc_div(x, y)") == "⌊x/y⌋ + trunc(x/y)");
  CHECK(value("log(x) + log2(x) + log10(x)") == "ln(x) + log₂(x) + log₁₀(x)");
  CHECK(value("log1p(x) + expm1(x)") == "ln(1 + x) + exp(x) − 1");
  CHECK(value("sigmoid(x) * digamma(y) + trigamma(x)") == "σ(x)·ψ(y) + ψ₁(x)");
  CHECK(value("erfinv(x) + exp2(y)") == "erf⁻¹(x) + 2^y");
  CHECK(value("asin(x) + acos(x) + atan(x)") == "arcsin(x) + arccos(x) + arctan(x)");
  CHECK(value("asinh(x) + acosh(x) + atanh(x)") == "arsinh(x) + arcosh(x) + artanh(x)");
  CHECK(value("reciprocal(x) + square(y) + sign(x)") == "1/x + y² + sgn(x)");
  CHECK(value("max(x, y)") == "max(x, y)");
  CHECK(value_of("Tensor x", "x & 3") == "x & 3");
  CHECK(value_of("Tensor x", "~x") == "~(x)");
}

TEST_CASE("numbers are written as people do") {
  CHECK(value("0.5 * x * y") == "½·x·y");
  CHECK(value("x * 0.5") == "x/2");
  CHECK(value("x + 0.1") == "x + 1/10");
  CHECK(value("x + 0.044715") == "x + 0.044715");
  CHECK(value("x * 0.7071067811865476") == "x/√2");
  CHECK(value("x * 3.141592653589793") == "x·π");
  CHECK(value("x * 1.4426950408889634") == "x/ln(2)");
  CHECK(value("x + 1e-12") == "x + 10⁻¹²");
  CHECK(value("x + 3e-9") == "x + 3·10⁻⁹");
  CHECK(value("x - 100.0") == "x − 100");
  CHECK(math_text(*math_number(1e300 * 1e300)) == "∞");
  CHECK(math_text(*math_number(-0.25)) == "−¼");
  CHECK(math_text(*math_name("lambd")) == "λ");
}

TEST_CASE("constants have their names") {
  const std::pair<double, const char*> constants[] = {
      {2.718281828459045, "e"},         {1.4142135623730951, "√2"},
      {0.7071067811865476, "1/√2"},     {2.302585092994046, "ln(10)"},
      {0.886226925452758, "√π/2"},      {1.1283791670955126, "2/√π"},
      {0.3989422804014327, "1/√(2·π)"}, {0.017453292519943295, "π/180"},
      {57.29577951308232, "180/π"},     {1.6732632423543772, "1.6732632423543772"}};
  for (const auto& [value, text] : constants) CHECK(math_text(*math_number(value)) == text);
  CHECK(math_text(*math_number(0.0 / 0.0)) == "NaN");
}

TEST_CASE("conditions are cases in words and signs") {
  CHECK(value("x > 0 ? x : alpha * x") == "{x if x > 0; α·x otherwise}");
  CHECK(value("x <= 0 ? 0 : y >= 1 ? 1 : x") == "{0 if x ≤ 0; 1 if y ≥ 1; x otherwise}");
  CHECK(value("(x > 0) * y") == "[x > 0]·y");
  CHECK(value("z != none && (x < y || isnan(x)) ? z : x") ==
        "{z if z ≠ none and (x < y or isnan(x)); x otherwise}");
  CHECK(value("z == none ? x : y") == "{x if z = none; y otherwise}");
  CHECK(value("mode == 'a' ? x : y") == "{x if mode = 'a'; y otherwise}");
  CHECK(value("mode != 'a' ? x : y") == "{x if not mode = 'a'; y otherwise}");
  CHECK(value("!(x == y)") == "(x ≠ y)");
  CHECK(value("!x") == "(x = 0)");
  CHECK(value("x ? true : false") == "{true if x ≠ 0; false otherwise}");
}

TEST_CASE("derivatives are in the form that readers like") {
  CHECK(derivative("x * sigmoid(x)") == "σ(x)·(1 + x·(1 − σ(x)))");
  CHECK(derivative("tanh(x)") == "1 − tanh(x)²");
  CHECK(derivative("exp(-(x * x) / 2)") == "−x·exp(−x²/2)");
  CHECK(derivative("0.5 * x * (1 + erf(x * 0.7071067811865476))") ==
        "(1 + erf(x/√2) + x·√(2/π)·exp(−x²/2))/2");
  CHECK(derivative("rsqrt(x)") == "−1/(2·(√x)³)");
  CHECK(derivative("x / y") == "1/y");
  CHECK(derivative("x > 0 ? x : 0") == "{1 if x > 0; 0 otherwise}");
  CHECK(derivative("x <= -3 ? 0 : x >= 3 ? 1 : x / 6") == "{0 if x ≤ −3 or x ≥ 3; ⅙ otherwise}");
  CHECK(derivative("sin(3.141592653589793 * x)") == "π·cos(π·x)");
  CHECK(derivative("x * 0.044715 + 0.044715 * x") == "0.08943");
  CHECK(derivative("expm1(x) * y") == "y·exp(x)");
}

constexpr const char* kOperators = R"(
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self * other
- func: softplus(Tensor self, Scalar beta=1) -> Tensor
  expr: log1p(exp(self * beta)) / beta
- func: mm(Tensor self, Tensor mat2) -> Tensor
  kernels: [cpu]
- func: t(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
- func: loss(Tensor self, Tensor target) -> Tensor
  expr: softplus(target) * self
- func: sum(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor
  kernels: [cpu]
- func: pair(Tensor self, int n) -> (Tensor values, Tensor indices)
  kernels: [cpu]
- func: first(Tensor self, str mode='a') -> Tensor
  composite: pair(self, 2)[0] * softplus(self)
- func: keep(Tensor self, Scalar? p=None) -> Tensor
  kernels: [cpu]
)";
constexpr const char* kDerivatives = R"(
- name: mm
  self: mm(grad, mat2.t())
  mat2: self.t().mm(grad)
- name: loss
  self: grad * softplus(target)
  target: grad * sum(self, keepdim=true)
- name: sum
  self: "keepdim ? grad * self.size(0) : grad"
- name: pair
  self: grads[0] * values * n
  output_differentiability: [true, false]
- name: keep
  self: "p == none ? grad : grad * result"
)";

std::string gradients(const Operator& op) {
  std::string text;
  for (const GradientMath& gradient : gradient_math(op))
    text += math_text(*gradient.equation) + "\n";
  return text;
}

TEST_CASE("formulas show the operators that they call, and sums and products as such") {
  Loaded loaded(kOperators, kDerivatives);
  CHECK(gradients(loaded.op("mm")) ==
        "grad_self = mm(grad, t(mat2))\ngrad_mat2 = mm(t(self), grad)\n");
  CHECK(gradients(loaded.op("loss")) ==
        "∂loss/∂self = softplus(target)\ngrad_target = grad·sum(self, keepdim = true)\n");
  CHECK(gradients(loaded.op("sum")) ==
        "grad_self = {grad·self.size(0) if keepdim; grad otherwise}\n");
  CHECK(gradients(loaded.op("pair")) == "grad_self = grad₀·values·n\n");
  CHECK(gradients(loaded.op("keep")) == "grad_self = {grad if p = none; grad·result otherwise}\n");
  CHECK(math_text(*value_math(loaded.op("first"))) ==
        "first(self) = pair(self, 2)₀·softplus(self)");
  CHECK(value_math(loaded.op("mm")) == nullptr);
  CHECK(gradient_math(loaded.op("t")).empty());
}

std::string tangents(const Operator& op) {
  std::string text;
  for (const Math& equation : forward_math(op)) text += math_text(*equation) + "\n";
  return text;
}

TEST_CASE("values that a rule reads more than once are written once, behind the equations") {
  std::string let;
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "v" + std::to_string(i - 1);
    let += ", v" + std::to_string(i) + ": \"max(" + before + ", min(" + before + ", 3))\"";
  }
  Loaded loaded(
      "- func: f(Tensor x, int n) -> Tensor\n  roles: {n: number}\n  kernels: [cpu]\n"
      "  let: {v0: x.size(0) + n, once: n * 2" +
      let +
      "}\n  result: [v40, once, v2]\n"
      "  differentiable: false\n  samples: [{x: real(3), n: 2}]\n");
  const Operator& op = loaded.op("f");
  const std::vector<Math> shapes = shape_math(op);
  REQUIRE(shapes.size() == 1);
  CHECK(math_text(*shapes[0]) == "result.sizes() = [max(v39, min(v39, 3)), 2·n, v2]");
  std::vector<std::string> lines;
  for (const Math& value : where_math(op, shapes)) lines.push_back(math_text(*value));
  REQUIRE(lines.size() == 40);
  CHECK(lines[0] == "v0 = x.size(0) + n");
  CHECK(lines[39] == "v39 = max(v38, min(v38, 3))");
  CHECK(where_math(op, {}).empty());
}

TEST_CASE("forward rules: formulas, gradients of pointwise operators, linear operators") {
  Loaded loaded(std::string(kOperators) +
                    "- func: both(Tensor self, Tensor[] list, int n=1) -> (Tensor, Tensor)\n"
                    "  kernels: [cpu]\n",
                std::string(kDerivatives) +
                    "  result: sum(self_t * result)\n"
                    "- name: both\n"
                    "  self: grads[0]\n"
                    "  list: non_differentiable\n"
                    "  result0: auto_linear\n"
                    "  result1: auto_linear\n");
  CHECK(tangents(loaded.op("keep")) == "dresult = sum(dself·result)\n");
  CHECK(tangents(loaded.op("mul.Tensor")) == "dresult = dself·other + dother·self\n");
  CHECK(tangents(loaded.op("both")) == "(dresult0, dresult1) = both(dself, list)\n");
  CHECK(tangents(loaded.op("mm")).empty());
  CHECK(tangents(loaded.op("first")).empty());
  CHECK(forward_source(loaded.op("keep")) == "by a rule of its own");
  CHECK(forward_source(loaded.op("mul.Tensor")) == "by its gradients, of the tangents");
  CHECK(forward_source(loaded.op("both")) == "by the operator itself, of the tangents");
  CHECK(forward_source(loaded.op("mm")) == "by two backward passes");
  CHECK(forward_source(loaded.op("first")) == "through the operators that it calls");
  CHECK(forward_source(loaded.op("t")) == "zeros");
  CHECK(math_ml(*forward_math(loaded.op("keep"))[0])
            .find("<mo form=\"prefix\" lspace=\"0\" "
                  "rspace=\"0.1em\">d</mo><mi>result</mi><mo>=</mo>") != std::string::npos);
}

TEST_CASE("MathML: fractions, roots, powers and cases have two dimensions") {
  CHECK(mathml("x / y") == "<mfrac><mrow><mi>x</mi></mrow><mrow><mi>y</mi></mrow></mfrac>");
  CHECK(mathml("sqrt(x)") == "<msqrt><mi>x</mi></msqrt>");
  CHECK(mathml("x * x") == "<msup><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></msup>");
  CHECK(mathml("log2(x)").starts_with(
      "<mrow><msub><mrow><mi>log</mi></mrow><mrow><mn>2</mn></mrow></msub><mo>&#x2061;</mo>"));
  CHECK(mathml("x < y").find("<mo>&lt;</mo>") != std::string::npos);
  CHECK(mathml("x & y").find("<mo>&amp;</mo>") != std::string::npos);
  CHECK(mathml("x > y").find("<mo>&gt;</mo>") != std::string::npos);
  const std::string cases = mathml("x > 0 || y > 0 ? x : -y");
  CHECK(cases.find("<mtable columnalign=\"left left\"><mtr><mtd><mi>x</mi></mtd>") !=
        std::string::npos);
  CHECK(cases.find("<mtd><mtext>if&#xa0;</mtext>") != std::string::npos);
  CHECK(cases.find("<mtext>&#xa0;or&#xa0;</mtext>") != std::string::npos);
  CHECK(cases.find("<mo form=\"prefix\">−</mo><mi>y</mi>") != std::string::npos);
  CHECK(cases.ends_with("<mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>"));
}

TEST_CASE("MathML: brackets grow with fractions, not with letters") {
  CHECK(mathml("sin(x)").find("stretchy=\"false\">(</mo>") != std::string::npos);
  CHECK(mathml("sin(x / y)").find("stretchy") == std::string::npos);
}

TEST_CASE("MathML: a derivative is a quotient of two differentials, on a line of its own") {
  Loaded loaded("- func: f(Tensor x) -> Tensor\n  expr: sin(x)\n");
  const std::string text = math_ml(*gradient_math(loaded.op("f"))[0].equation, true);
  CHECK(
      text.starts_with("<math display=\"block\"><mrow><mfrac><mrow><mi>∂</mi><mi>f</mi></mrow>"
                       "<mrow><mi>∂</mi><mi>x</mi></mrow></mfrac><mo>=</mo>"));
}

// Every tag that is opened is closed, in order.
bool is_nested(const std::string& text) {
  std::vector<std::string> open;
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const bool closes = text[at + 1] == '/';
    const size_t begin = at + (closes ? 2 : 1);
    const std::string tag = text.substr(begin, text.find_first_of(" >", begin) - begin);
    if (!closes) {
      open.push_back(tag);
    } else if (open.empty() || open.back() != tag) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST_CASE("every equation about the operators of ops.yaml is well formed") {
  Loaded loaded(read_file("ops.yaml"), read_file("derivatives.yaml"));
  int equations = 0;
  std::map<std::string, std::string> gradients;
  for (const Operator* op : loaded.model->operators().all()) {
    std::vector<Math> all;
    if (Math value = value_math(*op)) all.push_back(value);
    for (const Math& tangent : forward_math(*op)) all.push_back(tangent);
    for (const GradientMath& gradient : gradient_math(*op)) {
      all.push_back(gradient.equation);
      gradients[op->name.full] += math_text(*gradient.equation) + "\n";
    }
    for (const Math& equation : all) {
      CAPTURE(math_text(*equation));
      CHECK(is_nested(math_ml(*equation, true)));
      CHECK(math_text(*equation).find(" = ") != std::string::npos);
      ++equations;
    }
  }
  CHECK(equations > 700);
  CHECK(gradients["linear"] ==
        "(grad_input, grad_weight, grad_bias) = "
        "linear_backward(grad, input, weight, grad_input_mask)\n");
  CHECK(gradients["cat"] == "grad_tensors = cat_backward(grad, tensors.sizes_along(dim), dim)\n");
  CHECK(gradients["amax"] == "grad_self = extreme_backward(grad, self, result, dim, keepdim)\n");
  CHECK(gradients["max"] ==
        "grad_self = extreme_backward(grad, self, result, [], false, equal_nan = true)\n");
  CHECK(gradients["logaddexp"] ==
        "∂logaddexp/∂self = sigmoid_of_difference(self, other)\n"
        "∂logaddexp/∂other = sigmoid_of_difference(other, self)\n");
}

}  // namespace
}  // namespace opweave::codegen

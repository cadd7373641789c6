// Operators of the model: forms, faces, effects, and gradients derived from expressions.
#include <doctest/doctest.h>

#include "codegen/expr/element_print.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

const std::string kProducts =
    "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  variants: function, method\n"
    "  expr: self * other\n"
    "- func: neg(Tensor self) -> Tensor\n"
    "  expr: -self\n";

std::string derivative_text(const Operator& op, uint16_t argument) {
  return print_formula(*op.gradient->derivative->formula_of(argument)->formula, op);
}

std::string expr_text(const Operator& op) { return print(*op.elements->expr, argument_names(op)); }

TEST_CASE("one entry gives three forms") {
  Loaded loaded(kProducts);
  const Operator& functional = loaded.op("mul.Tensor");
  const Operator& inplace = loaded.op("mul_.Tensor");
  const Operator& out = loaded.op("mul.Tensor_out");
  CHECK(print(inplace.schema) == "mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)");
  CHECK(print(out.schema) ==
        "mul.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)");
  CHECK(functional.forms->form == Form::functional);
  CHECK(inplace.forms->form == Form::inplace);
  CHECK(out.forms->form == Form::out);
  CHECK(functional.forms->functional == &functional);
  CHECK(functional.forms->inplace == &inplace);
  CHECK(functional.forms->out == &out);
  CHECK(inplace.forms->functional == &functional);
  CHECK(inplace.elements->expr == functional.elements->expr);
  CHECK(inplace.gradient->derivative == functional.gradient->derivative);
  CHECK(inplace.computation->implementation == Implementation::expr);
  CHECK(inplace.effects.mutated == std::vector<uint16_t>{0});
  CHECK(out.effects.mutated == std::vector<uint16_t>{2});
  CHECK(out.elements->arguments.size() == 3);
  CHECK(inplace.face->method);
  CHECK_FALSE(out.face->method);
  CHECK(inplace.face->python_name == "mul_");
  CHECK(out.face->python_name == "mul");
  CHECK(out.name.identifier == "mul_Tensor_out");
}

TEST_CASE("a target's file says for which operators it brings kernels") {
  Inputs inputs;
  inputs.ops.push_back({"ops.yaml",
                        "- func: mm(Tensor self, Tensor mat2) -> Tensor\n"
                        "  kernels: [cpu]\n"
                        "  differentiable: false\n" +
                            kProducts});
  inputs.targets.push_back({"target.yaml", "name: npu\nkernels: [mm]\n"});
  DiagnosticSink sink;
  const auto model = load_model(std::move(inputs), std::make_shared<Sources>(), sink);
  REQUIRE(model != nullptr);
  CHECK(model->targets() == std::vector<std::string>{"npu"});
  CHECK(model->operators().find("mm")->computation->targets ==
        std::vector<std::string>{"cpu", "npu"});
  CHECK(model->operators().find("neg")->computation->targets.empty());
}

TEST_CASE("forms of other operators run the functional one") {
  Loaded loaded(
      "- func: max.dim(Tensor self, int dim) -> (Tensor values, Tensor indices)\n"
      "  kernels: [cpu]\n"
      "  differentiable: false\n"
      "- func: parts(Tensor self) -> (Tensor, Tensor)\n"
      "  kernels: [composite]\n"
      "- func: view(Tensor(a) self, int[] size) -> Tensor(a)\n"
      "  kernels: [composite]\n"
      "- func: split(Tensor self) -> Tensor[]\n"
      "  kernels: [composite]\n"
      "- func: helper(Tensor self) -> Tensor\n"
      "  kernels: [composite]\n"
      "  internal: true\n"
      "- func: fill_up(Tensor self, Scalar value) -> Tensor\n"
      "  kernels: [composite]\n"
      "  inplace: true\n"
      "  out: false\n");
  CHECK(print(loaded.op("max.dim_out").schema) ==
        "max.dim_out(Tensor self, int dim, *, Tensor(a!) values, Tensor(b!) indices) -> "
        "(Tensor(a!) values, Tensor(b!) indices)");
  CHECK(print(loaded.op("parts.out").schema) ==
        "parts.out(Tensor self, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))");
  CHECK(loaded.op("max.dim_out").computation->implementation == Implementation::derived);
  CHECK_FALSE(loaded.has("max_.dim"));
  CHECK_FALSE(loaded.has("view.out"));
  CHECK_FALSE(loaded.has("split.out"));
  CHECK_FALSE(loaded.has("helper.out"));
  CHECK(loaded.has("fill_up_"));
  CHECK_FALSE(loaded.has("fill_up.out"));
}

TEST_CASE("entries of their own take the place of derived forms") {
  Loaded loaded(
      "- func: relu(Tensor self) -> Tensor\n"
      "  expr: relu(self)\n"
      "- func: relu_(Tensor(a!) self) -> Tensor(a!)\n"
      "  kernels: [cpu]\n"
      "- func: relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n"
      "  kernels: [cpu]\n"
      "- func: zero_(Tensor(a!) self) -> Tensor(a!)\n"
      "  kernels: [cpu]\n"
      "  differentiable: false\n");
  CHECK(loaded.op("relu_").forms->form == Form::inplace);
  CHECK(loaded.op("relu_").computation->implementation == Implementation::kernels);
  CHECK(loaded.op("relu_").gradient->derivative == loaded.op("relu").gradient->derivative);
  CHECK(loaded.op("relu.out").forms->form == Form::out);
  CHECK(loaded.op("relu").forms->out == &loaded.op("relu.out"));
  CHECK(loaded.op("zero_").forms->form == Form::manual);
  CHECK(loaded.op("zero_").forms->functional == nullptr);
}

TEST_CASE("views are known by their alias annotations") {
  Loaded loaded(
      "- func: split(Tensor(a -> *) self, int n) -> Tensor(a)[]\n"
      "  kernels: [composite]\n"
      "- func: clone(Tensor self) -> Tensor\n"
      "  kernels: [composite]\n");
  REQUIRE(loaded.op("split").effects.views.size() == 1);
  CHECK(loaded.op("split").effects.views[0].argument == 0);
  CHECK(loaded.op("split").is_view());
  CHECK_FALSE(loaded.op("clone").is_view());
}

TEST_CASE("how operators are differentiated") {
  Loaded loaded(
      "- func: eq(Tensor self, Tensor other) -> Tensor\n"
      "  expr: self == other\n"
      "- func: zeros(int[] size) -> Tensor\n"
      "  kernels: [cpu]\n"
      "- func: item(Tensor self) -> Scalar\n"
      "  kernels: [cpu]\n"
      "- func: twice(Tensor self) -> Tensor\n"
      "  composite: cloned(cloned(self))\n"
      "- func: cloned(Tensor self) -> Tensor\n"
      "  kernels: [cpu]\n"
      "- func: counted(Tensor self) -> Tensor\n"
      "  kernels: [cpu]\n"
      "  dtypes: integral\n"
      "  result: self.sizes()\n"
      "- func: floor(Tensor self) -> Tensor\n"
      "  expr: floor(self)\n"
      "- func: exp(Tensor self) -> Tensor\n"
      "  expr: exp(self)\n"
      "  differentiable: false\n",
      "- name: cloned\n  self: grad\n");
  CHECK(loaded.op("eq").gradient->differentiability == Differentiability::none);
  CHECK(loaded.op("zeros").gradient->differentiability == Differentiability::none);
  CHECK(loaded.op("item").gradient->differentiability == Differentiability::none);
  CHECK(loaded.op("counted").gradient->differentiability == Differentiability::none);
  CHECK(loaded.op("exp").gradient->differentiability == Differentiability::none);
  CHECK(loaded.op("twice").gradient->differentiability == Differentiability::through);
  CHECK(loaded.op("cloned").gradient->differentiability == Differentiability::formula);
  CHECK(loaded.op("floor").gradient->derivative->formula_of(0)->kind ==
        DerivativeFormula::Kind::zero);
}

TEST_CASE("small gradients are calls of operators, larger ones become operators") {
  Loaded loaded(kProducts +
                "- func: silu(Tensor self) -> Tensor\n"
                "  expr: self * sigmoid(self)\n"
                "- func: where(Tensor condition, Tensor self, Tensor other) -> Tensor\n"
                "  expr: \"condition ? self : other\"\n");
  const Operator& mul = loaded.op("mul.Tensor");
  CHECK(derivative_text(mul, 0) == "mul.Tensor(grads[0], other)");
  CHECK(derivative_text(loaded.op("neg"), 0) == "neg(grads[0])");
  const Operator& silu = loaded.op("silu");
  CHECK(derivative_text(silu, 0) == "silu_backward_self(grads[0], self)");
  const Operator& backward = loaded.op("silu_backward_self");
  CHECK(print(backward.schema) == "silu_backward_self(Tensor grad_output, Tensor self) -> Tensor");
  CHECK(backward.face->internal);
  CHECK(backward.is_generated());
  CHECK(backward.origin.gradient_of == &silu);
  CHECK(expr_text(backward) ==
        "grad_output * (sigmoid(self) + (self * ((1 - sigmoid(self)) * sigmoid(self))))");
  const Operator& where = loaded.op("where");
  CHECK(where.gradient->derivative->formula_of(0)->kind ==
        DerivativeFormula::Kind::non_differentiable);
  CHECK(derivative_text(where, 1) == "where_backward_self(grads[0], condition)");
}

TEST_CASE("backward operators are differentiated by formulas over public operators") {
  Loaded loaded(kProducts + "- func: tanh(Tensor self) -> Tensor\n  expr: tanh(self)\n");
  const Operator& first = loaded.op("tanh_backward_self");
  CHECK(first.gradient->differentiability == Differentiability::formula);
  CHECK(derivative_text(first, 1) ==
        "mul.Tensor(grads[0], mul.Tensor(grad_output, mul.Tensor(Tensor(-2), output)))");
}

TEST_CASE("what has no operators to be written with becomes a backward operator again, twice") {
  // There is no operator trigamma here.
  Loaded loaded(kProducts + "- func: lgamma(Tensor self) -> Tensor\n  expr: lgamma(self)\n");
  const Operator& first = loaded.op("lgamma_backward_self");
  // The gradient with respect to grad_output is the same operation again.
  CHECK(derivative_text(first, 0) == "lgamma_backward_self(grads[0], self)");
  CHECK(derivative_text(first, 1) ==
        "lgamma_backward_self_backward_self(grads[0], grad_output, self)");
  const Operator& second = loaded.op("lgamma_backward_self_backward_self");
  CHECK(second.gradient->differentiability == Differentiability::not_implemented);
  CHECK(second.origin.gradient_of == &loaded.op("lgamma"));
  CHECK(
      print(second.schema) ==
      "lgamma_backward_self_backward_self(Tensor grad_output_, Tensor grad_output, Tensor self) -> "
      "Tensor");
}

TEST_CASE("parameters go along with a gradient, keyword-only ones as such") {
  Loaded loaded(
      "- func: scale(Tensor self, float? low=None, *, str mode='a', Scalar beta=1) -> Tensor\n"
      "  expr: \"mode == 'a' && low != none ? exp(self * beta) * low : sin(self)\"\n");
  CHECK(print(loaded.op("scale_backward_self").schema) ==
        "scale_backward_self(Tensor grad_output, Tensor self, float? low, *, str mode, Scalar "
        "beta) -> "
        "Tensor");
}

TEST_CASE("an author's formula stands beside derived ones") {
  Loaded loaded(kProducts, "- name: mul.Tensor\n  self: other * grad\n");
  const Operator& mul = loaded.op("mul.Tensor");
  CHECK(derivative_text(mul, 0) == "mul.Tensor(other, grads[0])");
  CHECK(derivative_text(mul, 1) == "mul.Tensor(grads[0], self)");
  CHECK_FALSE(mul.gradient->derivative->formula_of(0)->derived);
  CHECK(mul.gradient->derivative->formula_of(1)->derived);
}

TEST_CASE("imported operators are known but have no gradients made") {
  Loaded loaded("- func: mine(Tensor self) -> Tensor\n  expr: silu(self) + 1\n", "",
                "- func: silu(Tensor self) -> Tensor\n  expr: self * sigmoid(self)\n");
  CHECK(loaded.op("silu").origin.imported);
  CHECK(loaded.op("silu_").origin.imported);
  CHECK(loaded.op("silu").gradient->derivative == nullptr);
  CHECK(expr_text(loaded.op("mine")) == "(self * sigmoid(self)) + 1");
  CHECK(loaded.has("mine_backward_self"));
  CHECK_FALSE(loaded.has("silu_backward_self"));
}

TEST_CASE("Python's operators are not for libraries") {
  Inputs inputs;
  inputs.imported_ops.push_back({"imported.yaml", kProducts});
  inputs.ops.push_back({"ops.yaml",
                        "- func: mine(Tensor self) -> Tensor\n  variants: method\n"
                        "  expr: -self\n  python_operator: __invert__\n"});
  // Diagnostics point into them.
  const auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  CHECK(load_model(std::move(inputs), sources, sink) == nullptr);
  CHECK(render_all(sink).find("'mine' cannot be __invert__ in Python: that is for operators of "
                              "Opweave itself") != std::string::npos);
}

TEST_CASE("fields of an entry") {
  Loaded loaded(
      "- func: rand(int[] size, *, Scalar level=1, str mode='a') -> Tensor\n"
      "  kernels: [cpu, meta]\n"
      "  variants: [function]\n"
      "  python_name: random\n"
      "  python_module: special\n"
      "  tags: [random, nondeterministic]\n"
      "  dtypes: [float32, int64]\n"
      "  doc: |\n"
      "    Random numbers.\n"
      "  samples: {level: [1, 2.5], mode: ['a', b]}\n");
  const Operator& op = loaded.op("rand");
  CHECK(op.computation->targets == std::vector<std::string>{"cpu", "meta"});
  CHECK(op.has_target("meta"));
  CHECK(op.face->python_name == "random");
  CHECK(op.face->python_module == "special");
  CHECK(op.face->tags.size() == 2);
  CHECK(op.face->doc == "Random numbers.");
  CHECK(op.selected->dtypes.contains(kLong));
  CHECK_FALSE(op.selected->dtypes.contains(kDouble));
  REQUIRE(op.tests->argument_samples.size() == 2);
  CHECK(op.tests->argument_samples[0].values[1].real == 2.5);
  CHECK(op.tests->argument_samples[1].values[1].string == "b");
}

TEST_CASE("the table finds operators and families") {
  Loaded loaded(kProducts +
                "- func: mul.Scalar(Tensor self, Scalar other) -> Tensor\n  expr: self * other\n");
  const OperatorTable& table = loaded.model->operators();
  CHECK(table.find("nothing") == nullptr);
  CHECK(table.family("nothing") == nullptr);
  REQUIRE(table.family("mul"));
  CHECK(table.family("mul")->overloads.size() == 4);
  CHECK(table.all()[0]->name.full == "mul.Tensor");
  CHECK(table.all()[1]->name.full == "mul_.Tensor");
  CHECK(table.all()[2]->name.full == "mul.Tensor_out");
  CHECK(table.all()[3]->name.full == "neg");
}

}  // namespace
}  // namespace opweave::codegen

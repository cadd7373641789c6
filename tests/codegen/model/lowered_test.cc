// What backward passes, forward rules and recordings are lowered to.
#include "codegen/model/lowered/lowered.h"

#include <doctest/doctest.h>

#include "codegen/model/lowered/repeated.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

using Places = std::vector<uint16_t>;
using Part = BackwardPass::Read::Part;

const std::string kMath =
    "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  variants: function, method\n"
    "  expr: self * other\n"
    "- func: mul.Scalar(Tensor self, Scalar other) -> Tensor\n"
    "  variants: function, method\n"
    "  expr: self * other\n"
    "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "  variants: function, method\n"
    "  expr: self + other\n";

std::string kernel(const std::string& schema) {
  return "- func: " + schema + "\n  kernels: [cpu]\n  internal: true\n";
}

const BackwardPass& backward(const Loaded& loaded, std::string_view name) {
  REQUIRE(loaded.op(name).lowered != nullptr);
  REQUIRE(loaded.op(name).lowered->backward != nullptr);
  return *loaded.op(name).lowered->backward;
}

TEST_CASE("each formula is a step that runs for the gradients that it reads") {
  const Loaded loaded(kernel("f(Tensor self, Tensor other) -> (Tensor a, Tensor b)"),
                      "- name: f\n"
                      "  self: grads[0] * other\n"
                      "  other: grads[1] * self\n",
                      kMath);
  const BackwardPass& pass = backward(loaded, "f");
  REQUIRE(pass.steps.size() == 2);
  CHECK(pass.steps[0].arguments == Places{0});
  CHECK(pass.steps[0].runs_for == Places{0});
  CHECK(pass.steps[1].runs_for == Places{1});
  CHECK(pass.steps[1].gradients == Places{1});
  CHECK(pass.step_of(1) == &pass.steps[1]);
  CHECK(pass.formulas().size() == 2);
  CHECK_FALSE(pass.fills());
  CHECK_FALSE(pass.makes_zeros());
}

TEST_CASE("a step that reads no gradient runs for that of any result that is differentiable") {
  const Loaded loaded(kernel("f(Tensor self, Tensor step) -> (Tensor a, Tensor b, Tensor c)"),
                      "- name: f\n"
                      "  output_differentiability: [false, true, true]\n"
                      "  self: grads[1] + grads[2]\n"
                      "  step: zero\n",
                      kMath);
  const BackwardPass& pass = backward(loaded, "f");
  CHECK(pass.results == std::vector<bool>{false, true, true});
  CHECK(pass.steps[0].filled == Places{1, 2});
  CHECK(pass.steps[0].reads_gradients());
  CHECK(pass.fills());
  CHECK(pass.steps[1].is_zeros());
  CHECK(pass.steps[1].runs_for == Places{1, 2});
  CHECK_FALSE(pass.steps[1].reads_gradients());
  CHECK(pass.makes_zeros());
}

TEST_CASE("zeros are made for each input alone") {
  const Loaded loaded(kernel("f(Tensor self, Tensor a, Tensor b) -> Tensor"),
                      "- name: f\n  self: grad\n  a, b: zero\n", kMath);
  const BackwardPass& pass = backward(loaded, "f");
  REQUIRE(pass.steps.size() == 3);
  CHECK(pass.steps[1].arguments == Places{1});
  CHECK(pass.steps[2].arguments == Places{2});
}

TEST_CASE("what each argument's gradient is, and which have edges") {
  const Loaded loaded(
      kernel("f(Tensor self, int n, Tensor[] list, Tensor step, Tensor mask, Tensor? sure=None) -> "
             "Tensor"),
      "- name: f\n"
      "  self: grad\n"
      "  list: \"[grad]\"\n"
      "  step: zero\n"
      "  mask: non_differentiable\n"
      "  sure: refused\n",
      kMath);
  const BackwardPass& pass = backward(loaded, "f");
  using enum ArgumentGradient;
  CHECK(pass.arguments ==
        std::vector<ArgumentGradient>{formula, no_tensor, formula, zeros, constant, refused});
  REQUIRE(pass.inputs.size() == 3);
  CHECK(pass.inputs[1].argument == 2);
  CHECK(pass.inputs[1].list);
  CHECK_FALSE(pass.inputs[2].list);
  CHECK(pass.input_of(3) == 2);
  CHECK(pass.is_input(3));
  CHECK_FALSE(pass.is_input(4));
  CHECK(pass.step_of(4) == nullptr);
  CHECK(pass.refused() == Places{5});
}

TEST_CASE("tensors are kept for the inputs whose steps read them, values for all") {
  const Loaded loaded(kernel("f(Tensor self, Tensor other, Tensor third, Scalar scale) -> Tensor"),
                      "- name: f\n"
                      "  self: grad * other * third * scale\n"
                      "  other: grad * self * result\n"
                      "  third: grad * third * result\n",
                      kMath);
  const BackwardPass& pass = backward(loaded, "f");
  REQUIRE(pass.kept.size() == 5);
  CHECK(pass.kept[0].what.name == "other");
  CHECK(pass.kept[0].only_for == Places{0});
  CHECK_FALSE(pass.kept[0].shared);
  CHECK(pass.kept[1].what.name == "third");
  CHECK(pass.kept[1].only_for == Places{0, 2});
  CHECK(pass.kept[1].shared);
  CHECK(pass.kept[2].what.name == "scale");
  CHECK(pass.kept[2].only_for.empty());
  CHECK_FALSE(pass.kept[2].has_tensors());
  CHECK(pass.kept[4].what.name == "result");
  CHECK(pass.kept[4].of_result());
  CHECK(pass.kept[4].only_for == Places{1, 2});
  CHECK(pass.steps[0].reads == Places{0, 1, 2});
}

TEST_CASE("what all steps read is always kept") {
  const Loaded loaded(kernel("f(Tensor self, Tensor other) -> Tensor"),
                      "- name: f\n  self: grad * result\n  other: grad * result\n", kMath);
  CHECK(backward(loaded, "f").kept[0].only_for.empty());
  CHECK(backward(loaded, "f").kept[0].shared);
}

// The property that is an operand of the first call of a formula.
const FormulaNode& second_operand(const BackwardPass& pass, size_t step) {
  return pass.steps[step].formula->operand(1);
}

TEST_CASE("leaves are answered from what is kept") {
  const Loaded loaded(kernel("f(Tensor self, Tensor a, Tensor b, Tensor c) -> Tensor"),
                      "- name: f\n"
                      "  self: grad * self.size(0)\n"
                      "  a: grad * self.dim()\n"
                      "  b: grad * self.numel()\n"
                      "  c: grad * self.stride(1)\n",
                      kMath);
  const BackwardPass& pass = backward(loaded, "f");
  REQUIRE(pass.kept.size() == 2);
  CHECK_FALSE(pass.kept[0].is_whole());
  const Part parts[] = {Part::at, Part::length, Part::product, Part::at};
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    const FormulaNode* leaf = &second_operand(pass, i);
    while (leaf->kind != FormulaKind::property) leaf = &leaf->operand(0);
    const auto read = pass.read_of(*leaf);
    REQUIRE(read);
    CHECK(read->part == parts[i]);
    CHECK(read->kept == (i == 3 ? 1 : 0));
  }
  CHECK_FALSE(pass.read_of(*pass.steps[0].formula));
}

TEST_CASE("the mask is asked by the step that reads it") {
  const Loaded loaded(kernel("two(Tensor grad_, bool[2] mask) -> (Tensor, Tensor)") +
                          "  differentiable: false\n" +
                          kernel("f(Tensor self, Tensor other) -> Tensor"),
                      "- name: f\n  self, other: two(grad, grad_input_mask)\n", kMath);
  const BackwardPass& pass = backward(loaded, "f");
  REQUIRE(pass.steps.size() == 1);
  CHECK(pass.steps[0].arguments == Places{0, 1});
  CHECK(pass.steps[0].asks_mask);
}

TEST_CASE("forms share a pass, and record it in their ways") {
  const Loaded loaded(kMath);
  const Operator& functional = loaded.op("mul.Tensor");
  const Operator& inplace = loaded.op("mul_.Tensor");
  CHECK(functional.lowered->backward == inplace.lowered->backward);
  CHECK(functional.lowered->backward == loaded.op("mul.Tensor_out").lowered->backward);
  CHECK(functional.lowered->recording.way == RecordWay::node);
  CHECK_FALSE(functional.lowered->recording.rewritten);
  CHECK(functional.lowered->recording.copied.empty());
  CHECK(inplace.lowered->recording.rewritten == 0);
  CHECK(inplace.lowered->recording.copied == Places{0});
  CHECK_FALSE(inplace.lowered->recording.moves_view);
  CHECK(loaded.op("mul.Tensor_out").lowered->recording.way == RecordWay::out);
}

TEST_CASE("what calls without formulas leave of histories") {
  const Loaded loaded(
      "- func: eq.Tensor(Tensor self, Tensor other) -> Tensor\n"
      "  expr: self == other\n" +
          kernel("count(Tensor self) -> Tensor") + "  differentiable: false\n" +
          kernel("fill_(Tensor(a!) self) -> Tensor(a!)") + "  differentiable: false\n" +
          kernel("later(Tensor self) -> Tensor") + kernel("bits(Tensor self) -> Tensor") +
          "- func: twice(Tensor self) -> Tensor\n  composite: self * 2\n",
      "- name: later\n  self: not_implemented\n"
      "- name: bits\n  self: non_differentiable\n",
      kMath);
  const auto recording = [&](std::string_view name) { return loaded.op(name).lowered->recording; };
  CHECK(recording("eq.Tensor").way == RecordWay::none);
  CHECK(recording("eq_.Tensor").way == RecordWay::constant);
  CHECK(recording("eq_.Tensor").written == WrittenHistory::zeros);
  CHECK(recording("count").way == RecordWay::constant);
  CHECK(recording("fill_").way == RecordWay::constant);
  CHECK(recording("fill_").written == WrittenHistory::lost);
  CHECK(recording("later").way == RecordWay::not_implemented);
  CHECK(recording("later").checks_results);
  CHECK(recording("bits").way == RecordWay::constant);
  CHECK(recording("twice").way == RecordWay::none);
}

TEST_CASE(
    "tangents of elements are the gradients' formulas, in place those of the functional form") {
  const Loaded loaded(kMath);
  const ForwardPass& pass = loaded.op("mul.Tensor").lowered->forward;
  CHECK(pass.way == ForwardWay::elementwise);
  REQUIRE(pass.sums.size() == 1);
  CHECK(pass.sums[0].written == nullptr);
  REQUIRE(pass.sums[0].terms.size() == 2);
  CHECK(pass.sums[0].terms[1].tangents == Places{1});
  CHECK(pass.sums[0].reads_argument(0));
  CHECK(pass.formulas().empty());
  CHECK(pass.inputs == Places{0, 1});
  CHECK(pass.outputs == Places{0});
  CHECK_FALSE(pass.reads_written);
  const ForwardPass& inplace = loaded.op("mul_.Tensor").lowered->forward;
  CHECK(inplace.by_functional);
  CHECK(inplace.reads_written);
}

TEST_CASE("tangents that an entry gives are terms of sums") {
  const Loaded loaded(kernel("f(Tensor self, Tensor other, Tensor mask) -> (Tensor a, Tensor b)"),
                      "- name: f\n"
                      "  output_differentiability: [true, false]\n"
                      "  self: grad * other\n"
                      "  other: grad * self\n"
                      "  mask: non_differentiable\n"
                      "  a: self_t * other_p + self_p * other_t\n",
                      kMath);
  const ForwardPass& pass = loaded.op("f").lowered->forward;
  CHECK(pass.way == ForwardWay::formula);
  REQUIRE(pass.sums.size() == 1);
  CHECK(pass.sums[0].terms.size() == 2);
  CHECK(pass.formulas().size() == 2);
  CHECK(loaded.op("f").lowered->formulas().size() == 4);
  CHECK(pass.inputs == Places{0, 1});
  CHECK(pass.outputs == Places{0});
}

TEST_CASE("tangents of what is zero take no sums") {
  const Loaded loaded(kernel("f(Tensor self) -> Tensor"), "- name: f\n  self: zero\n", kMath);
  const ForwardPass& pass = loaded.op("f").lowered->forward;
  CHECK(pass.way == ForwardWay::none);
  CHECK(pass.sums.empty());
}

TEST_CASE("of which tensors formulas read elements, and not their sizes alone") {
  const Loaded loaded(
      kernel("f(Tensor self, Tensor other, Tensor like, Tensor[] list) -> (Tensor a, Tensor b)"),
      "- name: f\n"
      "  self: grads[0] * other * like.size(0) * b\n"
      "  other: grads[1] * self * list[0].dim()\n"
      "  like: zero\n"
      "  list: non_differentiable\n",
      kMath);
  const ElementsRead& read = loaded.op("f").lowered->elements;
  CHECK(read.arguments == Places{0, 1});
  CHECK(read.results == Places{1});
}

// What a formula of `f`'s self repeats, as operators' names with a place of each occurrence.
std::vector<std::string> repeated_in(const std::string& formula, const std::string& ops = kMath) {
  const Loaded loaded(kernel("f(Tensor self, Tensor other, bool flag) -> Tensor"),
                      "- name: f\n  other: zero\n  self: \"" + formula + "\"\n", ops);
  const RepeatedCalls repeated(*backward(loaded, "f").steps[0].formula);
  std::vector<std::string> names;
  for (const FormulaNode* value : repeated.values()) {
    CHECK(repeated.place_of(*value) == names.size());
    names.push_back(value->op != nullptr ? value->op->name.full : "number");
  }
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("what a formula computes twice is found once, behind what it needs") {
  CHECK(repeated_in("grad * self * other") == Names{});
  CHECK(repeated_in("self * other * (self * other)") == Names{"mul.Tensor"});
  CHECK(repeated_in("(self * other) + (other * self)") == Names{});  // other bits, perhaps
  CHECK(repeated_in("(self + other * 2) * (self + other * 2) * (other * 2)") ==
        Names{"mul.Scalar", "add.Tensor"});
  CHECK(repeated_in("self * 2 + self * 3") == Names{});
  CHECK(repeated_in("self * 0.0 + self * (-0.0)") == Names{});
}

TEST_CASE("what a branch alone needs is not computed for all") {
  CHECK(repeated_in("flag ? (self * other) * (self * other) : grad") == Names{});
  CHECK(repeated_in("(flag ? self * other : grad) + self * other") == Names{});
  CHECK(repeated_in("(flag ? self * other : grad) + (self * other) * (self * other)") ==
        Names{"mul.Tensor"});
  const std::string sum = "(self * other + grad)";
  CHECK(repeated_in("(flag ? " + sum + " : grad) + " + sum + " * " + sum + " * (self * other)") ==
        Names{"mul.Tensor", "add.Tensor"});
}

TEST_CASE("what is random is drawn for each call") {
  const std::string random =
      "- func: noise(Tensor self) -> Tensor\n  kernels: [cpu]\n  tags: [random]\n"
      "  variants: function\n  differentiable: false\n";
  CHECK(repeated_in("grad * noise(self) + noise(self) * 2", kMath + random) == Names{});
}

TEST_CASE("a kernel for all targets stands below autograd or is differentiated through") {
  const Loaded loaded(
      "- func: f(Tensor self) -> Tensor\n  composite: mul(self, self)\n"
      "- func: g(Tensor self) -> Tensor\n  kernels: [every_target]\n  internal: true\n"
      "  differentiable: false\n"
      "- func: h(Tensor self) -> Tensor\n  kernels: [composite]\n  internal: true\n"
      "- func: k(Tensor self) -> Tensor\n  kernels: [cpu]\n  internal: true\n"
      "  differentiable: false\n",
      "", kMath);
  const SharedKernel& formula = loaded.op("f").lowered->shared;
  CHECK(formula.way == SharedWay::formula);
  CHECK_FALSE(formula.is_wrapped());
  const SharedKernel& constant = loaded.op("g").lowered->shared;
  CHECK(constant.way == SharedWay::handwritten);
  CHECK(constant.below_autograd);
  CHECK(constant.constant);
  CHECK(loaded.op("h").lowered->shared.way == SharedWay::handwritten);
  CHECK_FALSE(loaded.op("h").lowered->shared.is_wrapped());
  CHECK(loaded.op("k").lowered->shared.way == SharedWay::none);
}

TEST_CASE("an out form writes what is made, or calls another that writes where it is told to") {
  const Loaded loaded(
      "- func: square(Tensor self) -> Tensor\n  composite: mul(self, self)\n"
      "- func: cube(Tensor self) -> Tensor\n  composite: mul(mul(self, self), self)\n"
      "",
      "", kMath);
  const SharedKernel& square = loaded.op("square.out").lowered->shared;
  CHECK(square.way == SharedWay::written);
  REQUIRE(square.forwarded != nullptr);
  CHECK(square.forwarded->op->name.full == "mul.Tensor");
  CHECK(square.write == WriteWay::out);
  CHECK(square.handed == std::vector<Handed>{Handed::as_it_is});
  CHECK(loaded.op("cube.out").lowered->shared.forwarded != nullptr);
}

TEST_CASE("a factory makes what out is") {
  const Loaded loaded(
      "- func: fill(int[] size, *, ScalarType? dtype=None) -> Tensor\n  kernels: [every_target]\n"
      "  differentiable: false\n  roles: {size: sizes}\n"
      "- func: count(int end, *, ScalarType? dtype=None) -> Tensor\n  kernels: [every_target]\n"
      "  differentiable: false\n");
  const SharedKernel& fill = loaded.op("fill.out").lowered->shared;
  CHECK(fill.write == WriteWay::out);
  CHECK(fill.out_dtype == OutDtype::cast);
  CHECK(fill.handed == std::vector<Handed>{Handed::as_it_is, Handed::as_of_out});
  CHECK(loaded.op("count.out").lowered->shared.write == WriteWay::range);
}

TEST_CASE("what stands around a kernel follows from its rule, or from what it takes and gives") {
  const auto adapter = [](const std::string& schema, const std::string& keys) {
    const Loaded loaded("- func: " + schema +
                        "\n  kernels: [cpu]\n  internal: true\n  differentiable: false\n" + keys);
    return loaded.op("f").lowered->hardware.adapter;
  };
  CHECK(adapter("f(Tensor self) -> Tensor", "  result: self.sizes()\n") == KernelAdapter::fills);
  CHECK(adapter("f(Tensor self) -> Tensor",
                "  require: {self.dim() > 0: \"no dimensions\"}\n  result: data\n") ==
        KernelAdapter::checked);
  CHECK(adapter("f(Tensor self, Tensor other) -> Tensor", "") == KernelAdapter::one_device);
  CHECK(adapter("f(Tensor self) -> Tensor", "") == KernelAdapter::returns);
  CHECK(adapter("f(Tensor self) -> int", "") == KernelAdapter::none);
}

TEST_CASE("without data the rule says what a call gives, or nobody does") {
  const auto meta = [](const std::string& result) {
    const Loaded loaded(
        "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  internal: true\n"
        "  differentiable: false\n" +
        result);
    return loaded.op("f").lowered->hardware.meta;
  };
  CHECK(meta("  result: self.sizes()\n") == MetaWay::rule);
  CHECK(meta("  result: data\n") == MetaWay::needs_data);
  CHECK(meta("") == MetaWay::none);
}

}  // namespace
}  // namespace opweave::codegen

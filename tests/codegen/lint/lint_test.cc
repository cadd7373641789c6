// What backward passes keep alive, and what the lint says about it.
#include "codegen/lint/lint.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

constexpr const char* kOperators = R"(
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self * other
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  expr: self + alpha * other
- func: sub.Tensor(Tensor self, Tensor other) -> Tensor
  expr: self - other
- func: exp(Tensor self) -> Tensor
  expr: exp(self)
- func: swish(Tensor self) -> Tensor
  expr: self * sigmoid(self)
- func: sigmoid(Tensor self) -> Tensor
  expr: sigmoid(self)
- func: pool(Tensor self, int size) -> Tensor
  kernels: [cpu]
- func: pool_backward(Tensor grad_output, Tensor self, int size) -> Tensor
  kernels: [cpu]
- func: take(Tensor self, Tensor index, Tensor mask) -> (Tensor values, Tensor places)
  kernels: [cpu]
  argument_dtypes: {index: [int64], mask: [bool, uint8]}
  result: data
- func: take_backward(Tensor grad, Tensor index, Tensor mask, int[] sizes) -> Tensor
  kernels: [cpu]
  differentiable: false
- func: join(Tensor[] tensors, int dim) -> Tensor
  kernels: [cpu]
- func: split_like(Tensor grad, Tensor[] tensors, int[] sizes, ScalarType dtype) -> Tensor[]
  kernels: [cpu]
  differentiable: false
)";
constexpr const char* kDerivatives = R"(
- name: exp
  self: grad * exp(self)
- name: swish
  self: grad * sigmoid(self) + grad * result * (1 - sigmoid(self))
- name: pool
  self: pool_backward(grad, self, size)
- name: pool_backward
  grad_output: pool(grad, size)
  self: zero
- name: take
  self: take_backward(grads[0], index, mask, self.sizes())
  index, mask: non_differentiable
  output_differentiability: [true, false]
- name: join
  tensors: split_like(grad, tensors, tensors.sizes_along(dim), result.scalar_type())
)";

struct Lint {
  explicit Lint(std::string derivatives = kDerivatives)
      : loaded(kOperators, std::move(derivatives)) {}
  std::string kept(const std::string& name) const {
    return describe_kept(kept_by(loaded.op(name)));
  }
  // They name operators of the model.
  std::vector<Finding> findings() const&& = delete;
  std::vector<Finding> findings() const& { return find_kept_too_long(*loaded.model); }
  Loaded loaded;
};

TEST_CASE("what is kept, and how much that is") {
  const Lint lint;
  CHECK(lint.kept("mul.Tensor") == "other, self: 8 bytes per element in float32");
  CHECK(lint.kept("add.Tensor") == "alpha");
  CHECK(lint.kept("exp") == "self: 4 bytes per element in float32");
  CHECK(lint.kept("swish") == "self, result: 8 bytes per element in float32");
  CHECK(lint.kept("sigmoid") == "result: 4 bytes per element in float32");
  CHECK(lint.kept("pool") == "self: 4 bytes per element in float32; also size");
  CHECK(lint.kept("take") == "index, mask: 9 bytes per element in float32; also sizes of self");
  CHECK(lint.kept("join") ==
        "tensors: 4 bytes per element in float32; also sizes_along of tensors, dim, scalar_type of "
        "the "
        "result");
  CHECK(lint.kept("pool_backward") == "size");
}

TEST_CASE("a tensor whose elements do not matter is found") {
  const Lint lint;
  const std::vector<Finding> findings = lint.findings();
  REQUIRE(findings.size() == 2);
  CHECK(findings[1].op->name.full == "pool");
  CHECK(findings[1].tensor == "self");
  CHECK(findings[1].message ==
        "the elements of 'self' do not matter to 'pool_backward', whose derivative with respect to "
        "'self' is zero: if it reads only the sizes, hand it 'self.sizes()'");
  CHECK(findings[1].rewrite.empty());
}

TEST_CASE("a formula that keeps input and result where the derived one needs one of them") {
  const Lint lint;
  const std::vector<Finding> findings = lint.findings();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].op->name.full == "swish");
  CHECK(findings[0].tensor == "result");
  CHECK(findings[0].message ==
        "the derivative of the expr, which the formulas agree with, does without 'result'");
  CHECK(findings[0].rewrite.starts_with("self: grad * (sigmoid(self) + "));
}

TEST_CASE("not where the tensor is read for its elements as well") {
  const Lint lint(
      "- name: pool\n  self: pool_backward(grad, self, size) * self\n"
      "- name: pool_backward\n  grad_output: grad\n  self: zero\n"
      "- name: take\n  self: zero\n  index, mask: non_differentiable\n"
      "- name: join\n  tensors: split_like(grad, tensors, [], result.scalar_type())\n");
  CHECK(lint.findings().empty());
}

TEST_CASE("a reason is an answer") {
  const Lint lint(
      "- name: pool\n  self: pool_backward(grad, self, size)\n  keeps: It was so.\n"
      "- name: pool_backward\n  grad_output: grad\n  self: zero\n"
      "- name: take\n  self: zero\n  index, mask: non_differentiable\n"
      "- name: join\n  tensors: split_like(grad, tensors, [], result.scalar_type())\n");
  REQUIRE(lint.findings().size() == 1);
  CHECK(lint.findings()[0].allowed == "It was so.");
  CHECK(lint_text(*lint.loaded.model, false) ==
        "10 differentiable operators, 4 keep no tensor; 1 could keep less, 1 of these with a "
        "reason\n");
  CHECK(lint_text(*lint.loaded.model, true).find("pool keeps self: It was so.\n") !=
        std::string::npos);
}

TEST_CASE("as text and as JSON") {
  const Lint lint;
  const std::string text = lint_text(*lint.loaded.model, false);
  CHECK(text.find(": note: 'pool' keeps 'self' alive; the elements") != std::string::npos);
  CHECK(text.find("    write instead, or leave out:\n      self: grad * (sigmoid(self)") !=
        std::string::npos);
  const auto document = nlohmann::json::parse(lint_json(*lint.loaded.model));
  CHECK(document["findings"].size() == 2);
  CHECK(document["findings"][0]["operator"] == "swish");
  CHECK(document["findings"][0]["allowed"].is_null());
  CHECK(document["findings"][1]["rewrite"].is_null());
  CHECK(document["operators"][0]["operator"] == "mul.Tensor");
  CHECK(document["operators"][0]["tensors"].size() == 2);
  CHECK(document["operators"][0]["bytes_per_element"]["float16"] == 4);
  CHECK(document["operators"][0]["bytes_per_element"]["float64"] == 16);
}

TEST_CASE("what became of comparisons") {
  const std::string text = agreement_text(*Lint().loaded.model);
  CHECK(text == "exp by self: equal by algebra\nswish by self: equal by algebra\n");
  Loaded loaded(
      "- func: f(Tensor self) -> Tensor\n  expr: lgamma(self)\n"
      "- func: g(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "- func: digamma(Tensor self) -> Tensor\n  expr: digamma(self)\n"
      "- func: h(Tensor self) -> Tensor\n  expr: digamma(self + 1) - 1 / self\n"
      "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n",
      "- name: f\n  self: grad * h(self)\n- name: digamma\n  self: g(grad)\n");
  const std::string more = agreement_text(*loaded.model);
  CHECK(more.find("f by self: equal at 1") != std::string::npos);
  CHECK(partial_agreement_text(*loaded.model).empty());
  CHECK(more.find("digamma by self: not compared: 'g' is not pointwise\n") != std::string::npos);
}

TEST_CASE("what is equal in part only is a line of the lint") {
  const Loaded loaded(
      "- func: f(Tensor self) -> Tensor\n  expr: self * self\n  samples: {self: positive}\n"
      "- func: exp(Tensor self) -> Tensor\n  expr: exp(self)\n"
      "- func: log(Tensor self) -> Tensor\n  expr: log(self)\n"
      "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n",
      "- name: f\n  self: grad * 2 * exp(log(self))\n");
  const std::string line =
      "f by self: equal by algebra where both are finite: 'log(self)' is not finite everywhere\n";
  CHECK(partial_agreement_text(*loaded.model) == line);
  CHECK(lint_text(*loaded.model, false).find(line) != std::string::npos);
}

}  // namespace
}  // namespace opweave::codegen

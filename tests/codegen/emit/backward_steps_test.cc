// One backward pass, spelled by every output: when steps run, what they give and what is kept.
#include <doctest/doctest.h>

#include <string>

#include "codegen/emit/jax/jax.h"
#include "codegen/emit/output/emit.h"
#include "codegen/emit/stable/stable.h"
#include "codegen/emit/torch/torch.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

std::string joined(const std::vector<EmittedFile>& files) {
  std::string text;
  for (const EmittedFile& file : files) text += file.text + "\n";
  return text;
}

struct Outputs {
  Outputs(const std::string& ops, const std::string& derivatives)
      : loaded(ops, derivatives, read_file("ops.yaml")) {
    options.library = "some";
  }
  std::string core() const { return joined(emit_all(*loaded.model, options)); }
  std::string stable() const { return joined(emit_stable(*loaded.model, options)); }
  std::string torch() const { return joined(emit_torch(*loaded.model, options)); }
  std::string jax() const { return joined(emit_jax(*loaded.model, options)); }

  Loaded loaded;
  EmitOptions options;
};

std::string kernel(const std::string& schema) {
  return "- func: " + schema + "\n  kernels: [cpu]\n  internal: true\n  dtypes: floating\n";
}
const std::string kOne = "  result: {sizes: self.sizes()}\n";
const std::string kTwo =
    "  result: {first: {sizes: self.sizes()}, second: {sizes: self.sizes()}}\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("zeros are given where the gradient of any differentiable result is there") {
  const Outputs of(kernel("f(Tensor self, Tensor step) -> (Tensor first, Tensor second)") + kTwo,
                   "- name: f\n  self: grads[0] + grads[1]\n  step: zero\n");
  CHECK(contains(of.core(),
                 "if (should_compute_output(step_at) && "
                 "(grads[0].defined() || grads[1].defined())) {\n"
                 "    inputs[step_at] = zeros_for_input(*this, step_at, first_defined(grads));"));
  CHECK(contains(of.stable(), "if (ow_call.needs(1) && any_defined(grads)) {"));
  CHECK(contains(of.torch(), "if (ow_pass.wants(1) && any_defined(grads)) {"));
}

TEST_CASE("a first result without a gradient stands in nobody's way") {
  const Outputs of(kernel("f(Tensor self, Tensor step) -> (Tensor first, Tensor second)") + kTwo,
                   "- name: f\n"
                   "  output_differentiability: [false, true]\n"
                   "  self: grads[1] * 2\n"
                   "  step: zero\n");
  CHECK(contains(of.core(),
                 "if (should_compute_output(step_at) && grads[1].defined()) {\n"
                 "    inputs[step_at] = zeros_for_input(*this, step_at, grads[1]);"));
  CHECK(contains(of.stable(), ".constant_result(0)"));
  CHECK(contains(of.jax(), "constant_results=[0]"));
}

TEST_CASE("any tensor of a list is a result that was used") {
  const Outputs of("- func: f(Tensor self) -> Tensor[]\n  kernels: [cpu]\n  internal: true\n",
                   "- name: f\n  self: zero\n");
  CHECK(contains(of.core(),
                 "if (should_compute_output(self_at) && any_defined(grads)) {\n"
                 "    inputs[self_at] = zeros_for_input(*this, self_at, first_defined(grads));"));
}

TEST_CASE("a formula that reads no gradient runs for any") {
  const Outputs of(kernel("f(Tensor self, Tensor other) -> (Tensor first, Tensor second)") + kTwo,
                   "- name: f\n  self: zeros_like(self)\n  other: grads[1] * self\n");
  CHECK(contains(of.core(),
                 "if (should_compute_output(self_at) && "
                 "(grads[0].defined() || grads[1].defined())) {"));
  CHECK(contains(of.stable(), "if (ow_call.needs(0) && any_defined(grads)) {"));
  CHECK(contains(of.torch(), "if (ow_pass.wants(0) && any_defined(grads)) {"));
}

TEST_CASE("all tensors of a list get zeros, and inputs of one line each when they are asked for") {
  const Outputs list(kernel("f(Tensor self, Tensor[] others) -> Tensor") + kOne,
                     "- name: f\n  self: grad\n  others: zero\n");
  CHECK(contains(list.core(), "store_zeros(*this, inputs, others_at, others_count_, grads[0]);"));
  CHECK(contains(list.torch(), "store_zeros(ow_inputs, 1, others_count_, ow_pass);"));
  const Outputs two(kernel("f(Tensor self, Tensor left, Tensor right) -> Tensor") + kOne,
                    "- name: f\n  self: grad\n  left, right: zero\n");
  CHECK(contains(two.core(), "if (should_compute_output(right_at) && grads[0].defined()) {"));
  CHECK(contains(two.stable(), "if (ow_call.needs(2) && any_defined(grads)) {"));
  CHECK(contains(two.torch(), "if (ow_pass.wants(2) && any_defined(grads)) {"));
}

TEST_CASE("tensors are kept where gradients flow to an input whose step reads them") {
  const Outputs of(kernel("f(Tensor self, Tensor[] list, Tensor other) -> Tensor") + kOne,
                   "- name: f\n"
                   "  self: grad * other\n"
                   "  list: \"[grad * self]\"\n"
                   "  other: grad * result\n");
  const std::string core = of.core(), torch = of.torch();
  CHECK(contains(core, "if (node->has_edge(0)) {\n      node->other_ = SavedTensor(other"));
  CHECK(contains(core, "if (node->has_edges(1, list.size())) {\n      node->self_ ="));
  CHECK(contains(core, "if (node->has_edge(1 + list.size())) {\n      node->result_ ="));
  CHECK(contains(torch, "if (ow_node->should_compute_output(0)) ow_node->other_ ="));
  CHECK(contains(torch, "if (has_edges(*ow_node, 1, list.size())) ow_node->self_ ="));
  CHECK(contains(torch, "if (ow_node->should_compute_output(1 + list.size())) ow_node->result_ ="));
}

TEST_CASE("a stride is an element of those that are kept") {
  const Outputs of(kernel("f(Tensor self) -> Tensor") + kOne,
                   "- name: f\n  self: grad * self.stride(0)\n");
  CHECK(contains(of.core(), "element_at(self_strides, 0)"));
  CHECK(contains(of.stable(), "element_at(self_strides, 0)"));
  CHECK(contains(of.torch(), "size_at(self_strides, 0)"));
}

TEST_CASE("tangents of what is zero are none, and no error") {
  const Outputs of(kernel("f(Tensor self) -> Tensor") + kOne, "- name: f\n  self: zero\n");
  CHECK_FALSE(contains(of.torch(), "\"f has no rule for forward mode\""));
  const Outputs refused(kernel("f(Tensor self) -> Tensor") + kOne, "- name: f\n  self: refused\n");
  CHECK_FALSE(contains(refused.torch(), "TORCH_CHECK_NOT_IMPLEMENTED(!()"));
  const Outputs reverse(kernel("f(Tensor self) -> Tensor") + kOne, "- name: f\n  self: grad * 2\n");
  CHECK(contains(reverse.torch(), "\"f has no rule for forward mode\""));
}

}  // namespace
}  // namespace opweave::codegen

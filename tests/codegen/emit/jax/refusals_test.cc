// What cannot be emitted for JAX is refused by name, where the entry says it.
#include <doctest/doctest.h>

#include "codegen/emit/jax/jax.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

std::string refusals(const std::string& ops, const std::string& derivatives = "") {
  const Loaded loaded(ops, derivatives, read_file("ops.yaml"));
  DiagnosticSink sink;
  check_jax(*loaded.model, sink);
  return render_all(sink);
}

bool refuses(const std::string& message, const std::string& ops,
             const std::string& derivatives = "") {
  const std::string text = refusals(ops, derivatives);
  INFO(text);
  CHECK(text.find(message + ", which cannot be emitted for JAX") != std::string::npos);
  return text.find("error[OW0603]") != std::string::npos;
}

constexpr const char* kKernel =
    "- func: f(Tensor self) -> Tensor\n"
    "  kernels: [cpu]\n"
    "  dtypes: floating\n"
    "  result: self.sizes()\n";

TEST_CASE("expressions, formulas and kernels with a rule are accepted") {
  CHECK(refusals("- func: f(Tensor self, Scalar b=2) -> Tensor\n"
                 "  expr: self * b\n"
                 "  dtypes: floating\n") == "");
  CHECK(refusals("- func: f(Tensor[] tensors) -> Tensor\n  composite: cat(tensors) + 1\n") == "");
  CHECK(refusals("- func: f(Tensor self, Tensor? other=None) -> Tensor\n"
                 "  expr: \"other == none ? self : self * other\"\n"
                 "  dtypes: floating\n") == "");
  CHECK(refusals(kKernel, "- name: f\n  self: cumsum(grad, 0)\n") == "");
  CHECK(refusals("- func: f(Tensor[] tensors) -> Tensor\n"
                 "  kernels: [cpu]\n"
                 "  dtypes: floating\n"
                 "  result: tensors[0].sizes()\n",
                 "- name: f\n"
                 "  tensors: \"cat_backward(grad, [1], 0)\"\n") == "");
}

TEST_CASE("a refusal says where, what and of which operator") {
  const std::string text = refusals(
      "- func: f(Tensor self, Tensor?[] others) -> Tensor\n"
      "  kernels: [cpu]\n"
      "  dtypes: floating\n"
      "  result: self.sizes()\n"
      "  differentiable: false\n");
  CHECK(text.find("ops.yaml:1:24: error[OW0603]: 'f' has a list of tensors that may be None, "
                  "which cannot be emitted for JAX\n") != std::string::npos);
  CHECK(text.find("note: opweave gen without --emit=jax can build it") != std::string::npos);
}

TEST_CASE("written arguments, views, lists and other targets") {
  CHECK(refuses("'f_' has an argument that is written (arrays of JAX never are)",
                "- func: f_(Tensor(a!) self) -> ()\n  kernels: [cpu]\n  differentiable: false\n"));
  CHECK(refuses("'f' has a result that is a list",
                "- func: f(Tensor self) -> Tensor[]\n  composite: self.split(1)\n"));
  CHECK(refuses("'f' has a kernel, and none for the CPU",
                "- func: f(Tensor self) -> Tensor\n  kernels: [cuda]\n  dtypes: floating\n"
                "  result: self.sizes()\n  differentiable: false\n"));
  CHECK(refuses("'f' has a kernel and no rule (`result`) that says what it gives",
                "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"));
}

TEST_CASE("operators of the core that have no counterpart are named at the call") {
  CHECK(refuses("'f' has a formula that calls 'topk' without a counterpart in JAX",
                "- func: f(Tensor self) -> Tensor\n  composite: topk(self, 1)[0]\n"));
  const std::string text = refusals(
      kKernel, "- name: f\n  self: grad * std_backward(grad, self, result, [0], 1, false)\n");
  INFO(text);
  CHECK(text.find("derivatives.yaml:2:16: error[OW0603]: 'f' has a formula that calls "
                  "'std_backward'") != std::string::npos);
  // Through a formula of the core.
  CHECK(refuses(
      "'f' has a formula that calls 'sort.stable' without a counterpart in JAX (by way of 'msort')",
      "- func: f(Tensor self) -> Tensor\n  composite: msort(self)\n"));
}

TEST_CASE("rules that Python cannot say") {
  CHECK(refuses("'f' has a rule that calls 'strides_like'",
                "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  dtypes: floating\n"
                "  require:\n    strides_like(self.sizes(), self).size() > 0: \"f(): no\"\n"
                "  result: self.sizes()\n  differentiable: false\n"));
  CHECK(refuses("'f' has a formula that asks for 'strides' of a tensor",
                "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  dtypes: floating\n"
                "  require:\n    self.strides().size() > 0: \"f(): no\"\n"
                "  result: self.sizes()\n  differentiable: false\n"));
}

}  // namespace
}  // namespace opweave::codegen

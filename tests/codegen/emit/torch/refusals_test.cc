// What cannot be emitted for PyTorch is refused by name, where the entry says it.
#include <doctest/doctest.h>

#include "codegen/emit/torch/torch.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

std::string core() { return read_file("ops.yaml"); }

std::string refusals(const std::string& ops, const std::string& derivatives = "") {
  const Loaded loaded(ops, derivatives, core());
  DiagnosticSink sink;
  check_torch(*loaded.model, sink);
  return render_all(sink);
}

bool refuses(const std::string& ops, const std::string& message) {
  const std::string text = refusals(ops);
  INFO(text);
  CHECK(text.find(message) != std::string::npos);
  return text.find("error[OW0601]") != std::string::npos;
}

TEST_CASE("an expression is accepted") {
  CHECK(refusals("- func: f(Tensor self, Scalar b=2) -> Tensor\n"
                 "  expr: self * b\n"
                 "  dtypes: floating\n") == "");
}

TEST_CASE("a refusal says where, what and of which operator") {
  const std::string text = refusals(
      "- func: f(Tensor self, Tensor? other=None) -> Tensor\n"
      "  expr: \"other == none ? self : self + other\"\n"
      "  dtypes: floating\n");
  CHECK(
      text.find("ops.yaml:1:24: error[OW0601]: 'f' has an expression of a tensor that may be None, "
                "which cannot be emitted for PyTorch\n") != std::string::npos);
  CHECK(text.find("1 | - func: f(Tensor self, Tensor? other=None) -> Tensor\n"
                  "      |                        ^~~~~~~\n") != std::string::npos);
  CHECK(text.find("f_backward") == std::string::npos);  // once, not for what is derived of it too
}

TEST_CASE("written arguments, lists and tensors that may be None, where they can be") {
  CHECK(refusals("- func: f_(Tensor(a!) self, Tensor(b!) other) -> Tensor(a!)\n"
                 "  kernels: [cpu]\n  differentiable: false\n") == "");
  CHECK(refusals("- func: f_(Tensor(a!) self, Tensor? by=None) -> ()\n"
                 "  kernels: [cpu]\n  differentiable: false\n") == "");
  CHECK(refusals("- func: f(Tensor[] tensors) -> Tensor\n  composite: tensors[0] + 1\n") == "");
  CHECK(refusals("- func: f(Tensor self, Tensor? by=None) -> Tensor\n"
                 "  composite: \"by == none ? self + 1 : self + by\"\n") == "");
}

TEST_CASE("other lists, written arguments and views are refused") {
  CHECK(
      refuses("- func: f(Tensor self, Tensor(a!) total) -> Tensor\n"
              "  kernels: [cpu]\n  differentiable: false\n",
              "'f' has an argument that is written, and a result that is another tensor"));
  CHECK(
      refuses("- func: f_(Tensor(a!) self) -> Tensor(a!)\n"
              "  kernels: [every_target]\n  differentiable: false\n",
              "'f_' has an argument that is written, and no kernel of its own"));
  CHECK(
      refuses("- func: f_(Tensor(a!) self) -> Tensor(a!)\n"
              "  kernels: [cpu]\n  differentiable: false\n"
              "- func: f_.of(Tensor other, Tensor(a!) self) -> Tensor(a!)\n"
              "  kernels: [cpu]\n  differentiable: false\n",
              "'f_.of' has an overload that gives back other arguments than 'f_'"));
  CHECK(
      refuses("- func: f_(Tensor(a!)[] self) -> ()\n"
              "  kernels: [cpu]\n  differentiable: false\n",
              "'f_' has a list of tensors that are written"));
  CHECK(
      refuses("- func: f(Tensor[] tensors) -> Tensor[]\n"
              "  kernels: [cpu]\n  differentiable: false\n",
              "'f' has a result that is a list"));
  CHECK(
      refuses("- func: f(Tensor?[] tensors) -> Tensor\n"
              "  kernels: [cpu]\n  differentiable: false\n",
              "'f' has a list of tensors that may be None"));
}

TEST_CASE("a gradient by formulas and a list of tensors") {
  CHECK(refusals("- func: f(Tensor[] tensors) -> Tensor\n"
                 "  kernels: [cpu]\n"
                 "  dtypes: floating\n"
                 "  result: cat_sizes(tensors, 0)\n",
                 "- name: f\n"
                 "  tensors: split_with_sizes(grad, tensors.sizes_along(0), 0)\n") == "");
}

TEST_CASE("rules that C++ cannot say there") {
  CHECK(
      refuses("- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  dtypes: floating\n"
              "  result: at_least_1d(self.sizes())\n  differentiable: false\n",
              "'f' has a rule that calls 'at_least_1d'"));
}

}  // namespace
}  // namespace opweave::codegen

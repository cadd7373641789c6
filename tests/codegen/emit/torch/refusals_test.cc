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
      text.find("ops.yaml:1:24: error[OW0601]: 'f' has a tensor that may be None, which cannot be "
                "emitted for PyTorch\n") != std::string::npos);
  CHECK(text.find("1 | - func: f(Tensor self, Tensor? other=None) -> Tensor\n"
                  "      |                        ^~~~~~~\n") != std::string::npos);
  CHECK(text.find("f_backward") == std::string::npos);  // once, not for what is derived of it too
}

TEST_CASE("lists, written arguments and views are refused") {
  CHECK(refuses("- func: f(Tensor[] tensors) -> Tensor\n  composite: tensors[0] + 1\n",
                "'f' has a list of tensors"));
  CHECK(
      refuses("- func: f_(Tensor(a!) self) -> Tensor(a!)\n"
              "  kernels: [cpu]\n  differentiable: false\n",
              "'f_' has an argument that is written"));
}

}  // namespace
}  // namespace opweave::codegen

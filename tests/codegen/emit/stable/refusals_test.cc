// What a library for every release cannot have is refused by name, where the entry says it.
#include <doctest/doctest.h>

#include "codegen/emit/stable/stable.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

std::string refusals(const std::string& ops) {
  const Loaded loaded(ops, "", read_file("ops.yaml"));
  DiagnosticSink sink;
  check_stable(*loaded.model, sink);
  return render_all(sink);
}

bool refuses(const std::string& ops, const std::string& message) {
  const std::string text = refusals(ops);
  INFO(text);
  CHECK(text.find(message) != std::string::npos);
  return text.find("error[OW0602]") != std::string::npos;
}

TEST_CASE("an expression is accepted, with its gradient and its forms") {
  CHECK(refusals("- func: f(Tensor self, Tensor other, *, Scalar scale=1) -> Tensor\n"
                 "  expr: self / (scale + abs(other))\n"
                 "  dtypes: floating\n") == "");
}

TEST_CASE("formulas and arguments that may not be given are refused") {
  CHECK(refuses("- func: f(Tensor self) -> Tensor\n  composite: self + 1\n",
                "'f' has a formula (`composite`), which a library for every release cannot have"));
  CHECK(
      refuses("- func: f(Tensor self, Tensor? other=None) -> Tensor\n"
              "  expr: \"other == none ? self : self + other\"\n"
              "  dtypes: floating\n",
              "'f' has an argument of which its expression asks whether it is given"));
}

TEST_CASE("handwritten kernels are refused") {
  CHECK(refuses("- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n",
                "'f' has handwritten kernels"));
}

}  // namespace
}  // namespace opweave::codegen

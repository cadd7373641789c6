// What a library for every release cannot have is refused by name, where the entry says it.
#include <doctest/doctest.h>

#include "codegen/emit/stable/kernel_includes.h"
#include "codegen/emit/stable/stable.h"
#include "tests/codegen/support/load.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

std::string refusals(const std::string& ops, const std::string& derivatives = "") {
  const Loaded loaded(ops, derivatives, read_file("ops.yaml"));
  DiagnosticSink sink;
  check_stable(*loaded.model, sink);
  return render_all(sink);
}

// The line, the column and the words, which are those of the page.
bool refuses(const std::string& ops, const std::string& place, const std::string& feature,
             const std::string& derivatives = "", const std::string& name = "f") {
  const std::string text = refusals(ops, derivatives);
  const std::string expected = place + ": error[OW0602]: '" + name + "' has " + feature +
                               ", which a library for every release cannot have\n";
  CAPTURE(text);
  CAPTURE(expected);
  // The page's table says the same of an operator 'f'.
  CHECK(read_file("docs/own_operators.md").find("'f' has " + feature) != std::string::npos);
  return text.starts_with(expected);
}

TEST_CASE("an expression is accepted, with its gradient and its forms") {
  CHECK(refusals("- func: f(Tensor self, Tensor other, *, Scalar scale=1) -> Tensor\n"
                 "  expr: self / (scale + abs(other))\n"
                 "  dtypes: floating\n") == "");
}

TEST_CASE("formulas are accepted, with arguments of all kinds") {
  CHECK(refusals("- func: f(Tensor self, Tensor[] more, int[1]? dim=None, bool keepdim=False, *,\n"
                 "    ScalarType? dtype=None, str? how=None) -> Tensor\n"
                 "  composite: sum(self + more[0], dim, keepdim, dtype=dtype)\n"
                 "  roles: {dim: dims_or_all}\n") == "");
}

TEST_CASE("handwritten kernels are accepted, with rules, gradients and batches") {
  CHECK(refusals("- func: f(Tensor self, int dim=-1) -> (Tensor a, Tensor b)\n"
                 "  kernels: [cpu]\n"
                 "  dtypes: floating\n"
                 "  roles: {dim: dim}\n"
                 "  require:\n"
                 "    self.dim() > 0: \"f(): no dimensions\"\n"
                 "  result:\n"
                 "    a: replaced(self.sizes(), wrap(dim, self.dim()), 1)\n"
                 "    b: {sizes: self.sizes(), dtype: int64}\n",
                 "- name: f\n"
                 "  self: expand(grads[0], self.sizes())\n"
                 "  output_differentiability: [true, false]\n") == "");
}

TEST_CASE("a formula of a tangent is not used, which a warning says") {
  const std::string entry =
      "- func: f(Tensor self) -> Tensor\n"
      "  expr: self * self\n"
      "  dtypes: floating\n";
  const std::string text =
      refusals(entry, "- name: f\n  self: grad * self * 2\n  result: self_t * self_p * 2\n");
  CAPTURE(text);
  CHECK(text.find(":3:3: warning[OW0602]: 'f' says what its tangent is, which a library for every "
                  "release derives of its gradient\n") != std::string::npos);
  CHECK(text.find("the formula is not used") != std::string::npos);
  CHECK(refusals(entry, "- name: f\n  self: grad * self * 2\n") == "");
  CHECK(refusals("- func: f(Tensor self) -> Tensor\n"
                 "  expr: self * 2\n"
                 "  dtypes: floating\n",
                 "- name: f\n  self: grad * 2\n  result: auto_linear\n") == "");
}

TEST_CASE("arguments that expressions ask for, objects, and none of tensors are refused") {
  CHECK(
      refuses("- func: f(Tensor self, Tensor? other=None) -> Tensor\n"
              "  expr: \"other == none ? self : self + other\"\n"
              "  dtypes: floating\n",
              "ops.yaml:1:24",
              "an argument of which its expression asks whether it is given, or which text"));
  CHECK(
      refuses("- func: f(Tensor self, *, Generator? generator=None) -> Tensor\n"
              "  kernels: [cpu]\n"
              "  differentiable: false\n",
              "ops.yaml:1:27", "an argument that is a Generator"));
  CHECK(refuses("- func: f(int n) -> Tensor\n  composite: zeros([n])\n", "ops.yaml:1:9",
                "no tensor among its arguments, by which calls find their device"));
}

TEST_CASE("zeros for a list of tensors are refused") {
  CHECK(
      refuses("- func: f(Tensor self, Tensor[] others) -> Tensor\n  kernels: [cpu]\n"
              "  batching: loop\n",
              "ops.yaml:1:24", "a list of tensors whose gradients are zeros",
              "- name: f\n  self: grad\n  others: zero\n"));
}

TEST_CASE("kernels for other hardware, and those that serve all, are refused") {
  CHECK(
      refuses("- func: f(Tensor self) -> Tensor\n  kernels: [cpu, cuda]\n"
              "  differentiable: false\n",
              "ops.yaml:1:9", "a kernel for 'cuda'"));
  CHECK(refuses("- func: f(Tensor self) -> Tensor\n  kernels: [composite]\n", "ops.yaml:1:9",
                "a kernel that serves every target"));
  CHECK(
      refuses("- func: f(Tensor self) -> Tensor\n  kernels: [every_target]\n"
              "  differentiable: false\n",
              "ops.yaml:1:9", "a kernel that serves every target"));
}

TEST_CASE("views, and what is written, are refused") {
  CHECK(
      refuses("- func: f(Tensor(a) self) -> Tensor(a)\n"
              "  kernels: [view]\n"
              "  result: {sizes: self.sizes(), strides: self.strides(), offset: 0}\n"
              "  differentiable: false\n",
              "ops.yaml:1:9", "a result that is a view"));
  CHECK(
      refuses("- func: f(Tensor self, Tensor(a!) to) -> ()\n"
              "  kernels: [cpu]\n"
              "  differentiable: false\n",
              "ops.yaml:1:9", "an argument that is written"));
}

TEST_CASE("forms with kernels of their own, and kernels that compute as `out` is, are refused") {
  CHECK(
      refuses("- func: g(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
              "  result: self.sizes()\n"
              "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
              "- func: f_(Tensor(a!) self) -> Tensor(a!)\n  kernels: [cpu]\n"
              "  differentiable: false\n",
              "ops.yaml:8:9", "a form with a kernel of its own", "", "f_"));
  CHECK(refuses(
      "- func: f(Tensor self, *, ScalarType? dtype=None) -> Tensor\n"
      "  kernels: [cpu]\n"
      "  differentiable: false\n"
      "  result: {sizes: self.sizes(), dtype: \"or_else(dtype, self.scalar_type())\"}\n",
      "ops.yaml:1:9", "a dtype that is that of `out` where none is asked for", "", "f.out"));
}

TEST_CASE("what functionalities and modules know of an operator is refused") {
  const std::string kernel =
      "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  dtypes: floating\n  result: self.sizes()\n";
  CHECK(refuses(kernel + "  autocast: fp32\n", "ops.yaml:1:9", "a dtype for autocast"));
  CHECK(refuses(kernel + "  tags: [random]\n", "ops.yaml:1:9", "random numbers"));
  CHECK(refuses(kernel + "  python_module: special\n", "ops.yaml:1:9",
                "a function outside of opweave itself"));
  CHECK(refuses(kernel + "  batching: {batch: abs(self)}\n", "ops.yaml:6:21",
                "a formula for all examples of a batch at once"));
}

TEST_CASE("what vmap would have to know is refused") {
  CHECK(
      refuses("- func: f(Tensor self, Tensor mean, bool train) -> Tensor\n"
              "  kernels: [cpu]\n"
              "  differentiable: false\n"
              "  roles: {mean: statistics, train: training}\n",
              "ops.yaml:1:24", "an argument that calls update beside results"));
  CHECK(
      refuses("- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n"
              "  differentiable: false\n  batching: none\n",
              "ops.yaml:1:9", "no rule for batches"));
}

TEST_CASE("what formulas ask the core's classes for is refused where it stands") {
  CHECK(
      refuses("- func: f(Tensor self, Tensor other) -> Tensor\n"
              "  kernels: [cpu]\n"
              "  differentiable: false\n"
              "  result: cat_sizes([self, other], 0)\n",
              "ops.yaml:4:11", "a rule that calls 'cat_sizes'"));
  CHECK(refuses("- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  result: self.sizes()\n",
                "derivatives.yaml:2:36", "a formula that asks for 'storage_offset'",
                "- name: f\n  self: as_strided(grad, [1], [1], self.storage_offset())\n"));
}

struct Includes {
  std::set<std::string> operators;
  std::string text;
};
Includes includes(const std::string& kernel) {
  const Loaded loaded(
      "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n"
      "  differentiable: false\n",
      "", read_file("ops.yaml"));
  Sources sources;
  DiagnosticSink sink;
  const Source* source = sources.add("kernels/f.cc", kernel);
  auto operators = check_kernel_includes(*source, *loaded.model, sink);
  return {std::move(operators), render_all(sink)};
}

TEST_CASE("kernels may include the operators that they call, and their own files") {
  const Includes found = includes(
      "#include \"opweave/kernels/cpu/f.h\"\n"
      "\n"
      "#include <vector>\n"
      "#include <mylib/fast.h>\n"
      "#include \"beside.h\"\n"
      "#  include \"opweave/ops/contiguous.h\"\n"
      "#include \"opweave/ops/add_.h\"\n"
      "#include \"runtime/core/threads/parallel.h\"\n"
      "// include \"runtime/core/tensor/storage.h\"\n");
  CHECK(found.text == "");
  CHECK(found.operators == std::set<std::string>{"add_", "contiguous"});
}

TEST_CASE("other headers of the core are refused where they are included") {
  CHECK(includes("\n#include \"runtime/core/tensor/storage.h\"\n")
            .text.starts_with("kernels/f.cc:2:11: error[OW0602]: a kernel of a library for every "
                              "release cannot include 'runtime/core/tensor/storage.h', which later "
                              "releases may change\n"
                              "    2 | #include \"runtime/core/tensor/storage.h\"\n"
                              "      |           ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
                              "note: it can include opweave/ops/NAME.h, "));
  CHECK(includes("#include <hwy/highway.h>\n").text.starts_with("kernels/f.cc:1:11: error"));
}

TEST_CASE("operators that there are not are refused, with the one that was meant") {
  const std::string text = includes("#include \"opweave/ops/contigous.h\"\n").text;
  CAPTURE(text);
  CHECK(
      text.starts_with("kernels/f.cc:1:11: error[OW0602]: a kernel of a library for every release "
                       "cannot call 'contigous': no operator of that name can be called"));
  CHECK(text.find("did you mean 'opweave/ops/contiguous.h'?") != std::string::npos);
}

}  // namespace
}  // namespace opweave::codegen

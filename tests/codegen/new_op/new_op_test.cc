// New operators: entries that are right as they stand, and nothing half-written.
#include "codegen/new_op/new_op.h"

#include <doctest/doctest.h>

#include <fstream>

#include "codegen/cli/new_op_command.h"
#include "codegen/diagnostics/render.h"
#include "codegen/files/files.h"
#include "tests/support/folder.h"

namespace opweave::codegen {
namespace {

// The entry as the one operator file: what `opweave check` would say.
std::string check_entry(const std::string& schema, Like like) {
  const auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  const std::string entry = entry_text(new_operator(schema, like), *sources, sink);
  Inputs inputs;
  inputs.ops.push_back({"entry", entry});
  inputs.imported_ops.push_back(
      {"others",
       "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n"});
  if (!entry.empty()) load_model(std::move(inputs), sources, sink);
  return render_all(sink);
}

TEST_CASE("entries are right as they stand") {
  const char* pointwise[] = {"soft_sign", "blend(Tensor self, Tensor other) -> Tensor",
                             "f(Tensor a, Scalar n, *, bool b=False, float[] fs=[]) -> Tensor"};
  for (const char* schema : pointwise) {
    CAPTURE(schema);
    for (Like like : {Like::expr, Like::composite, Like::kernel})
      CHECK(check_entry(schema, like) == "");
  }
  for (const char* schema :
       {"top(Tensor self, int k) -> (Tensor values, Tensor indices)",
        "g_(Tensor(a!) self) -> Tensor(a!)", "made(int[] size, *, Device? device=None) -> Tensor",
        "v(Tensor(a) self) -> Tensor(a)", "cat2(Tensor[] tensors, str how=': #') -> Tensor",
        "size_of(Tensor self) -> int",
        "every(Tensor self, int n, float x, Scalar y, bool b, str s, ScalarType t, Device d, "
        "int[] ns, float[] xs, bool[2] bs, Layout l, MemoryFormat m) -> Tensor",
        "lists(Tensor[] tensors, int[] ns, float[] xs, bool[2] bs) -> Tensor[]"}) {
    CAPTURE(schema);
    CHECK(check_entry(schema, Like::kernel) == "");
  }
}

TEST_CASE("what is no schema has the checker's message") {
  CHECK(check_entry("1f", Like::expr).find("error[OW0101]: expected the name of an operator") !=
        std::string::npos);
  CHECK(check_entry("class", Like::expr).find("OW0108") != std::string::npos);
  CHECK(check_entry("f(Tenosr x) -> Tensor", Like::expr).find("did you mean 'Tensor'?") !=
        std::string::npos);
  CHECK(check_entry("", Like::expr).find("OW0101") != std::string::npos);
}

// A folder with a file of operators, which new-op is to add to.
struct Ops : Folder {
  explicit Ops(const std::string& text) {
    std::ofstream(path / "ops.yaml", std::ios::binary) << text;
    line.ops = {(path / "ops.yaml").string()};
    line.command = "new-op";
    line.write = true;
  }
  int add(const std::string& schema, Like like = Like::expr) {
    line.files = {schema};
    line.like = like;
    return write_new_operator(line);
  }
  std::string text() const {
    std::string error;
    return read_file(line.ops[0], error).value_or("?");
  }
  CommandLine line;
};

TEST_CASE("an entry is added to the file") {
  Ops ops("- func: f.Tensor(Tensor self) -> Tensor\n  expr: -self");
  CHECK(ops.add("g") == 0);
  CHECK(
      ops.text().starts_with("- func: f.Tensor(Tensor self) -> Tensor\n  expr: -self\n- func: "
                             "g(Tensor self) -> Tensor\n"));
  CHECK(ops.add("h(Tensor self, int dim) -> Tensor", Like::kernel) == 0);
  const std::string both = ops.text();
  CHECK(both.find("  #   - name: h\n  #     self: FORMULA\n  differentiable: false\n") !=
        std::string::npos);
  CHECK(ops.add("h") == 1);
  CHECK(ops.add("g") == 1);
  CHECK(ops.text() == both);
}

TEST_CASE("a name alone is no overload") {
  Ops ops("- func: f.Tensor(Tensor self) -> Tensor\n  expr: -self\n");
  CHECK(ops.add("f") == 1);
  CHECK(ops.add("f.other(Tensor self, Tensor other) -> Tensor") == 0);
}

TEST_CASE("nothing is written to a file that has errors, or that cannot be written") {
  const std::string wrong = "- func: f(Tensor self) -> Tensor\n  exp: -self\n";
  Ops ops(wrong);
  CHECK(ops.add("g") == 1);
  CHECK(ops.text() == wrong);
  ops.line.ops = {(ops.path / "nothing.yaml").string()};
  CHECK(ops.add("g") == 1);
  CHECK_FALSE(std::filesystem::exists(ops.path / "nothing.yaml"));
}

TEST_CASE("the next steps name the kernel's file and signature") {
  const auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  const NewOperator op = new_operator("k.dim(Tensor self, int dim) -> Tensor", Like::kernel);
  Inputs inputs;
  inputs.ops.push_back({"entry", entry_text(op, *sources, sink)});
  const auto model = load_model(std::move(inputs), sources, sink);
  REQUIRE(model);
  const std::string steps = next_steps(op, *model->operators().find("k.dim"));
  CHECK(steps.find("#include \"opweave/kernels/cpu/k.h\"") != std::string::npos);
  CHECK(steps.find("void k_dim([[maybe_unused]] const Tensor& self, [[maybe_unused]] int64_t dim, "
                   "[[maybe_unused]] Tensor& out) {") != std::string::npos);
  CHECK(steps.find("./dev lock") != std::string::npos);
  for (const char* stub :
       {"namespace opweave::cpu {", "OW_THROW(ErrorKind::kNotImplemented, \"k.dim(): the kernel",
        "- name: k.dim\n", "self: FORMULA", "result: auto_linear",
        "def k_dim(a):", "\"k.dim\": k_dim}", "make its 'result'"}) {
    CAPTURE(stub);
    CHECK(steps.find(stub) != std::string::npos);
  }
}

TEST_CASE("the derivatives beside the file of operators are read") {
  Ops ops("- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n");
  std::ofstream(ops.path / "derivatives.yaml") << "- name: f\n  self: grad\n";
  CHECK(ops.add("g") == 0);
}

TEST_CASE("an entry with kernels says what its results look like") {
  auto rule = [](const char* schema) {
    const auto sources = std::make_shared<Sources>();
    DiagnosticSink sink;
    const std::string text = entry_text(new_operator(schema, Like::kernel), *sources, sink);
    const size_t at = text.find("  result:"), end = text.find("  # Its results have", at);
    return at == std::string::npos ? "" : text.substr(at, end - at);
  };
  CHECK(rule("f(Tensor x) -> Tensor") == "  result: x.sizes()\n");
  CHECK(rule("f(Tensor x) -> (Tensor, Tensor)") ==
        "  result:\n    result0: x.sizes()\n    result1: x.sizes()\n");
  CHECK(rule("f_(Tensor(a!) self) -> Tensor(a!)") == "");
}

TEST_CASE("without files an entry is checked alone") {
  Ops ops("");
  ops.line.ops.clear();
  ops.line.write = false;
  CHECK(ops.add("g") == 0);
}

}  // namespace
}  // namespace opweave::codegen

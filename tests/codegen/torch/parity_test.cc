// The parity report: what differs between two schemas, and how operators are classed.
#include "codegen/torch/parity_report.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen::torch {
namespace {

Schema schema(const std::string& text) {
  static Sources sources;
  const Source* source = sources.add("s", text);
  DiagnosticSink sink;
  auto schema = parse_schema({source->text(), source}, sink);
  INFO(render_all(sink));
  REQUIRE(schema);
  return *schema;
}

std::string said(const std::string& theirs, const std::string& ours) {
  std::string text;
  for (const Difference& difference : differences(schema(theirs), schema(ours)))
    text += std::string(kind_name(difference.kind)) + ": " + difference.text + "\n";
  return text;
}

TEST_CASE("in what schemas differ") {
  const std::string base = "f(Tensor self, SymInt[2] size=1, *, float eps=1e-05) -> Tensor";
  CHECK(said(base, base) == "");
  CHECK(said(base, "f(Tensor self, int[2] size=1, *, float eps=1e-5) -> Tensor") == "");
  CHECK(said(base, "f(Tensor self, int[] size=1, *, float eps=1e-5) -> Tensor") ==
        "types: 'size' is int[2] there, int[] here\n");
  CHECK(said(base, "f(Tensor self, int[2] size, *, float eps=0.5) -> Tensor") ==
        "defaults: default of 'size' is 1 there, none here\n"
        "defaults: default of 'eps' is 1e-05 there, 0.5 here\n");
  CHECK(said(base, "f(Tensor input, int[2] size=1, float eps=1e-5) -> Tensor") ==
        "names: 'self' is called 'input' here\n"
        "order: 'eps' is keyword-only there, positional here\n");
  CHECK(said(base, "f(Tensor self, *, float eps=1e-5, bool fast=False) -> Tensor") ==
        "arguments: 'size' is there only\n"
        "arguments: 'fast' is here only\n");
  CHECK(said("f(Tensor(a!) x, int y) -> Tensor(a!)", "f(int y, Tensor x) -> (Tensor, bool)") ==
        "alias: alias of 'x' is (a!) there, none here\n"
        "order: the arguments stand in another order\n"
        "results: 1 result there, 2 here\n");
  CHECK(said("f(Tensor x) -> (Tensor a, Tensor b)", "f(Tensor x) -> (Tensor a, bool)") ==
        "results: result 1 is Tensor there, bool here\n"
        "results: result 1 is called 'b' there, '' here\n");
}

std::vector<ParityRow> rows_of(const std::string& native, const std::string& ours) {
  static std::deque<Source> sources;
  static YamlArena arena;
  static std::deque<NativeFunctions> functions;
  static std::deque<Loaded> models;
  const Source& source = sources.emplace_back("native.yaml", native);
  DiagnosticSink sink;
  const YamlNode* root = parse_yaml(source, arena, sink);
  REQUIRE(root);
  functions.push_back(read_native_functions(*root, source, known_tags(), sink));
  REQUIRE_FALSE(sink.has_errors());
  return compare_operators(functions.back(), *models.emplace_back(ours).model);
}

constexpr const char* kNative = R"(
- func: twice(Tensor self) -> Tensor
  tags: [core, pointwise]
- func: twice_(Tensor(a!) self) -> Tensor(a!)
- func: twice.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
- func: shrink.Renamed(Tensor self, Tensor by) -> Tensor
- func: shrink.Tensor(Tensor self, Scalar by) -> Tensor
- func: grow(Tensor self, int by=1) -> Tensor
  dispatch: {"CPU, CUDA": grow_kernel}
- func: fold(Tensor self) -> Tensor
  python_module: nn
  dispatch: {CUDA: fold_kernel}
- func: spin(Tensor self, SymInt by) -> Tensor
  python_module: fft
  dispatch: {CompositeImplicitAutograd: spin_symint}
- func: spin_backward(Tensor grad) -> Tensor
- func: _hidden(Tensor self) -> Tensor
- func: bend(Tensor self) -> Tensor
  structured_delegate: bend.out
- func: sharpen(Tensor self) -> Tensor
  tags: [core, pointwise]
)";

constexpr const char* kOwn = R"(
- func: twice(Tensor self) -> Tensor
  expr: self + self
- func: shrink.Other(Tensor self, Tensor by) -> Tensor
  expr: self / by
- func: grow(Tensor self, int by=2) -> Tensor
  kernels: [cpu]
  differentiable: false
)";

TEST_CASE("operators are same, renamed, different or lacking") {
  std::string text;
  for (const ParityRow& row : rows_of(kNative, kOwn)) {
    text += row.native->full_name + ": " + std::string(parity_name(row.parity)) + ", " + row.group +
            ", " + std::string(effort_name(row.effort)) + (row.is_core ? ", core\n" : "\n");
  }
  CHECK(text ==
        "twice: same, torch, pointwise, core\n"
        "twice_: same, torch, form\n"
        "twice.out: same, torch, form\n"
        "shrink.Renamed: renamed, torch, composite\n"
        "shrink.Tensor: lacks an overload, torch, composite\n"
        "grow: different, torch, kernel\n"
        "fold: lacks, one backend, kernel\n"
        "spin: lacks, fft, composite\n"
        "spin_backward: lacks, gradients, composite\n"
        "_hidden: lacks, private, composite\n"
        "bend: lacks, torch, kernel\n"
        "sharpen: lacks, torch, pointwise, core\n");
}

TEST_CASE("the report") {
  const auto rows = rows_of(kNative, kOwn);
  CHECK(parity_summary(rows) ==
        R"(PyTorch's 12 operators beside those of Opweave:
  group                 all       same    renamed  different   overload      lacks
  fft                     1          0          0          0          0          1
  torch                   8          3          1          1          1          2
  gradients               1          0          0          0          0          1
  one backend             1          0          0          0          0          1
  private                 1          0          0          0          0          1
  all                    12          3          1          1          1          6

Core operators (PyTorch's tag `core`): 1 of 2 are here.
  lacking altogether:
    sharpen

Public operators that are lacking, by what they would take:
  pointwise, torch (1):
    sharpen
  composite, fft (1):
    spin
  kernel, torch (1):
    bend

Overloads that are lacking of operators that are here (1):
    shrink.Tensor

Defined differently (1, defaults 1):
  grow
    there: grow(Tensor self, int by=1) -> Tensor
    here:  grow(Tensor self, int by=2) -> Tensor
    defaults: default of 'by' is 1 there, 2 here
)");
  const std::string details = parity_details(rows);
  CHECK(details.find("bend: lacks (torch, kernel)\n    there: bend(Tensor self) -> Tensor\n") !=
        std::string::npos);
  CHECK(details.find("    here:  shrink.Other(Tensor self, Tensor by) -> Tensor\n") !=
        std::string::npos);
  const std::string json = parity_json(rows);
  CHECK(json.starts_with("[\n {\n  \"operator\": \"twice\",\n  \"parity\": \"same\",\n"));
  CHECK(json.find("\"text\": \"default of 'by' is 1 there, 2 here\"") != std::string::npos);
}

}  // namespace
}  // namespace opweave::codegen::torch

// Libraries for every release, line by line as they were last reviewed.
#include "tests/codegen/support/golden.h"

#include <doctest/doctest.h>

#include "codegen/emit/stable/stable.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

// The same options as those of `./dev goldens`.
Texts generated() {
  const Loaded loaded(inputs_of_library("tests/codegen/emit/stable/golden/"));
  DiagnosticSink sink;
  check_stable(*loaded.model, sink);
  CHECK(render_all(sink) == "");
  EmitOptions options;
  options.library = "golden";
  options.shards = 1;
  return texts_of(emit_stable(*loaded.model, options, {"add_", "contiguous"}));
}

// What is the same for libraries of both kinds is tested with the others.
bool is_common(const std::string& path) {
  return path.ends_with(".pyi") || path.ends_with(".py") || path.ends_with(".txt") ||
         path == "opweave/operators.json";
}

TEST_CASE("what is generated for every release is what was reviewed") {
  Texts now = generated();
  std::erase_if(now, [](const auto& file) { return is_common(file.first); });
  check_reviewed(now, golden("tests/codegen/emit/stable/golden/output"));
}

TEST_CASE("a library has what its build and Python read") {
  const Texts now = generated();
  for (const char* path :
       {"opweave/stable/library.cc", "opweave/stable/elements.cc", "opweave/stable/exports.map",
        "opweave/faces.json", "opweave/operators.json", "opweave/_generated.pyi",
        "opweave/tests/operators.py", "opweave/kernels/cpu/moving_mean.h",
        "opweave/ops/contiguous.h", "opweave/ops/add.h", "opweave/ops/add_.h",
        "instead/runtime/core/tensor/tensor.h"}) {
    CAPTURE(path);
    CHECK(now.contains(path));
  }
}

TEST_CASE("a library without expressions has no loops, one without kernels no headers of kernels") {
  const Loaded composite("- func: f(Tensor self) -> Tensor\n  composite: self + 1\n", "",
                         read_file("ops.yaml"));
  const Texts files = texts_of(emit_stable(*composite.model, {.library = "f", .shards = 1}));
  CHECK(files.contains("opweave/stable/library.cc"));
  CHECK(!files.contains("opweave/stable/elements.cc"));
  CHECK(!files.contains("instead/runtime/core/tensor/tensor.h"));
}

}  // namespace
}  // namespace opweave::codegen

// Extensions of PyTorch, line by line as they were last reviewed.
#include "tests/codegen/support/golden.h"

#include <doctest/doctest.h>

#include "codegen/emit/torch/torch.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

// The same options as those of `./dev goldens`.
Texts generated() {
  const Loaded loaded(inputs_of_library("tests/codegen/emit/torch/golden/"));
  EmitOptions options;
  options.library = "golden";
  options.targets = {"cpu", "cuda"};
  return texts_of(emit_torch(*loaded.model, options));
}

// What not every extension has.
bool is_own(const std::string& path) {
  const bool is_support = path.starts_with("csrc/opweave/") || path.starts_with("csrc/kernels/") ||
                          path.starts_with("csrc/runtime/") || path == "build_extension.py" ||
                          path == "building.py" || path == "compiler_messages.py" ||
                          path == "making_wheels.py" || path == "pyproject.toml" ||
                          path == "golden/_record.py" || path == "golden/_support.py" ||
                          path == "golden/_loading.py" || path == "tests/test_operators.py";
  return !is_support;
}

TEST_CASE("what is generated for PyTorch is what was reviewed") {
  check_reviewed_package(generated(), "tests/codegen/emit/torch/golden/output", is_own);
}

TEST_CASE("an extension has everything that its build reads") {
  check_complete(generated(),
                 {"setup.py", "build_extension.py", "building.py", "compiler_messages.py",
                  "making_wheels.py", "csrc/library.cpp", "csrc/pointwise.cpp",
                  "csrc/opweave/operators.h", "csrc/opweave/autograd.h", "csrc/opweave/pointwise.h",
                  "csrc/opweave/vocabulary.h", "csrc/opweave/visit_dtype.h", "golden/__init__.py",
                  "golden/_record.py", "golden/_rules.py", "golden/_support.py"});
}

}  // namespace
}  // namespace opweave::codegen

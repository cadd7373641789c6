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

// What every extension has.
bool is_support(const std::string& path) {
  return path.starts_with("csrc/opweave/") || path.starts_with("csrc/kernels/") ||
         path.starts_with("csrc/runtime/") || path == "build_extension.py" ||
         path == "building.py" || path == "compiler_messages.py" || path == "pyproject.toml" ||
         path == "golden/_record.py" || path == "golden/_support.py" ||
         path == "golden/_loading.py" || path == "tests/test_operators.py";
}

TEST_CASE("what is generated for PyTorch is what was reviewed") {
  Texts now = generated();
  std::erase_if(now, [](const auto& file) { return is_support(file.first); });
  check_reviewed(now, golden("tests/codegen/emit/torch/golden/output"));
}

TEST_CASE("an extension has everything that its build reads") {
  const Texts now = generated();
  for (const char* path :
       {"setup.py", "build_extension.py", "csrc/library.cpp", "csrc/pointwise.cpp",
        "csrc/opweave/operators.h", "csrc/opweave/autograd.h", "csrc/opweave/pointwise.h",
        "csrc/opweave/vocabulary.h", "golden/__init__.py", "golden/_rules.py",
        "golden/_support.py"}) {
    CAPTURE(path);
    CHECK(now.contains(path));
  }
}

}  // namespace
}  // namespace opweave::codegen

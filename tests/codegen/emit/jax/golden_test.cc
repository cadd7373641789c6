// Packages for JAX, line by line as they were last reviewed.
#include "tests/codegen/support/golden.h"

#include <doctest/doctest.h>

#include "codegen/emit/jax/jax.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

// The same options as those of `./dev goldens`.
Texts generated() {
  Inputs inputs = inputs_of_library("tests/codegen/emit/torch/golden/");
  inputs.imported_differentiated = true;
  inputs.imported_derivatives.push_back({"derivatives.yaml", read_file("derivatives.yaml")});
  const Loaded loaded(std::move(inputs));
  EmitOptions options;
  options.library = "golden";
  return texts_of(emit_jax(*loaded.model, options));
}

// What differs between packages.
bool is_own(const std::string& path) {
  return path == "setup.py" || path == "csrc/kernels.cpp" || path == "golden_jax/__init__.py" ||
         path == "golden_jax/_operators.py" || path == "tests/samples.py";
}

TEST_CASE("what is generated for JAX is what was reviewed") {
  check_reviewed_package(generated(), "tests/codegen/emit/jax/golden/output", is_own);
}

TEST_CASE("a package has everything that its build and its import read") {
  check_complete(generated(), {"build_extension.py",
                               "building.py",
                               "compiler_messages.py",
                               "making_wheels.py",
                               "pyproject.toml",
                               "operators.json",
                               "csrc/parallel.cpp",
                               "csrc/opweave/ffi.h",
                               "csrc/opweave/kernel.h",
                               "csrc/opweave/half.h",
                               "csrc/opweave/visit_dtype.h",
                               "golden_jax/_arguments.py",
                               "golden_jax/_core.py",
                               "golden_jax/_derivatives.py",
                               "golden_jax/_kernel.py",
                               "golden_jax/_linear.py",
                               "golden_jax/_loading.py",
                               "golden_jax/_operator.py",
                               "golden_jax/_pointwise.py",
                               "golden_jax/_promotion.py",
                               "golden_jax/_record.py",
                               "golden_jax/_rule.py",
                               "golden_jax/_vocabulary.py",
                               "golden_jax/py.typed",
                               "tests/test_operators.py"});
}

TEST_CASE("without handwritten kernels there is nothing to compile") {
  const Loaded loaded("- func: f(Tensor self) -> Tensor\n  expr: -self\n  dtypes: floating\n", "");
  EmitOptions options;
  options.library = "pure";
  for (const auto& [path, text] : texts_of(emit_jax(*loaded.model, options))) {
    CAPTURE(path);
    CHECK(!path.starts_with("csrc/"));
    CHECK(path != "build_extension.py");
    if (path == "setup.py") CHECK(text.find("ext_modules") == std::string::npos);
  }
}

}  // namespace
}  // namespace opweave::codegen

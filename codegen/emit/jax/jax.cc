// The files of a package for JAX.
#include "codegen/emit/jax/jax.h"

#include <string_view>
#include <utility>

#include "codegen/emit/extension/kernels.h"
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/extension/support.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/operator_list.h"

namespace opweave::codegen {
namespace {

// What every package has, as it stands in support/, beside extension_support().
constexpr SupportFile kSupport[] = {
#include "codegen/emit/jax/support.inc"
};

// Where a file of support/ goes; empty for those that only kernels need, where there are none.
std::string support_path(std::string_view name, const JaxLibrary& library, bool has_kernels) {
  if (name.starts_with("test_")) return "tests/" + std::string(name);
  if (name.starts_with('_')) return library.package + "/" + std::string(name);
  if (name == "pyproject.toml" || name == "making_wheels.py") return std::string(name);
  if (!has_kernels) return {};
  if (name.ends_with(".h")) return "csrc/opweave/" + std::string(name);
  return (name.ends_with(".cpp") ? "csrc/" : "") + std::string(name);
}

}  // namespace

std::vector<EmittedFile> emit_jax(const Model& model, const EmitOptions& options) {
  const JaxLibrary library = jax_library(model, options);
  const auto kernels = handwritten_operators(library.operators);
  std::vector<EmittedFile> files{
      {"setup.py", print_jax_setup(library)},
      {"operators.json", operator_list(model, /*with_entries=*/true)},
      {library.package + "/__init__.py", print_jax_module(library)},
      {library.package + "/_operators.py", print_jax_operators(library)},
      {library.package + "/py.typed", ""},
      {"tests/samples.py", print_jax_samples(library)},
  };
  if (!kernels.empty()) {
    files.push_back({"csrc/kernels.cpp", print_jax_kernels(library)});
    for (EmittedFile& header : kernel_headers(kernels, "cpu")) files.push_back(std::move(header));
    add_header_names({"kernels/cpu/common/visit_dtype.h", "runtime/core/threads/parallel.h",
                      "runtime/core/tensor/tensor.h", "opweave/ops/contiguous.h"},
                     "opweave/kernel.h", files);
  }
  for (const auto support : {std::span<const SupportFile>(kSupport), extension_support()}) {
    for (const auto& [name, text] : support) {
      const std::string path = support_path(name, library, !kernels.empty());
      if (!path.empty()) files.push_back({path, std::string(text)});
    }
  }
  return files;
}

namespace {

class JaxEmission : public Emission {
 public:
  JaxEmission() : Emission("jax", Kernels::packed) {}
  bool limits_operands() const override { return false; }
  bool differentiates_imported() const override { return true; }
  void check(const Model& model, Sources, DiagnosticSink& sink) const override {
    check_jax(model, sink);
  }
  std::vector<EmittedFile> files(const Model& model, const EmitOptions& options,
                                 Sources) const override {
    return emit_jax(model, options);
  }
};

}  // namespace

const Emission& jax_emission() {
  static const JaxEmission emission;
  return emission;
}

}  // namespace opweave::codegen

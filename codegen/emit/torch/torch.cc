// The files of an extension of PyTorch.
#include "codegen/emit/torch/torch.h"

#include <string_view>
#include <utility>

#include "codegen/emit/operator_list.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

// What every extension has, as it stands in support/.
constexpr std::pair<std::string_view, std::string_view> kSupport[] = {
#include "codegen/emit/torch/support.inc"
};

std::string support_path(std::string_view name, const std::string& library) {
  if (name.ends_with(".h")) return "csrc/opweave/" + std::string(name);
  if (name.starts_with("test_")) return "tests/" + std::string(name);
  return (name.starts_with('_') ? library + "/" : std::string()) + std::string(name);
}

}  // namespace

std::vector<EmittedFile> emit_torch(const Model& model, const EmitOptions& options) {
  const TorchLibrary library{model, options, torch_operators(model)};
  const std::string& name = options.library;
  std::vector<EmittedFile> files{
      {"setup.py", print_torch_setup(library)},
      {"operators.json", operator_list(model, /*with_entries=*/true)},
      {"csrc/library.cpp", print_torch_library(library)},
      {"csrc/pointwise.cpp", print_torch_pointwise(library)},
      {name + "/__init__.py", print_torch_module(library)},
      {name + "/__init__.pyi", print_torch_stubs(library)},
      {name + "/_rules.py", print_torch_rules(library)},
      {name + "/py.typed", ""},
      {"tests/samples.py", print_torch_samples(library)},
  };
  bool has_kernels = false;
  for (const Operator* op : library.operators) {
    if (!op->has_hardware_kernel() || op->is_expr()) continue;
    has_kernels = true;
    files.push_back(
        {"csrc/opweave/kernels/cpu/" + op->base_name + ".h", print_torch_kernel_header(*op)});
  }
  if (has_kernels) {
    files.push_back({"csrc/kernels.cpp", print_torch_kernels(library)});
    // Where kernels of Opweave find what opweave/kernel.h has.
    for (const char* header : {"kernels/cpu/common/visit_dtype.h", "runtime/core/parallel.h",
                               "runtime/core/tensor.h", "opweave/ops/contiguous.h"})
      files.push_back(
          {"csrc/" + std::string(header), "#pragma once\n#include \"opweave/kernel.h\"\n"});
  }
  for (const auto& [file, text] : kSupport)
    files.push_back({support_path(file, name), std::string(text)});
  return files;
}

}  // namespace opweave::codegen

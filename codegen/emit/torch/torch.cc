// The files of an extension of PyTorch.
#include "codegen/emit/torch/torch.h"

#include <string_view>
#include <utility>

#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

// What every extension has, as it stands in support/.
constexpr std::pair<std::string_view, std::string_view> kSupport[] = {
#include "codegen/emit/torch/support.inc"
};

std::string support_path(std::string_view name, const std::string& library) {
  if (name.ends_with(".h")) return "csrc/opweave/" + std::string(name);
  return (name.starts_with('_') ? library + "/" : std::string()) + std::string(name);
}

}  // namespace

std::vector<EmittedFile> emit_torch(const Model& model, const EmitOptions& options) {
  const TorchLibrary library{model, options, torch_operators(model)};
  const std::string& name = options.library;
  std::vector<EmittedFile> files{
      {"setup.py", print_torch_setup(library)},
      {"csrc/library.cpp", print_torch_library(library)},
      {"csrc/pointwise.cpp", print_torch_pointwise(library)},
      {name + "/__init__.py", print_torch_module(library)},
      {name + "/__init__.pyi", print_torch_stubs(library)},
      {name + "/_rules.py", print_torch_rules(library)},
      {name + "/py.typed", ""},
  };
  for (const auto& [file, text] : kSupport)
    files.push_back({support_path(file, name), std::string(text)});
  return files;
}

}  // namespace opweave::codegen

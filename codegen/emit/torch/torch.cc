// The files of an extension of PyTorch.
#include "codegen/emit/torch/torch.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "codegen/emit/extension/kernels.h"
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/extension/support.h"
#include "codegen/emit/output/operator_list.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

// What every extension has, as it stands in support/, beside extension_support().
constexpr SupportFile kSupport[] = {
#include "codegen/emit/torch/support.inc"
};

std::string support_path(std::string_view name, const std::string& library) {
  if (name.ends_with(".h") || name.ends_with(".cuh")) return "csrc/opweave/" + std::string(name);
  if (name.starts_with("test_")) return "tests/" + std::string(name);
  return (name.starts_with('_') ? library + "/" : std::string()) + std::string(name);
}

void add_expressions(const TorchLibrary& library, std::vector<EmittedFile>& files) {
  files.push_back({"csrc/pointwise.cpp", print_torch_pointwise(library)});
  if (std::ranges::count(library.options.targets, "cuda") != 0 &&
      std::ranges::any_of(library.operators, &Operator::is_expr))
    files.push_back({"csrc/expressions.cu", print_torch_cuda_pointwise(library)});
}

constexpr KernelHeader kKernelHeaders[] = {
    {"kernels/cpu/common/visit_dtype.h", "opweave/kernel.h"},
    {"opweave/ops/contiguous.h", "opweave/kernel.h"},
    {"runtime/core/tensor/dim_vector.h", "opweave/kernel.h"},
    {"runtime/core/base/error.h", "opweave/errors.h"},
    {"runtime/core/numbers/half.h", "opweave/kernel.h"},
    {"runtime/core/threads/parallel.h", "opweave/kernel.h"},
    {"runtime/core/numbers/scalar.h", "opweave/kernel.h"},
    {"runtime/core/numbers/scalar_type.h", "opweave/kernel.h"},
    {"runtime/core/base/str.h", "opweave/errors.h"},
    {"runtime/core/tensor/tensor.h", "opweave/kernel.h"},
    {"kernels/cuda/device.h", "opweave/cuda_kernel.h", /*for_cuda=*/true},
    {"kernels/cuda/pointwise/make_loops.cuh", "opweave/cuda_kernel.h", /*for_cuda=*/true},
};

void add_kernels(const TorchLibrary& library, std::vector<EmittedFile>& files) {
  if (handwritten_operators(library.operators).empty()) return;
  for (const std::string target : {"cpu", "cuda"}) {
    for (EmittedFile& header : kernel_headers(torch_kernels(library, target), target))
      files.push_back(std::move(header));
  }
  files.push_back({"csrc/kernels.cpp", print_torch_kernels(library)});
  const bool has_cuda = !torch_kernels(library, "cuda").empty();
  for (const KernelHeader& header : kKernelHeaders) {
    if (!header.for_cuda || has_cuda)
      add_header_names({header.name.data()}, std::string(header.behind), files);
  }
}

}  // namespace

std::span<const KernelHeader> torch_kernel_headers() { return kKernelHeaders; }

std::vector<EmittedFile> emit_torch(const Model& model, const EmitOptions& options) {
  const TorchLibrary library{model, options, extension_operators(model)};
  const std::string& name = options.library;
  std::vector<EmittedFile> files{
      {"setup.py", print_torch_setup(library)},
      {"operators.json", operator_list(model, /*with_entries=*/true)},
      {"csrc/library.cpp", print_torch_library(library)},
      {name + "/__init__.py", print_torch_module(library)},
      {name + "/__init__.pyi", print_torch_stubs(library)},
      {name + "/_rules.py", print_torch_rules(library)},
      {name + "/py.typed", ""},
      {"tests/samples.py", print_torch_samples(library)},
  };
  add_expressions(library, files);
  add_kernels(library, files);
  for (const auto support : {std::span<const SupportFile>(kSupport), extension_support()}) {
    for (const auto& [file, text] : support)
      files.push_back({support_path(file, name), std::string(text)});
  }
  return files;
}

namespace {

class TorchEmission : public Emission {
 public:
  TorchEmission() : Emission("torch", Kernels::packed) {}
  bool limits_operands() const override { return false; }
  void check(const Model& model, Sources kernels, DiagnosticSink& sink) const override {
    check_torch(model, sink);
    for (const Source* kernel : kernels) check_torch_kernel(*kernel, sink);
  }
  std::vector<EmittedFile> files(const Model& model, const EmitOptions& options,
                                 Sources) const override {
    return emit_torch(model, options);
  }
};

}  // namespace

const Emission& torch_emission() {
  static const TorchEmission emission;
  return emission;
}

}  // namespace opweave::codegen

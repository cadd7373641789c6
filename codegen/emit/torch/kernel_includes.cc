// What handwritten kernels of an extension of PyTorch can include of Opweave.
#include "codegen/emit/kernels/kernel_includes.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "codegen/emit/torch/torch.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kDeclarations = "opweave/kernels/";

}  // namespace

void check_torch_kernel(const Source& kernel, DiagnosticSink& sink) {
  for (const KernelInclude& include : own_includes(kernel)) {
    const auto& offered = torch_kernel_headers();
    if (include.path.starts_with(kDeclarations) ||
        std::ranges::find(offered, include.path, &KernelHeader::name) != offered.end())
      continue;
    std::string names;
    for (const KernelHeader& header : offered)
      names += (names.empty() ? "" : ", ") + std::string(header.name);
    sink.error(Code::not_for_torch, include.span,
               "a kernel of an extension of PyTorch cannot include '" + std::string(include.path) +
                   "', which it does not have")
        .note({}, "it can include " + names);
  }
}

}  // namespace opweave::codegen

// The lines of a kernel's file that include headers of Opweave.
#include "codegen/emit/kernels/kernel_includes.h"

#include <algorithm>
#include <optional>

namespace opweave::codegen {
namespace {

constexpr std::string_view kFolders[] = {"bindings/", "dtypes/", "generated/", "hwy/",   "kernels/",
                                         "opweave/",  "rules/",  "runtime/",   "schema/"};

// The path that a line includes, if it is such a line.
std::optional<std::string_view> included(std::string_view line) {
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || line[at] != '#') return std::nullopt;
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string_view::npos || !line.substr(at).starts_with("include")) return std::nullopt;
  const size_t open = line.find_first_of("\"<", at);
  if (open == std::string_view::npos) return std::nullopt;
  const size_t close = line.find_first_of("\">", open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return line.substr(open + 1, close - open - 1);
}

}  // namespace

std::vector<KernelInclude> own_includes(const Source& kernel) {
  std::vector<KernelInclude> found;
  for (uint32_t number = 1; number <= kernel.line_count(); ++number) {
    const auto path = included(kernel.line(number));
    const auto is_below = [&](std::string_view folder) { return path->starts_with(folder); };
    if (!path || std::ranges::none_of(kFolders, is_below)) continue;
    const auto begin = static_cast<uint32_t>(path->data() - kernel.text().data());
    found.push_back({*path, {&kernel, begin, begin + static_cast<uint32_t>(path->size())}});
  }
  return found;
}

}  // namespace opweave::codegen

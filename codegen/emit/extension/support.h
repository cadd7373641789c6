// Files that packages for other frameworks carry as they are.
#pragma once

#include <span>
#include <string_view>

namespace opweave::codegen {

struct SupportFile {
  std::string_view name, text;
};
// Those that all of them carry, whatever the framework is.
std::span<const SupportFile> extension_support();

}  // namespace opweave::codegen

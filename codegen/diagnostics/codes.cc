// Names and titles of the rules.
#include "codegen/diagnostics/codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace opweave::codegen {
namespace {

constexpr Code kCodes[] = {
#define OPWEAVE_CODE(name, number, title) Code::name,
#include "codegen/diagnostics/codes.def"
#undef OPWEAVE_CODE
};

}  // namespace

std::span<const Code> all_codes() { return kCodes; }

std::string code_name(Code code) { return fmt::format("OW{:04}", static_cast<int>(code)); }

std::string_view code_title(Code code) {
  switch (code) {
#define OPWEAVE_CODE(name, number, title) \
  case Code::name:                        \
    return title;
#include "codegen/diagnostics/codes.def"
#undef OPWEAVE_CODE
  }
  return "";
}

std::optional<Code> code_from_name(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto found =
      std::ranges::find_if(kCodes, [&](Code code) { return code_name(code) == upper; });
  return found == std::end(kCodes) ? std::nullopt : std::optional(*found);
}

}  // namespace opweave::codegen

// The numbered rules, as codes.def lists them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace opweave::codegen {

enum class Code : uint16_t {
#define OPWEAVE_CODE(name, number, title) name = number,
#include "codegen/diagnostics/codes.def"
#undef OPWEAVE_CODE
};

// In the order of their numbers.
std::span<const Code> all_codes();
// `OW0123`
std::string code_name(Code code);
// The rule in one line, for lists of codes.
std::string_view code_title(Code code);
// Reads `OW0123`, in any case.
std::optional<Code> code_from_name(std::string_view name);

}  // namespace opweave::codegen

// The numbered rules. A code keeps its number for ever; `title` says the rule in one line.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace opweave::codegen {

// 00xx files and YAML, 01xx schema strings, 02xx expressions, 03xx operators, 04xx derivatives.
enum class Code : uint16_t {
  cannot_read_file = 1,
};

// `OW0123`
std::string code_name(Code code);

}  // namespace opweave::codegen

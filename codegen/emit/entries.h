// The parts of an operator's entry, as text: what each output depends on, and
// what may change unseen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/outputs.h"

namespace opweave::codegen {

struct EntryPart {
  std::string_view name;  // "schema", "expr", "gradient", …
  std::string text;
};
// In a fixed order; a part that the entry does not have is empty.
std::vector<EntryPart> entry_parts(const Operator& op);

// "nn.silu"
std::string python_path(const Operator& op);
// FNV-1a in hexadecimal digits.
std::string text_hash(std::string_view text);

// Holds a hash of every part of every entry, for `gen --why`.
inline constexpr std::string_view kEntriesFile = "opweave/entries.txt";

}  // namespace opweave::codegen

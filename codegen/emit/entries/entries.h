// The parts of an operator's entry, as text: what each output depends on, and
// what may change unseen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/output/outputs.h"

namespace opweave::codegen {

// Who can tell that a part has changed.
enum class Seen : uint8_t {
  by_callers,  // of the operator
  inside,      // how it computes and is differentiated: free to change
  by_readers,  // of its documentation and tests
};

struct EntryPart {
  std::string_view name;  // "schema", "expr", "gradient", …
  std::string text;
  Seen seen;
};
// In a fixed order; a part that the entry does not have is empty.
// With mutants, if there are some, the part `expr` is what is printed of them all.
std::vector<EntryPart> entry_parts(const Operator& op, const Mutants& mutants = Mutants::none());

// The text of one of them.
std::string entry_part(const Operator& op, std::string_view name);

// "nn.silu"
std::string python_path(const Operator& op);
// FNV-1a in hexadecimal digits.
std::string text_hash(std::string_view text);

// Holds a hash of every part of every entry, for `gen --why`.
inline constexpr std::string_view kEntriesFile = "opweave/entries.txt";

}  // namespace opweave::codegen

// What changed between two sets of operators, and whom it breaks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

// Who depends on an operator, as a set of bits.
enum class Audience : uint8_t {
  python = 1,     // callers in Python: names, keywords, defaults
  cpp = 2,        // callers in C++: source code that is compiled again
  saved = 4,      // programs that were saved: an operator and its arguments by name
  libraries = 8,  // operator libraries and targets built earlier: types and
                  // symbols as they were
};
constexpr uint8_t operator|(Audience a, Audience b) {
  return static_cast<uint8_t>(a) | static_cast<uint8_t>(b);
}
constexpr uint8_t kNobody = 0, kEverybody = 15;

struct Change {
  enum class Kind : uint8_t { added, removed, changed };

  Kind kind = Kind::changed;
  std::string op;         // full name
  std::string what;       // "argument 'dim' lost its default 0"; empty when all is said
  uint8_t breaks = 0;     // audiences
  bool internal = false;  // only the inside of the operator: nothing that a caller can name
};

// The version number that has to grow: nothing, its last part, ...
enum class Version : uint8_t { same, patch, minor, major };
std::string_view version_name(Version version);

// Operators in alphabetical order; of each what its callers see first.
std::vector<Change> compare(const Model& before, const Model& after);
Version verdict(const std::vector<Change>& changes);

// Lines such as
//   silu: argument 'x' was renamed to 'input'    breaks Python callers, saved programs
std::string print_changes(const std::vector<Change>& changes);
// The same for programs; docs/diagnostics.md describes it.
std::string json_changes(const std::vector<Change>& changes);

// For the comparison of one operator with itself.
void compare_arguments(const Operator& before, const Operator& after, std::vector<Change>& changes);

}  // namespace opweave::codegen

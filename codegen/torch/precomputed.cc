// Reads what kernels of a structured operator get instead of its arguments.
#include "codegen/torch/precomputed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "codegen/model/entries/fields.h"
#include "codegen/torch/schema_rules.h"
#include "codegen/torch/yaml_kinds.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kArrow = " -> ";
constexpr std::string_view kExample = "dim -> int dim";

// Kernels get lists that they may change, which operators do not take.
std::string with_known_type(std::string_view argument) {
  constexpr std::string_view kList = "DimVector ";
  if (!argument.starts_with(kList)) return std::string(argument);
  return "int[] " + std::string(argument.substr(kList.size()));
}

bool has_small_letter(std::string_view name) {
  return std::ranges::any_of(name, [](unsigned char c) { return std::islower(c) != 0; });
}

class PrecomputedReader {
 public:
  PrecomputedReader(const LocatedText& key, EntryValues& values, NativeFunction& function)
      : key_(key), values_(values), function_(function) {}

  void read(const std::vector<LocatedText>& lines) {
    for (const LocatedText& line : lines) {
      const bool is_last = line.text.data() == lines.back().text.data();
      if (!read_line(line, is_last)) return;
    }
  }

 private:
  bool fail(const LocatedText& text, const std::string& message, const std::string& advice = {}) {
    auto& diagnostic = values_.sink().error(
        Code::bad_value, place_of(text), fmt::format("{}: {}", values_.named(key_.text), message));
    if (!advice.empty()) diagnostic.note({}, advice);
    return false;
  }

  bool read_line(const LocatedText& line, bool is_last) {
    const std::vector<LocatedText> sides = split_at(line, kArrow);
    if (sides.size() == 1) {
      if (is_last) return read_arguments(line, false);
      return fail(line,
                  fmt::format("'{}' replaces no argument, and is not the last line", line.text),
                  fmt::format("write it as '{}', or as the last line", kExample));
    }
    if (sides.size() > 2) {
      return fail(line, fmt::format("'{}' has several arrows", line.text),
                  fmt::format("write it as '{}'", kExample));
    }
    return check_replaced(sides[0]) && read_arguments(sides[1], true);
  }

  bool check_replaced(const LocatedText& name) {
    if (name.text.find(' ') != std::string_view::npos) {
      return fail(name, fmt::format("'{}' has to be the name of an argument", name.text),
                  fmt::format("write it as '{}'", kExample));
    }
    if (function_.schema.find_argument(name.text) < 0) {
      return fail(name, fmt::format("'{}' is no argument of '{}'", name.text, function_.full_name));
    }
    return function_.replaced.insert(name.text).second ||
           fail(name, fmt::format("'{}' is replaced twice", name.text),
                "write one line with all that replaces it");
  }

  bool read_arguments(const LocatedText& text, bool exact) {
    for (const LocatedText& piece : split_at(text, exact ? ", " : ",")) {
      if (!read_argument(exact ? piece : trimmed(piece))) return false;
    }
    return true;
  }

  // The schema of an argument is that of an operator that takes it alone.
  bool read_argument(const LocatedText& text) {
    const std::string schema = fmt::format("f({}) -> ()", with_known_type(text.text));
    const auto parsed = schema::parse_schema(schema, {.canonical = true});
    if (const auto* problem = std::get_if<schema::Problem>(&parsed)) {
      const bool unknown = !problem->unknown.empty();
      return fail(
          text,
          unknown ? fmt::format("unknown type '{}'", problem->unknown)
                  : fmt::format("'{}' is no type and a name", text.text),
          fmt::format("write it as '{}', with a comma and one blank between arguments", kExample));
    }
    const auto& arguments = std::get<schema::Schema>(parsed).arguments;
    if (arguments.size() != 1) return fail(text, "an argument is missing here");
    Argument argument{arguments[0], text.whole(), text.whole(), text.whole(), text.whole()};
    if (!check_argument(argument, values_.sink())) return false;
    if (!has_small_letter(argument.name)) {
      return fail(text,
                  fmt::format("'{}' has capitals alone, as template arguments have", argument.name),
                  "write it in small letters");
    }
    function_.precomputed.push_back(arguments[0]);
    return true;
  }

  const LocatedText& key_;
  EntryValues& values_;
  NativeFunction& function_;
};

}  // namespace

void read_precomputed(const LocatedText& key, const YamlNode& value, EntryValues& values,
                      NativeFunction& function) {
  if (yaml_kind(value) == YamlKind::nothing) return;
  function.has_precomputed = true;
  if (value.is_sequence() && value.items.empty()) return;
  if (const auto lines = values.texts(key, value, kExample))
    PrecomputedReader(key, values, function).read(*lines);
}

}  // namespace opweave::codegen::torch

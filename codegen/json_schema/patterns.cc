// Regular expressions of ECMA 262, as JSON Schema wants them.
#include "codegen/json_schema/patterns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/syntax/schema.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kIdentifier = "[A-Za-z_][A-Za-z0-9_]*";

// `Tensor(a!)[2]?`, with an optional element before the brackets. Any name with a capital may be a
// declared type of objects.
std::string type_pattern() {
  const std::vector<std::string_view> names = schema_type_names();
  return fmt::format(
      R"((?:{}|Sym(?:Int|Float|Bool)|[A-Z]\w*)(?:\([a-z][a-z0-9!|*> -]*\))?(?:\??\[\d*\])?\??)",
      fmt::join(names, "|"));
}

std::string argument_pattern() {
  return fmt::format(R"((?:\*|{} {}(?:=(?:\[[^\]]*\]|"[^"]*"|'[^']*'|[^,()\s]+))?))",
                     type_pattern(), kIdentifier);
}

std::string result_pattern() {
  const std::string one = fmt::format("{}(?: {})?", type_pattern(), kIdentifier);
  return fmt::format(R"((?:{}|\((?:{}(?:, {})*)?\)))", type_pattern(), one, one);
}

}  // namespace

std::string name_pattern(Names names) {
  switch (names) {
    case Names::operators:
      return fmt::format(R"({}(?:\.[A-Za-z0-9_]+)?)", kIdentifier);
    case Names::targets:
      return "[a-z_][a-z0-9_]*";
    default:
      return std::string(kIdentifier);
  }
}

std::string any_of(std::span<const std::string_view> words) {
  return fmt::format("(?:{})", fmt::join(words.begin(), words.end(), "|"));
}

std::string comma_list(const std::string& pattern) {
  return fmt::format(R"(^{}(?:\s*,\s*{})*$)", pattern, pattern);
}

std::string drawn_pattern(std::span<const std::string_view> domains) {
  return fmt::format(R"(^(?:{}|below_[1-9]\d*)\((?:\d+(?:x\d+)*)?\)(?::{})?$)", any_of(domains),
                     any_of(words::kDtypes));
}

std::string signature_pattern() {
  const std::string argument = argument_pattern();
  return fmt::format(R"(^{}\((?:{}(?:, {})*)?\) -> {}$)", name_pattern(Names::operators), argument,
                     argument, result_pattern());
}

}  // namespace opweave::codegen

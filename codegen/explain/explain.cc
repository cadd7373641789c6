// Finds and prints explanations.
#include "codegen/explain/explain.h"

#include <fmt/format.h>

#include <stdexcept>

#include "codegen/diagnostics/utf8.h"
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

// `  | ` before each line.
std::string show_file(std::string_view name, std::string_view text) {
  if (text.empty()) return "";
  std::string out = fmt::format("  {}\n", name);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += fmt::format("    | {}\n", printable(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

std::string show_example(const Example& example) {
  if (example.missing) return "  ops.yaml is not there\n";
  std::string text = show_file("ops.yaml", example.ops);
  if (text.empty()) text = "  ops.yaml, an empty file\n";
  return text + show_file("derivatives.yaml", example.derivatives) +
         show_file("target.yaml", example.target) + show_file("selection.yaml", example.selection);
}

}  // namespace

const Explanation& explanation(Code code) {
  for (const auto& table : {file_explanations(), schema_explanations(), expression_explanations(),
                            operator_explanations(), derivative_explanations(),
                            selection_explanations(), extension_explanations()}) {
    for (const Explanation& candidate : table) {
      if (candidate.code == code) return candidate;
    }
  }
  throw std::logic_error(fmt::format("{} has no explanation", code_name(code)));
}

std::string explain(Code code) {
  const Explanation& found = explanation(code);
  return fmt::format("{}: {}\n\n{}\n\nThis is {}:\n{}\nThis is right:\n{}", code_name(code),
                     code_title(code), found.why, found.warns ? "warned of" : "an error",
                     show_example(found.bad), show_example(found.good));
}

std::string explain_all() {
  std::string text;
  for (Code code : all_codes()) text += fmt::format("{}  {}\n", code_name(code), code_title(code));
  return text;
}

}  // namespace opweave::codegen

// The words of Python, and constants in its spelling.
#include "schema/python_text.h"

#include <algorithm>

namespace opweave::schema {
namespace {

constexpr std::string_view kKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
static_assert(std::is_sorted(std::begin(kKeywords), std::end(kKeywords)));

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string quoted(std::string_view text) { return "\"" + escaped(text) + "\""; }

std::string tuple(const std::vector<Constant>& items) {
  std::string text;
  for (const Constant& item : items) text += (text.empty() ? "" : ", ") + item.text;
  return "(" + text + (items.size() == 1 ? ",)" : ")");
}

}  // namespace

bool is_python_keyword(std::string_view name) {
  return std::ranges::binary_search(kKeywords, name);
}

std::string python_identifier(std::string_view name) {
  return std::string(name) + (is_python_keyword(name) ? "_" : "");
}

std::string python_text(const Constant& constant) {
  switch (constant.kind) {
    case Constant::Kind::none:
      return "None";
    case Constant::Kind::boolean:
      return constant.boolean ? "True" : "False";
    case Constant::Kind::integer:
      return std::to_string(constant.integer);
    case Constant::Kind::real:
      return constant.text;
    case Constant::Kind::string:
      return quoted(constant.string);
    case Constant::Kind::symbol:
      return constant.string == "long" ? "int64" : constant.string;
    case Constant::Kind::list:
      break;
  }
  return tuple(constant.items);
}

std::string python_docstring(std::string_view text) { return "\"\"\"" + escaped(text) + "\"\"\""; }

}  // namespace opweave::schema

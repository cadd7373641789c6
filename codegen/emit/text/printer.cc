// Printer: substitution and indentation.
#include "codegen/emit/text/printer.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "codegen/emit/text/trace.h"

namespace opweave::codegen {
namespace {

[[noreturn]] void fatal(const char* what, std::string_view name, std::string_view text) {
  std::fprintf(stderr, "opweave: internal error: %s variable '%.*s' in template:\n%.*s\n", what,
               static_cast<int>(name.size()), name.data(), static_cast<int>(text.size()),
               text.data());
  std::abort();
}

size_t find_variable(Printer::Variables variables, std::string_view name, std::string_view text) {
  size_t i = 0;
  for (const auto& [key, value] : variables) {
    if (key == name) return i;
    ++i;
  }
  fatal("unknown", name, text);
}

}  // namespace

void Printer::print(Variables variables, std::string_view text, Caller caller) {
  uint64_t used = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n'), start = out_.size();
    const std::string_view line = text.substr(0, end);
    if (const Value* callback = lone_callback(variables, line, used)) {
      const size_t outer = std::exchange(indent_, indent_ + line.find('$'));
      callback->print_();
      indent_ = outer;
    } else {
      print_line(variables, line, used);
      if (Trace::is_on()) stamp(start, caller);
    }
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  size_t i = 0;
  for (const auto& [key, value] : variables) {
    if (!(used >> i++ & 1)) fatal("unused", key, text);
  }
}

void Printer::raw(std::string_view text, Caller caller) {
  const size_t start = out_.size();
  out_.append(text);
  if (Trace::is_on()) stamp(start, caller);
}

// Stamps what was printed from `start` on.
void Printer::stamp(size_t start, const Caller& caller) {
  const std::string printed = out_.substr(start);
  out_.resize(start);
  out_ += stamped(printed, caller);
}

// The function of a line that is nothing but `  $name$`; null for any other line.
const Printer::Value* Printer::lone_callback(Variables variables, std::string_view line,
                                             uint64_t& used) const {
  const size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos || line[first] != '$') return nullptr;
  const std::string_view name = line.substr(first + 1, line.find('$', first + 1) - first - 1);
  if (name.empty() || first + name.size() + 2 != line.size()) return nullptr;
  const size_t index = find_variable(variables, name, line);
  const Value& value = (variables.begin() + index)->second;
  if (!value.print_) return nullptr;
  used |= uint64_t{1} << index;
  return &value;
}

void Printer::print_line(Variables variables, std::string_view line, uint64_t& used) {
  const std::string_view whole = line;
  const size_t start = out_.size();
  bool only_empty = false;
  if (!line.empty()) out_.append(indent_, ' ');
  while (!line.empty()) {
    const size_t dollar = line.find('$');
    out_.append(line.substr(0, dollar));
    if (dollar == std::string_view::npos) break;
    line.remove_prefix(dollar + 1);
    const size_t close = line.find('$');
    if (close == std::string_view::npos) fatal("unterminated", line, whole);
    const std::string_view name = line.substr(0, close);
    line.remove_prefix(close + 1);
    if (name.empty()) {
      out_.push_back('$');
      continue;
    }
    const size_t index = find_variable(variables, name, whole);
    used |= uint64_t{1} << index;
    const Value& given = (variables.begin() + index)->second;
    if (given.print_) fatal("a function does not stand alone on its line:", name, whole);
    const std::string_view value = given.text_;
    only_empty |= value.empty();
    append_value(value, out_.find_first_not_of(' ', start) == std::string::npos
                            ? out_.size() - start
                            : out_.find_first_not_of(' ', start) - start);
  }
  if (only_empty && out_.find_first_not_of(' ', start) == std::string::npos) {
    out_.resize(start);
    return;
  }
  out_.push_back('\n');
}

void Printer::append_value(std::string_view value, size_t column) {
  while (!value.empty()) {
    const size_t end = value.find('\n');
    out_.append(value.substr(0, end));
    if (end == std::string_view::npos) return;
    value.remove_prefix(end + 1);
    out_.push_back('\n');
    if (!value.empty() && value[0] != '\n') out_.append(column, ' ');
  }
}

}  // namespace opweave::codegen

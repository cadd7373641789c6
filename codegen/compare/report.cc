// Changes as text.
#include <algorithm>

#include "codegen/compare/changes.h"

namespace opweave::codegen {
namespace {

std::string audiences(uint8_t breaks) {
  constexpr std::pair<Audience, std::string_view> names[] = {
      {Audience::python, "Python callers"},
      {Audience::cpp, "C++ callers"},
      {Audience::saved, "saved programs"},
      {Audience::libraries, "libraries built against it"}};
  std::string text;
  for (const auto& [audience, name] : names) {
    if (breaks & static_cast<uint8_t>(audience))
      text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string line_of(const Change& change) {
  std::string line = "  " + change.op;
  if (!change.what.empty()) line += ": " + change.what;
  line += "\n";
  if (change.breaks != 0) line += "      breaks " + audiences(change.breaks) + "\n";
  return line;
}

}  // namespace

std::string_view version_name(Version version) {
  constexpr std::string_view names[] = {"none", "patch", "minor", "major"};
  return names[static_cast<int>(version)];
}

std::string print_changes(const std::vector<Change>& changes) {
  constexpr std::pair<Change::Kind, std::string_view> sections[] = {
      {Change::Kind::removed, "removed"},
      {Change::Kind::changed, "changed"},
      {Change::Kind::added, "added"}};
  std::string text;
  for (const auto& [kind, title] : sections) {
    std::string lines;
    for (const Change& change : changes) {
      if (change.kind == kind) lines += line_of(change);
    }
    if (!lines.empty()) text += std::string(title) + ":\n" + lines;
  }
  const auto breaking = std::count_if(changes.begin(), changes.end(),
                                      [](const Change& change) { return change.breaks != 0; });
  text += std::to_string(changes.size()) + (changes.size() == 1 ? " change, " : " changes, ");
  text += std::to_string(breaking) +
          " breaking; version: " + std::string(version_name(verdict(changes))) + "\n";
  return text;
}

}  // namespace opweave::codegen

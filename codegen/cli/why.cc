// Attributes changed files to changed operators.
#include "codegen/cli/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

#include "codegen/emit/entries/entries.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/files/files.h"

namespace opweave::codegen {
namespace {

using Parts = std::map<std::string, std::string>;  // name to hash
using Names = std::vector<std::string>;

std::map<std::string, Parts> read_entries(const std::string& text) {
  std::map<std::string, Parts> entries;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, word;
    words >> name;
    if (name.empty() || name == "#") continue;
    Parts& parts = entries[name];
    while (words >> word) parts[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  return entries;
}

Names changed_parts(const Parts& was, const Parts& is) {
  if (was.empty()) return {"new"};
  if (is.empty()) return {"removed"};
  std::set<std::string> differing;
  for (const auto& [part, hash] : was) {
    if (!is.contains(part) || is.at(part) != hash) differing.insert(part);
  }
  for (const auto& [part, hash] : is) {
    if (!was.contains(part)) differing.insert(part);
  }
  return {differing.begin(), differing.end()};
}

// The parts that differ, by operator.
std::map<std::string, Names> changed_entries(const std::string& before, const std::string& after) {
  const auto was = read_entries(before), is = read_entries(after);
  std::set<std::string> names;
  for (const auto* entries : {&was, &is}) {
    for (const auto& [name, parts] : *entries) names.insert(name);
  }
  std::map<std::string, Names> changed;
  for (const std::string& name : names) {
    Names parts = changed_parts(was.contains(name) ? was.at(name) : Parts(),
                                is.contains(name) ? is.at(name) : Parts());
    if (!parts.empty()) changed[name] = std::move(parts);
  }
  return changed;
}

// Lines of one text that the other does not have.
std::string lines_only_in(const std::string& text, const std::string& other) {
  std::multiset<std::string> present;
  std::istringstream others(other), lines(text);
  std::string line, found;
  while (std::getline(others, line)) present.insert(line);
  while (std::getline(lines, line)) {
    const auto it = present.find(line);
    if (it == present.end()) {
      found += line + "\n";
    } else {
      present.erase(it);
    }
  }
  return found;
}

// `add` in `add_Tensor` and `py_add`, not in `addr`.
bool mentions(std::string_view text, std::string_view name) {
  const auto letter = [&](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if ((at == 0 || !letter(at - 1)) && !letter(at + name.size())) return true;
  }
  return false;
}

std::string relevant_parts(const std::string& path, const Names& changed) {
  const OutputRow* output = output_of(path);
  std::string text, all;
  for (const std::string& part : changed) {
    all += (all.empty() ? "" : ", ") + part;
    if (output != nullptr && mentions(output->parts, part))
      text += (text.empty() ? "" : ", ") + part;
  }
  return text.empty() ? all : text;
}

// The changed operators that a text names.
std::string reason(const std::string& path, const std::string& in,
                   const std::map<std::string, Names>& changed) {
  std::string text;
  for (const auto& [name, parts] : changed) {
    const std::string base = name.substr(0, name.find('.'));
    if (!mentions(in, base)) continue;
    text += (text.empty() ? "" : "; ") + name + " (" + relevant_parts(path, parts) + ")";
  }
  return text;
}

// A line may change that does not name its operator: then the rest of the file tells.
std::string explanation(const EmittedFile& file, const std::string& before,
                        const std::map<std::string, Names>& changed) {
  const std::string lines = lines_only_in(before, file.text) + lines_only_in(file.text, before);
  for (const std::string* text : {&lines, &file.text}) {
    std::string found = reason(file.path, *text, changed);
    if (!found.empty()) return found;
  }
  return "the generator itself, or the order of entries";
}

bool is_compiled(std::string_view path) { return path.ends_with(".cc") || path.ends_with(".cu"); }

std::string old_text(const std::string& directory, std::string_view path) {
  std::string error;
  return read_file(directory + "/" + std::string(path), error).value_or("");
}

}  // namespace

std::string explain_changes(const std::string& directory, const std::vector<EmittedFile>& files) {
  std::map<std::string, Names> changed;
  for (const EmittedFile& file : files) {
    if (file.path == kEntriesFile)
      changed = changed_entries(old_text(directory, kEntriesFile), file.text);
  }
  std::string text;
  int touched = 0, compiled = 0;
  for (const EmittedFile& file : files) {
    const std::string before = old_text(directory, file.path);
    if (before == file.text || file.path == kEntriesFile) continue;
    text += fmt::format("{:<40} {}\n", file.path, explanation(file, before, changed));
    ++touched;
    compiled += is_compiled(file.path);
  }
  return text + fmt::format("{} of {} files change; {} of them are compiled\n", touched,
                            files.size(), compiled);
}

}  // namespace opweave::codegen

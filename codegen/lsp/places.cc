// Searching the files of kernels and tests. It is a matter of milliseconds, and never out of date.
#include "codegen/lsp/places.h"

#include <algorithm>
#include <filesystem>

#include "codegen/files/files.h"
#include "codegen/lsp/words.h"

namespace opweave::codegen::lsp {
namespace {

namespace fs = std::filesystem;

// Sorted; those below `folder` with one of these extensions.
std::vector<std::string> files_below(const fs::path& folder,
                                     std::initializer_list<std::string_view> extensions) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string extension = it->path().extension().string();
    if (std::ranges::count(extensions, extension) != 0) files.push_back(it->path().string());
  }
  std::ranges::sort(files);
  return files;
}

// Behind the bracket that closes the one at `at`.
size_t behind_brackets(std::string_view text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return at;
}

// A function with a body, that begins at the left: `Tensor name(...) {`.
bool is_definition(std::string_view text, size_t at, size_t size) {
  const size_t line = text.rfind('\n', at) + 1;
  const bool at_left = line < at && is_word(text[line]);
  const bool whole = !is_word(text[at - 1]) && text[at - 1] != ':' && text[at - 1] != '.';
  if (!at_left || !whole || text.substr(at + size, 1) != "(") return false;
  const size_t body = text.find_first_not_of(" \n", behind_brackets(text, at + size));
  return body != std::string_view::npos && text[body] == '{';
}

void find_definitions(const std::string& path, const std::string& name,
                      std::vector<Location>& found) {
  std::string ignored;
  const std::string text = read_file(path, ignored).value_or("");
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if (at == 0 || !is_definition(text, at, name.size())) continue;
    found.push_back({path, {static_cast<uint32_t>(at), static_cast<uint32_t>(at + name.size())}});
  }
}

// The first place of a file that says so.
void find_first(const std::string& path, const std::string& text, std::string_view what,
                std::vector<Location>& found) {
  const size_t at = text.find(what);
  if (at == std::string::npos) return;
  found.push_back({path, {static_cast<uint32_t>(at), static_cast<uint32_t>(at + what.size())}});
}

// The tests that are generated run for every public operator with samples.
bool is_generated(const std::string& path) {
  return path.find("/tests/python/generated/") != std::string::npos;
}

}  // namespace

std::vector<Location> kernels_of(const Operator& op, const std::string& root) {
  std::vector<Location> found;
  if (op.computation->implementation != Implementation::kernels) return found;
  for (const std::string& path : files_below(fs::path(root) / "kernels", {".cc", ".cu"}))
    find_definitions(path, op.name.identifier, found);
  return found;
}

std::vector<Location> tests_of(const Operator& op, const std::string& root) {
  std::vector<Location> found;
  const bool functional = !op.face->internal && op.forms->form == Form::functional;
  const std::string name = op.face->python_name.empty() ? op.name.base : op.face->python_name;
  const fs::path tests = fs::path(root) / "tests";
  std::vector<std::string> files = files_below(tests / "python", {".py"});
  for (std::string& path : files_below(tests / "reference", {".py"}))
    files.push_back(std::move(path));
  for (const std::string& path : files) {
    const std::string file = fs::path(path).filename().string();
    const bool for_all = file.starts_with("test_") && file.find("pointwise") == std::string::npos;
    const bool for_exprs = file.starts_with("test_") && op.is_expr();
    std::string ignored;
    const std::string text = read_file(path, ignored).value_or("");
    if (!is_generated(path)) {
      find_first(path, text, '"' + name + '"', found);
    } else if (functional && (for_all || for_exprs)) {
      find_first(path, text, "def test_", found);
    }
  }
  return found;
}

}  // namespace opweave::codegen::lsp

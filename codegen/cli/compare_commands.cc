// Two sets of operators, or one and its lock.
#include "codegen/cli/compare_commands.h"

#include <cstdio>
#include <filesystem>

#include "codegen/cli/model_files.h"
#include "codegen/cli/report.h"
#include "codegen/compare/changes.h"
#include "codegen/compare/lock.h"
#include "codegen/files/files.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;
constexpr int kBreaking = 3;

// A folder stands for its ops.yaml; derivatives.yaml beside that belongs to it.
std::shared_ptr<const Model> load_set(CommandLine line, const std::string& path) {
  const fs::path ops = fs::is_directory(path) ? fs::path(path) / "ops.yaml" : fs::path(path);
  const fs::path derivatives = ops.parent_path() / "derivatives.yaml";
  line.ops = {ops.string()};
  line.format = Format::text;  // of errors, to stderr: stdout is for the changes
  if (fs::exists(derivatives)) line.derivatives = {derivatives.string()};
  return load_files(line);
}

}  // namespace

int diff_files(const CommandLine& line) {
  const auto before = load_set(line, line.files[0]);
  const auto after = load_set(line, line.files[1]);
  if (before == nullptr || after == nullptr) return 1;
  const std::vector<Change> changes = compare(*before, *after);
  const bool json = line.format == Format::json;
  std::fputs((json ? json_changes(changes) : print_changes(changes)).c_str(), stdout);
  return verdict(changes) == Version::major ? kBreaking : 0;
}

int write_lock(const CommandLine& line, const Model& model) {
  const fs::path path = line.out;
  std::string error;
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  if (write_files(folder, {{path.filename().string(), print_lock(model)}}, error)) return 0;
  return fail(error);
}

int check_lock_file(const CommandLine& line, const Model& model) {
  std::string error;
  const auto text = read_named_file(line.lock, error);
  if (!text) return fail("the lock " + error);
  const std::vector<std::string> problems = check_lock(*text, model);
  for (const std::string& problem : problems)
    std::fprintf(stderr, "%s: error: %s\n", line.lock.c_str(), problem.c_str());
  if (!problems.empty()) std::fputs(kLockAdvice, stderr);
  return problems.empty() ? 0 : 1;
}

}  // namespace opweave::codegen

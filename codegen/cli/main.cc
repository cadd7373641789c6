// opweave: the generator's command line.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>

#include "codegen/cli/compare_commands.h"
#include "codegen/cli/docs_command.h"
#include "codegen/cli/lint_command.h"
#include "codegen/cli/list_outputs.h"
#include "codegen/cli/model_files.h"
#include "codegen/cli/new_op_command.h"
#include "codegen/cli/options.h"
#include "codegen/cli/report.h"
#include "codegen/cli/schema_command.h"
#include "codegen/cli/shapes_command.h"
#include "codegen/cli/torch_command.h"
#include "codegen/cli/why.h"
#include "codegen/emit/torch/torch.h"
#include "codegen/files/files.h"
#include "codegen/lint/lint.h"
#include "codegen/lsp/run.h"
#include "codegen/model/model.h"
#include "codegen/report/mutants.h"

namespace opweave::codegen {
namespace {

// Where a file of handwritten kernels goes in an extension; empty for what is none.
std::string kernel_place(const std::filesystem::path& path) {
  const std::string extension = path.extension().string(), stem = path.stem().string();
  const bool for_cuda = path.parent_path().filename() == "cuda";
  const std::string name = std::string("csrc/kernels/") + (for_cuda ? "cuda/" : "") + stem;
  // Objects are called like their files, up to the last dot.
  if (extension == ".cc" || extension == ".cpp") return name + (for_cuda ? "_host.cpp" : ".cpp");
  // Headers are those that kernels include from their own folder.
  return extension == ".cu" || extension == ".cuh" || extension == ".h" ? name + extension : "";
}

// Handwritten kernels go along. The compiler speaks of them where they are.
bool add_kernel_files(const std::string& folder, std::vector<EmittedFile>& files) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!kernel_place(entry.path()).empty()) paths.push_back(entry.path().string());
  }
  if (error) {
    std::fprintf(stderr, "opweave: error: --kernels %s: %s\n", folder.c_str(),
                 error.message().c_str());
    return false;
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << "#line 1 \"" << std::filesystem::absolute(path).string() << "\"\n" << in.rdbuf();
    const std::string place = kernel_place(path);
    if (std::ranges::count(files, place, &EmittedFile::path) != 0) {
      std::fprintf(stderr, "opweave: error: --kernels: there are two files for %s, one is %s\n",
                   place.c_str(), path.c_str());
      return false;
    }
    files.push_back({place, text.str()});
  }
  return true;
}

bool add_all_kernel_files(const CommandLine& line, std::vector<EmittedFile>& files) {
  return std::ranges::all_of(
      line.kernels, [&](const std::string& folder) { return add_kernel_files(folder, files); });
}

int generate(const CommandLine& line, const Model& model) {
  EmitOptions options = line.emit;
  options.only_targets = !model.targets().empty();
  if (options.only_targets) options.targets = model.targets();
  const bool torch = line.emit_for == EmitFor::torch;
  if (torch) {
    DiagnosticSink sink;
    check_torch(model, sink);
    if (report(line, sink) != 0) return 1;
  }
  std::vector<EmittedFile> files = torch ? emit_torch(model, options) : emit_all(model, options);
  if (torch && !add_all_kernel_files(line, files)) return 1;
  if (line.why) {
    std::fputs(explain_changes(line.out, files).c_str(), stdout);
    return 0;
  }
  std::string error;
  const auto count = write_files(line.out, files, error);
  if (!count) {
    std::fprintf(stderr, "opweave: error: %s\n", error.c_str());
    return 1;
  }
  if (line.format == Format::text && isatty(STDOUT_FILENO))
    std::printf("%d files written, %d unchanged\n", count->written, count->unchanged);
  return 0;
}

int run_model(CommandLine line) {
  if (!read_built_in_targets(line)) return 1;
  const auto model = load_files(line);
  if (model == nullptr) return 1;
  if (line.command == "gen") return generate(line, *model);
  if (line.command == "mutants") return std::fputs(mutants_report(*model).c_str(), stdout) < 0;
  if (line.command == "lock") return write_lock(line, *model);
  if (line.command == "docs") return write_docs(line, *model);
  if (line.command == "lint") return lint_model(line, *model);
  if (line.verbose) std::fputs(agreement_text(*model).c_str(), stdout);
  return line.lock.empty() ? 0 : check_lock_file(line, *model);
}

int run(const CommandLine& line) {
  if (line.command == "explain") return explain_codes(line);
  if (line.command == "diff") return diff_files(line);
  if (line.command == "new-op") return write_new_operator(line);
  if (line.command == "lsp") {
    const std::string core = line.imported_ops.empty() ? "" : line.imported_ops.front();
    return lsp::run_server(STDIN_FILENO, STDOUT_FILENO, core);
  }
  if (line.command == "schema") return write_schemas(line);
  if (line.list_outputs) return std::fputs(outputs_list().c_str(), stdout) < 0;
  if (line.command == "shapes") return show_shapes(line);
  return line.torch ? check_torch_files(line) : run_model(line);
}

// Also behind a command: `opweave check --help`.
bool asks_for_help(std::span<const char* const> arguments) {
  const auto is_help = [](std::string_view word) { return word == "-h" || word == "--help"; };
  return !arguments.empty() &&
         (std::string_view(arguments[0]) == "help" || std::ranges::any_of(arguments, is_help));
}

}  // namespace
}  // namespace opweave::codegen

int main(int argc, char** argv) {
  using namespace opweave::codegen;  // NOLINT
  if (asks_for_help({argv + 1, static_cast<size_t>(argc - 1)})) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const auto line = parse_command_line({argv + 1, static_cast<size_t>(argc - 1)});
  return line ? run(*line) : 2;
}

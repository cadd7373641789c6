// opweave: the generator's command line.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "codegen/cli/compare_commands.h"
#include "codegen/cli/docs_command.h"
#include "codegen/cli/explain_command.h"
#include "codegen/cli/generate.h"
#include "codegen/cli/lint_command.h"
#include "codegen/cli/list_outputs.h"
#include "codegen/cli/model_command.h"
#include "codegen/cli/model_files.h"
#include "codegen/cli/new_op_command.h"
#include "codegen/cli/options.h"
#include "codegen/cli/report.h"
#include "codegen/cli/schema_command.h"
#include "codegen/cli/shapes_command.h"
#include "codegen/cli/torch_command.h"
#include "codegen/emit/jax/jax.h"
#include "codegen/emit/stable/stable.h"
#include "codegen/emit/torch/torch.h"
#include "codegen/lint/lint.h"
#include "codegen/lsp/run.h"
#include "codegen/model/model.h"
#include "codegen/report/mutants.h"

namespace opweave::codegen {
namespace {

// What `--emit` may name.
Emissions emissions() {
  static const Emission* const kAll[] = {&core_emission(), &torch_emission(), &stable_emission(),
                                         &jax_emission()};
  return kAll;
}

int run_model(CommandLine line) {
  if (!read_built_in_targets(line)) return 1;
  const auto model = load_files(line);
  if (model == nullptr) return 1;
  if (line.command == "gen") return generate(line, *model);
  if (line.command == "mutants") return std::fputs(mutants_report(*model).c_str(), stdout) < 0;
  if (line.command == "lock") return write_lock(line, *model);
  if (line.command == "model") return write_model(line, *model);
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

bool asks_for_version(std::span<const char* const> arguments) {
  return !arguments.empty() && std::string_view(arguments[0]) == "--version";
}

}  // namespace
}  // namespace opweave::codegen

int main(int argc, char** argv) {
  using namespace opweave::codegen;  // NOLINT
  const std::span<const char* const> arguments(argv + 1, static_cast<size_t>(argc - 1));
  if (asks_for_help(arguments)) return std::fputs(kUsage, stdout) < 0;
  if (asks_for_version(arguments)) return std::puts("opweave " OPWEAVE_VERSION) < 0;
  const auto line = parse_command_line(arguments, emissions());
  return line ? run(*line) : 2;
}

// opweave: the generator's command line.
#include <unistd.h>

#include <cstdio>

#include "codegen/cli/files.h"
#include "codegen/cli/options.h"
#include "codegen/cli/report.h"
#include "codegen/cli/torch_command.h"
#include "codegen/model/model.h"

namespace opweave::codegen {
namespace {

int generate(const CommandLine& line, const Model& model) {
  EmitOptions options = line.emit;
  options.only_targets = !model.targets().empty();
  if (options.only_targets) options.targets = model.targets();
  std::string error;
  const auto count = write_files(line.out, emit_all(model, options), error);
  if (!count) {
    std::fprintf(stderr, "opweave: error: %s\n", error.c_str());
    return 1;
  }
  if (line.format == Format::text && isatty(STDOUT_FILENO))
    std::printf("%d files written, %d unchanged\n", count->written, count->unchanged);
  return 0;
}

int run_model(const CommandLine& line) {
  Inputs inputs;
  inputs.known_targets = line.known_targets;
  auto sources = std::make_shared<Sources>();
  DiagnosticSink sink;
  bool readable = read_files(line.ops, inputs.ops, *sources, sink);
  readable &= read_files(line.derivatives, inputs.derivatives, *sources, sink);
  readable &= read_files(line.imported_ops, inputs.imported_ops, *sources, sink);
  readable &= read_files(line.target_files, inputs.targets, *sources, sink);
  if (!readable) return report(line, sink);
  const auto model = load_model(std::move(inputs), sources, sink);
  const int status = report(line, sink);
  if (model == nullptr || status != 0) return 1;
  return line.command == "gen" ? generate(line, *model) : 0;
}

int run(const CommandLine& line) {
  if (line.command == "explain") return explain_codes(line);
  return line.torch ? check_torch_files(line) : run_model(line);
}

}  // namespace
}  // namespace opweave::codegen

int main(int argc, char** argv) {
  using namespace opweave::codegen;  // NOLINT
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "help" || first == "-h" || first == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  const auto line = parse_command_line({argv + 1, static_cast<size_t>(argc - 1)});
  return line ? run(*line) : 2;
}

// The generator that the build runs: `opweave gen` of Opweave's own output and nothing else, so
// that a build need not compile the rest of the command line first.
#include <span>

#include "codegen/cli/generate.h"
#include "codegen/cli/model_files.h"
#include "codegen/cli/options.h"
#include "codegen/cli/report.h"

namespace opweave::codegen {
namespace {

int run(CommandLine line) {
  if (line.command != "gen")
    return fail("the build's generator knows `gen` alone: see opweave --help");
  if (!read_built_in_targets(line)) return 1;
  const auto model = load_files(line);
  return model == nullptr ? 1 : generate(line, *model);
}

}  // namespace
}  // namespace opweave::codegen

int main(int argc, char** argv) {
  using namespace opweave::codegen;  // NOLINT
  const Emission* const emissions[] = {&core_emission()};
  const auto line = parse_command_line({argv + 1, static_cast<size_t>(argc - 1)}, emissions);
  return line ? run(*line) : 2;
}

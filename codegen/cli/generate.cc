// Writing what is generated.
#include "codegen/cli/generate.h"

#include <unistd.h>

#include <cstdio>

#include "codegen/cli/report.h"
#include "codegen/cli/why.h"
#include "codegen/emit/emit.h"

namespace opweave::codegen {

int tell(const CommandLine& line, const std::optional<WriteCount>& count,
         const std::string& error) {
  if (!count) return fail(error);
  if (line.format == Format::text && isatty(STDOUT_FILENO))
    std::printf("%d files written, %d unchanged\n", count->written, count->unchanged);
  return 0;
}

EmitOptions options_for(const CommandLine& line, const Model& model) {
  EmitOptions options = line.emit;
  options.only_targets = !model.targets().empty();
  if (options.only_targets) options.targets = model.targets();
  return options;
}

int write_or_explain(const CommandLine& line, const std::vector<EmittedFile>& files) {
  if (line.why) return std::fputs(explain_changes(line.out, files).c_str(), stdout) < 0;
  std::string error;
  const auto count = write_files(line.out, files, error);
  return tell(line, count, error);
}

int generate_opweave(const CommandLine& line, const Model& model) {
  return write_or_explain(line, emit_all(model, options_for(line, model)));
}

}  // namespace opweave::codegen

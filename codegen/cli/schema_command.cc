// JSON Schema, into files or onto the terminal.
#include "codegen/cli/schema_command.h"

#include <cstdio>

#include "codegen/cli/report.h"
#include "codegen/files/files.h"
#include "codegen/json_schema/json_schema.h"

namespace opweave::codegen {

int write_schemas(const CommandLine& line) {
  std::vector<EmittedFile> files;
  for (const SchemaFile& file : schema_files()) {
    files.push_back({std::string(file.path), json_schema(file)});
  }
  if (line.out.empty()) {
    for (const EmittedFile& file : files)
      std::printf("// %s\n%s", file.path.c_str(), file.text.c_str());
    return 0;
  }
  std::string error;
  if (write_files(line.out, files, error)) return 0;
  return fail(error);
}

}  // namespace opweave::codegen

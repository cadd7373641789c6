// Reading inputs and writing outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/output/emit.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Null, with the reason in `error`, when the file cannot be read.
std::optional<std::string> read_file(const std::string& path, std::string& error);
// The same with the path in the error, for files about which there are no diagnostics.
std::optional<std::string> read_named_file(const std::string& path, std::string& error);

// All of them, in order; false when one cannot be read. Every reason is reported to `sink`, whose
// spans point into `sources`.
bool read_files(const std::vector<std::string>& paths, std::vector<InputFile>& files,
                Sources& sources, DiagnosticSink& sink);

struct WriteCount {
  int written = 0;
  int unchanged = 0;
};
// Writes the files below `directory` and leaves those alone that have their text already. All new
// texts are written beside their places before the first takes its place: when one cannot be
// written, nothing has changed. Null then, with the reason in `error`.
std::optional<WriteCount> write_files(const std::string& directory,
                                      const std::vector<EmittedFile>& files, std::string& error);

// The same of a folder that holds nothing else: files of an earlier call go that are none of
// `files`, by a list that is written along. A folder that is not empty and has no such list is
// somebody else's: nothing is written then.
std::optional<WriteCount> write_whole_folder(const std::string& directory,
                                             std::vector<EmittedFile> files, std::string& error);

}  // namespace opweave::codegen

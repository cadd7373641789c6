// The command line of `opweave`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/emit/emit.h"

namespace opweave::codegen {

struct CommandLine {
  std::string command;  // "gen", "check"
  std::vector<std::string> ops, derivatives, imported_ops, target_files;
  std::vector<std::string> known_targets;  // hardware targets that `kernels` may name; empty: any
  std::string out;                         // gen: the output directory
  // check --dialect=torch: PyTorch's own files, and the headers that declare helpers of formulas.
  bool torch = false;
  std::vector<std::string> files, helpers;
  std::string report;  // where the parity of every overload is written
  EmitOptions emit;
};

// Null after a message on stderr when the arguments cannot be understood.
std::optional<CommandLine> parse_command_line(std::span<const char* const> arguments);
extern const char* const kUsage;

}  // namespace opweave::codegen

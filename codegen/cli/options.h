// The command line of `opweave`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/emit/output/emission.h"
#include "codegen/new_op/new_op.h"

namespace opweave::codegen {

// How diagnostics are written: text for people on stderr, the others as one document on stdout.
enum class Format : uint8_t { text, json, sarif };
enum class Color : uint8_t { automatic, always, never };

struct CommandLine {
  std::string command;  // the first word: "gen", "check", …
  Format format = Format::text;
  Color color = Color::automatic;
  std::vector<std::string> ops, derivatives, imported_ops, target_files;
  std::vector<std::string> built_in_targets;  // gen: target files that `--target` names
  std::vector<std::string> selection;         // gen: the file that says which operators to keep
  std::string kernel_calls;                   // which operators handwritten kernels call
  bool rules_required = false;                // whether every operator has to say what it gives
  std::vector<std::string>
      known_targets;          // hardware targets that `kernels` may name; empty: those of emit
  std::string out;            // gen: the output directory; lock: the file
  bool mutants = false;       // gen: print the mutants of formulas, too
  bool verbose = false;       // check: how formulas were compared; lint: what every operator keeps
  bool why = false;           // gen: say what would change, and write nothing
  bool list_outputs = false;  // gen: print the table of outputs, and read nothing
  const Emission* emission = nullptr;  // gen: what it makes; never null after parsing
  std::string lock;                    // check: the lock file
  // check --dialect=torch: PyTorch's own files, and the headers that declare helpers of formulas.
  bool torch = false;
  std::vector<std::string> files, helpers;  // files: of explain the codes, of diff the two sets
  std::string report;                       // where the parity of every overload is written
  std::vector<std::string> kernels;         // docs, gen: folders of handwritten kernels, of gen
                                            // also files, and "cuda=" before either
  std::string kernel_dtypes;                // docs: the dtypes that handwritten kernels take
  std::vector<std::string> guides;          // docs: pages in Markdown
  Like like = Like::expr;                   // new-op: how the operator computes
  bool write = false;                       // new-op: to the file
  EmitOptions emit;
};

// What `--emit` may name; the first is made where it is not given.
using Emissions = std::span<const Emission* const>;

// Null after a message on stderr when the arguments cannot be understood.
std::optional<CommandLine> parse_command_line(std::span<const char* const> arguments,
                                              Emissions emissions);
extern const char* const kUsage;

}  // namespace opweave::codegen

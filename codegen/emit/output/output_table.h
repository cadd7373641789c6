// The table of the generator's outputs, and what an emitter is given: the model, the options, and
// the line of the table that says where its files go and what they define.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/emit/output/emit.h"

namespace opweave::codegen {

enum class Split : uint8_t {
  once,            // one file
  own,             // one file, which no other library needs than Opweave itself
  shards,          // {shard}
  targets,         // {target}: the hardware targets, and meta
  target_shards,   // {target} and {shard}, of hardware targets
  operators,       // {name}: a base name
  kernels,         // {target} and {name}: where a kernel is handwritten
  target_package,  // {target}, in a package of its own
  target_parts,    // {target}, of a library: hardware targets besides the CPU
};

enum class Registrar : uint8_t {
  none,
  library,  // register_<library>(): without arguments
  target,   // register_<library>_kernels(key) of its target: with the dispatch key
  python,   // register_<library>_python_bindings(sink): with what collects them
};

class Output;

struct OutputRow {
  std::string_view path;
  Split split;
  Registrar registrar;
  std::string_view registers;
  std::string_view library;
  std::string_view uses;
  std::string_view parts;
  std::string_view printed_by;
  std::string_view holds;
  void (*emit)(Output& output);
};

std::span<const OutputRow> output_table();
// The line that a path is of; null for none.
const OutputRow* output_of(std::string_view path);
std::string_view split_name(Split split);
std::string_view registrar_name(Registrar registrar);

// The path of a line with what it is split by.
std::string output_path(const OutputRow& row, std::string_view target, std::string_view name,
                        std::string_view shard);
// What a registrar calls, in the order of the table: "register_opweave_batching_07", …
std::vector<std::string> registered_functions(Registrar registrar, const EmitOptions& options,
                                              std::string_view target = "");

// One file of those that are split by the operators' names.
struct Shard {
  std::string path;
  std::string registers;  // the function that it defines
  std::string target;     // of target_shards
  int index;
  std::vector<const Operator*> ops;
  const Mutants& mutants;
};

// What an emitter prints to.
class Output {
 public:
  Output(const Model& model, const EmitOptions& options, const OutputRow& row,
         std::vector<EmittedFile>& files)
      : model(model), options(options), row(row), files_(files) {}

  const Model& model;
  const EmitOptions& options;
  const OutputRow& row;

  // The one file.
  void add(std::string text) { add("", "", std::move(text)); }
  void add(std::string_view target, std::string_view name, std::string text);
  // Every shard, as `print(shard)` gives it.
  template <class Print>
  void each_shard(Print print) {
    for (const Shard& shard : shards()) files_.push_back({shard.path, print(shard)});
  }
  // With the operators that the library emits, for each target if the output has some.
  std::vector<Shard> shards() const;
  // The hardware targets and, in a library, meta.
  std::vector<std::string> targets() const;

 private:
  std::vector<EmittedFile>& files_;
};

#define OW_OUTPUT(emitter, ...) void emitter(Output& output);
#include "codegen/emit/output/output_table.def"
#undef OW_OUTPUT

}  // namespace opweave::codegen

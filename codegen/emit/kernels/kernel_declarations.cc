// The exact declarations of handwritten kernels: a kernel that includes them and has another
// signature does not compile. A library has one header per target and base name, so that a new
// kernel recompiles no other; a target in a package of its own has one for all.
#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen {
namespace {

using Kernels = std::vector<const Operator*>;

std::string print_header(const std::string& target, const std::string& what, const Kernels& ops) {
  Printer p;
  print_banner(p, "Handwritten kernels of " + what + ": what to define.");
  p.print("#pragma once\n");
  print_declaration_includes(p);
  print_object_types(p, ops);
  p.print({{"target", target}}, "\nnamespace opweave::$target$ {\n");
  for (const Operator* op : ops) print_kernel_declaration(p, *op, target);
  p.print({{"target", target}}, "\n}  // namespace opweave::$target$");
  return p.take();
}

// Those in the folder of a target's kernels.
Kernels handwritten(const Model& model, const std::string& folder) {
  Kernels ops;
  for (const Operator* op : model.operators().all()) {
    const bool candidate =
        !op->origin.imported && op->computation->implementation == Implementation::kernels;
    const bool named = std::ranges::any_of(
        op->computation->targets,
        [&](const std::string& target) { return kernel_folder(target) == folder; });
    if (candidate && named) ops.push_back(op);
  }
  return ops;
}

}  // namespace

void emit_kernel_headers(Output& output) {
  const std::vector<std::string>& targets = output.options.targets;
  std::set<std::string, std::less<>> folders(targets.begin(), targets.end());
  for (const KernelWord& word : kKernelWords) {
    if (!word.folder.empty()) folders.emplace(word.folder);
  }
  for (const std::string& folder : folders) {
    std::map<std::string, Kernels> by_name;
    for (const Operator* op : handwritten(output.model, folder))
      by_name[op->name.base].push_back(op);
    for (const auto& [name, ops] : by_name)
      output.add(folder, name, print_header(folder, "'" + name + "' for " + folder, ops));
  }
}

void emit_target_header(Output& output) {
  for (const std::string& target : output.options.targets) {
    const Kernels ops = handwritten(output.model, target);
    output.add(target, "", print_header(target, "the target '" + target + "'", ops));
  }
}

}  // namespace opweave::codegen

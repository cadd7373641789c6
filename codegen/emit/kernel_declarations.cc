// The exact declarations of handwritten kernels: a kernel that includes them and has another
// signature does not compile. A library has one header per target and base name, so that a new
// kernel recompiles no other; a target in a package of its own has one for all.
#include <map>

#include "codegen/emit/declarations.h"
#include "codegen/emit/output_table.h"
#include "codegen/emit/outputs.h"

namespace opweave::codegen {
namespace {

using Kernels = std::vector<const Operator*>;

std::string print_header(const std::string& target, const std::string& what, const Kernels& ops) {
  Printer p;
  print_banner(p, "Handwritten kernels of " + what + ": what to define.");
  p.print("#pragma once\n");
  print_declaration_includes(p);
  p.print({{"target", target}}, "\nnamespace opweave::$target$ {\n");
  for (const Operator* op : ops) print_kernel_declaration(p, *op, target);
  p.print({{"target", target}}, "\n}  // namespace opweave::$target$");
  return p.take();
}

Kernels handwritten(const Model& model, const std::string& target) {
  Kernels ops;
  for (const Operator* op : model.operators().all()) {
    const bool candidate = !op->imported && op->implementation == Implementation::kernels;
    if (candidate && op->has_target(target)) ops.push_back(op);
  }
  return ops;
}

}  // namespace

void emit_kernel_headers(Output& output) {
  std::vector<std::string> targets = output.options.targets;
  targets.insert(targets.end(), {"composite", "meta"});
  for (const std::string& target : targets) {
    std::map<std::string, Kernels> by_name;
    for (const Operator* op : handwritten(output.model, target))
      by_name[op->base_name].push_back(op);
    for (const auto& [name, ops] : by_name)
      output.add(target, name, print_header(target, "'" + name + "' for " + target, ops));
  }
}

void emit_target_header(Output& output) {
  for (const std::string& target : output.options.targets) {
    const Kernels ops = handwritten(output.model, target);
    output.add(target, "", print_header(target, "the target '" + target + "'", ops));
  }
}

}  // namespace opweave::codegen

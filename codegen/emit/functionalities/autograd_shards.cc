// The files of backward nodes and autograd kernels.
#include "codegen/emit/functionalities/autograd_kernels.h"
#include "codegen/emit/functionalities/autograd_node.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// Those of the shard, and those that their gradients call.
UsedOperators used_operators(const Model& model, const std::vector<const Operator*>& ops) {
  UsedOperators used(model.mutants());
  // What an in-place form overwrites is saved as a copy.
  if (const Operator* copy = copying_operator(model)) used.add(*copy);
  for (const Operator* op : ops) {
    if (has_autograd_kernel(*op) || op->lowered->recording.tracks) used.add(*op);
    if (op->lowered->backward == nullptr || !model.has_gradients()) continue;
    used.add_mutants_of(*op);
    for (const FormulaNode* formula : op->lowered->backward->formulas())
      used.add_calls_of(*formula);
  }
  return used;
}

std::string print_shard(const Model& model, const NodeNames& names, const Shard& shard) {
  const std::vector<const Operator*>& ops = shard.ops;
  Printer p;
  print_banner(p, "Backward nodes and autograd kernels of one shard of the operators.");
  print_declaration_includes(p);
  p.raw(include_lines({"runtime/autograd/generated.h", "runtime/autograd/stored.h",
                       "runtime/dispatch/operator.h"}));
  print_declarations(p, used_operators(model, ops));
  p.print("\nnamespace opweave {\nnamespace {\n");
  const bool gradients = model.has_gradients();
  for (const Operator* op : ops) {
    const bool owner = op->forms->form == Form::functional || op->forms->functional == nullptr;
    if (gradients && op->lowered->backward != nullptr && owner)
      print_node(p, *op, names.of(*op), shard.mutants);
  }
  p.print("}  // namespace\n");
  for (const Operator* op : ops) {
    const Operator& source = op->forms->functional != nullptr ? *op->forms->functional : *op;
    if (gradients && has_autograd_kernel(*op))
      print_autograd_kernel(p, *op, names.of(source), copying_operator(model));
    if (op->lowered->recording.tracks) print_tracking_kernel(p, *op);
  }
  p.print({{"function", shard.registers}}, "void $function$() {");
  for (const Operator* op : ops) {
    if (gradients && has_autograd_kernel(*op)) {
      p.print({{"id", op->name.identifier}},
              "  ops::$id$::entry.set_kernel(DispatchKey::kAutograd,\n"
              "                              reinterpret_cast<AnyKernel>(&$id$_autograd));");
    }
    if (op->lowered->recording.tracks) {
      p.print({{"id", op->name.identifier}},
              "  ops::$id$::entry.set_kernel(DispatchKey::kADInplaceOrView,\n"
              "                              reinterpret_cast<AnyKernel>(&$id$_tracking));");
    }
  }
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_autograd(Output& output) {
  const NodeNames names(output.model);
  output.each_shard([&](const Shard& shard) { return print_shard(output.model, names, shard); });
}

}  // namespace opweave::codegen

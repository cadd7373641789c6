// Kernels of operators that fold: for each hardware target the programs, their loops, and the
// functions that are registered behind their rules, as handwritten kernels are. Each target's
// runtime library gives the same names (OW_FOLD, m, fold, FoldLoops, make_fold_loops, run_fold)
// their meaning.
#include <algorithm>

#include "codegen/emit/kernels/fold_printers.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

bool has_fold_kernel(const Operator& op) { return op.is_emitted() && op.lowered->fold != nullptr; }

void print_fold_loops(Printer& p, const Operator& op) {
  const FoldProgram& program = *op.lowered->fold;
  const FoldFormula& fold = *op.elements->fold;
  uint32_t folded_only = 0;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (fold.arguments[program.inputs[i]] == kFoldedAxes) folded_only |= 1u << i;
  }
  const bool floats_only = op.elements->promotion.compute == ComputeRule::int_to_float ||
                           (op.dtypes->computed.bits & ~dtypes::kFloating) == 0;
  if (fold.rare) p.print("#if OW_POINTWISE_ONCE");
  p.raw(print_fold_struct(op));
  p.print({{"id", op.name.identifier},
           {"inputs", std::to_string(program.inputs.size())},
           {"rows", std::to_string(program.rows.size())},
           {"results", std::to_string(fold.results.size())},
           {"slots", std::to_string(program.num_slots())},
           {"folded", std::to_string(folded_only)},
           {"coordinates",
            program.coordinates.empty() ? "" : ", " + std::to_string(program.coordinates.size())},
           {"integers", floats_only ? "false" : "true"}},
          "const FoldLoops* $id$_fold_loops() {\n"
          "  static const FoldLoops loops =\n"
          "      make_fold_loops<$id$_fold, FoldShape<$inputs$, $rows$, $results$, $slots$, "
          "$folded$$coordinates$>,\n"
          "                      /*floats=*/true, /*integers=*/$integers$>();\n"
          "  return &loops;\n"
          "}\n");
  if (fold.rare) p.print("#endif");
}

// Which dimensions are folded, as C++ asks the call.
std::string dims_text(const Operator& op, const Signature& s) {
  const FoldFormula& fold = *op.elements->fold;
  const auto number = [](int64_t dim) { return std::to_string(dim); };
  const std::string name = fold.over.names_argument() ? s.parameters[fold.over.argument].name : "";
  switch (fold.over.kind) {
    case FoldDims::Kind::argument:
      return "plans::FoldedDims(" + name + ")";
    case FoldDims::Kind::last:
      return "plans::FoldedDims::last(" + name + ".size())";
    case FoldDims::Kind::every:
      return "plans::FoldedDims()";
    case FoldDims::Kind::fixed:
      break;
  }
  return "plans::FoldedDims({" + comma_list(fold.over.dims, number) + "})";
}

// Along which dimensions the coordinates run that are none of what is folded.
std::string named_dims(const Operator& op, const Signature& s) {
  CommaList dims;
  for (uint16_t index : op.lowered->fold->coordinates) {
    if (index == kFoldedPlace) continue;
    const NamedDim& named = op.elements->fold->named[index - 1];
    dims.add(named.is_argument ? s.parameters[named.argument].name : std::to_string(named.dim));
  }
  return dims.text();
}

void print_function(Printer& p, const Operator& op) {
  const FoldProgram& program = *op.lowered->fold;
  const Signature s = kernel_signature_of(op);
  const PointwiseLayout layout = pointwise_layout(op);
  const size_t first_result = op.schema.arguments.size();
  CommaList operands;
  for (const auto* arguments : {&program.inputs, &program.rows}) {
    for (uint16_t i : *arguments) operands.add("&" + s.parameters[i].name);
  }
  for (size_t i = 0; i < op.schema.returns.size(); ++i)
    operands.add("&" + s.parameters[first_result + i].name);
  const auto expression = [&](const PointwiseParam& param) { return param_expression(param, s); };
  const std::string params =
      layout.params.empty()
          ? ""
          : "const Scalar params[] = {" + comma_list(layout.params, expression) + "};";
  const std::string named = named_dims(op, s);
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"named", named.empty() ? "" : "const int64_t kept[] = {" + named + "};"},
           {"coordinates", named.empty() ? "" : ", kept"},
           {"list", s.optional_parameter_list()},
           {"params", params},
           {"operands", operands.text()},
           {"loops", op.elements->fold->rare ? "OW_RARE_LOOPS" : "OW_LOOPS"},
           {"given", layout.params.empty() ? "{}" : "params"},
           {"dims", dims_text(op, s)}},
          "$result$ $id$($list$) {\n"
          "  static const FoldLoops* const loops = $loops$($id$_fold_loops);\n"
          "  const Tensor* const operands[] = {$operands$};\n"
          "  $params$\n"
          "  $named$\n"
          "  run_fold({$id$_fold_spec, *loops, operands, $given$, $dims$$coordinates$});\n"
          "}");
}

std::string print_shard(const Shard& shard) {
  std::vector<const Operator*> ops = shard.ops;
  const std::string& target = shard.target;
  std::erase_if(
      ops, [&](const Operator* op) { return !has_fold_kernel(*op) || !op->has_target(target); });
  Printer p;
  print_banner(p, "Kernels that fold of one shard of the operators, for " + target + ".");
  if (ops.empty()) return p.take();
  p.print({{"path", shard.path}, {"target", target}},
          "#define OW_POINTWISE_FILE \"$path$\"\n"
          "#include \"kernels/$target$/folds/begin.h\"\n"
          "OW_POINTWISE_BEGIN\n");
  for (const Operator* op : ops) print_fold_loops(p, *op);
  p.print("OW_POINTWISE_END\n\n#if OW_POINTWISE_ONCE");
  p.print({{"target", target}}, "\nnamespace opweave {\nnamespace $target$ {\n");
  for (const Operator* op : ops) {
    if (!op->elements->fold->rare)
      p.print({{"id", op->name.identifier}}, "OW_EXPORT_LOOPS($id$_fold_loops);");
    print_fold_spec(p, *op);
  }
  for (const Operator* op : ops) print_function(p, *op);
  p.print({{"target", target}}, "\n}  // namespace $target$\n}  // namespace opweave");
  p.print("#endif");
  return p.take();
}

}  // namespace

void emit_fold_kernels(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

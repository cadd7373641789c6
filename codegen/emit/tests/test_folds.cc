// The programs of all operators that fold, and what each takes and gives, for tests that run them
// on devices of which there is none at hand.
#include <algorithm>

#include "codegen/emit/kernels/fold_printers.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

std::vector<const Operator*> folding(const Model& model) {
  std::vector<const Operator*> ops;
  for (const Operator* op : model.operators().all()) {
    if (op->is_emitted() && op->lowered->fold != nullptr) ops.push_back(op);
  }
  return ops;
}

std::string list(const CommaList& items) { return "[" + items.text() + "]"; }

// `full`, `row` or `column`
std::string kind_of(AxisMask axes) {
  return quoted(axes == kAllAxes ? "full" : axes == kKeptAxes ? "row" : "column");
}

// What a test gives for a number: `value`, `given` or `text`.
std::string param_text(const Operator& op, const PointwiseParam& param) {
  const std::string name = quoted(op.schema.arguments[param.argument].name);
  switch (param.kind) {
    case PointwiseParam::Kind::has_value:
      return "(\"given\", " + name + ", None)";
    case PointwiseParam::Kind::string_equals:
      return "(\"text\", " + name + ", " + quoted(param.text) + ")";
    default:
      break;
  }
  return "(\"value\", " + name + ", " + quoted(print(op.schema.arguments[param.argument].type)) +
         ")";
}

void print_program(Printer& p, const Operator& op) {
  const FoldProgram& program = *op.lowered->fold;
  const FoldFormula& fold = *op.elements->fold;
  CommaList inputs, kinds, rows, params;
  for (uint16_t i : program.inputs) {
    inputs.add(quoted(op.schema.arguments[i].name));
    kinds.add(kind_of(fold.arguments[i]));
  }
  for (uint16_t i : program.rows) rows.add(quoted(op.schema.arguments[i].name));
  for (const PointwiseParam& param : pointwise_layout(op).params) params.add(param_text(op, param));
  const auto value = [&](const ElementNode* node) { return reference_expression(*node, op); };
  const auto coordinate = [](uint16_t index) {
    return quoted(index == kFoldedPlace ? "folded" : "kept");
  };
  p.print({{"name", quoted(op.name.full)},
           {"struct", quoted(op.name.identifier + "_fold")},
           {"walks", std::to_string(program.walks.size())},
           {"inputs", list(inputs)},
           {"kinds", list(kinds)},
           {"rows", list(rows)},
           {"params", list(params)},
           {"results", "[" + comma_list(fold.result_axes, kind_of) + "]"},
           {"coordinates", "[" + comma_list(program.coordinates, coordinate) + "]"},
           {"values", "[" + comma_list(fold.results, value) + "]"}},
          "    Program(\n"
          "        $name$, $struct$, $walks$, inputs=$inputs$, kinds=$kinds$, rows=$rows$,\n"
          "        params=$params$, results=$results$, coordinates=$coordinates$,\n"
          "        values=lambda r, a: $values$),");
}

}  // namespace

void emit_test_folds(Output& output) {
  Printer p;
  print_banner(p, "The programs of all operators that fold, over any target's vocabulary.");
  p.print("#pragma once\n\nnamespace opweave::blocks {\n");
  for (const Operator* op : folding(output.model)) p.raw(print_fold_struct(*op));
  p.print("\n}  // namespace opweave::blocks");
  output.add(p.take());
}

void emit_test_fold_table(Output& output) {
  Printer p;
  p.print(
      "# Every operator that folds, with what its program takes and gives, and its values in "
      "NumPy.\n"
      "# Generated from ops.yaml. Do not edit.\n"
      "from fold_table import Program\n\nPROGRAMS = [");
  for (const Operator* op : folding(output.model)) print_program(p, *op);
  p.print("]");
  output.add(p.take());
}

}  // namespace opweave::codegen

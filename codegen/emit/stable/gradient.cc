// Backward functions of operators, over the stable interface.
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/emit/variables.h"
#include "codegen/model/derivative.h"

namespace opweave::codegen {
namespace {

std::string saved_type(const Saved& saved) {
  if (saved.type.is_tensor()) return "Tensor";
  return stored_type(saved.type);
}

FormulaNames names_of(const Operator& op) {
  FormulaNames names;
  names.op = &op;
  const auto name = [&op](Saved::Kind kind, uint16_t i) {
    for (const Saved& saved : op.derivative->saved) {
      if (saved.kind == kind && saved.index == i) return variable(saved.name);
    }
    return std::string();
  };
  names.argument = [name](uint16_t i) { return name(Saved::Kind::argument, i); };
  names.result = [name](uint16_t i) { return name(Saved::Kind::result, i); };
  names.gradient = [](uint16_t i) { return "grads[" + std::to_string(i) + "]"; };
  return names;
}

void print_formula(Printer& p, const Operator& op, const DerivativeFormula& formula) {
  const std::string at = std::to_string(formula.inputs[0]);
  p.print({{"at", at},
           {"saved",
            [&] {
              for (const uint16_t i : formula.saved) {
                const Saved& saved = op.derivative->saved[i];
                p.print({{"type", saved_type(saved)},
                         {"name", variable(saved.name)},
                         {"index", std::to_string(i)}},
                        "const auto $name$ = ow_call.saved<$type$>($index$);");
              }
            }},
           {"formula", formula_expression(*formula.formula, names_of(op))}},
          "if (grads[0].defined() && ow_call.needs($at$)) {\n"
          "  $saved$\n"
          "  ow_call.set($at$, $formula$);\n"
          "}");
}

}  // namespace

bool has_stable_gradient(const Operator& op) {
  return op.differentiability == Differentiability::formula && op.form != Form::out;
}

void print_stable_gradient(Printer& p, const Operator& op) {
  p.print({{"id", op.identifier},
           {"formulas",
            [&] {
              for (const DerivativeFormula& formula : op.derivative->formulas) {
                if (formula.kind == DerivativeFormula::Kind::formula) print_formula(p, op, formula);
              }
            }}},
          "void $id$_gradient(const Backward& ow_call) {\n"
          "  const Tensor grads[] = {ow_call.gradient(0)};\n"
          "  $formulas$\n"
          "}");
}

}  // namespace opweave::codegen

// Entries as text.
#include "codegen/emit/entries/entries.h"

#include <cstdint>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/kernels/fold_printers.h"
#include "codegen/emit/kernels/pointwise_printers.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/emit/text/trace.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/entries/python_operators.h"
#include "codegen/model/operators/nn_signature.h"

namespace opweave::codegen {
namespace {

std::string formula_text(const FormulaNode& node) {
  FormulaNames names;
  names.argument = [](uint16_t i) { return "a" + std::to_string(i); };
  names.result = [](uint16_t i) { return "r" + std::to_string(i); };
  names.gradient = [](uint16_t i) { return "g" + std::to_string(i); };
  names.tangent = [](uint16_t i) { return "t" + std::to_string(i); };
  names.local = [](uint16_t i) { return "l" + std::to_string(i); };
  return formula_expression(node, names);
}

// The parts of a composite have their names in it.
std::string composite_text(const Operator& op) {
  if (op.formulas->composite == nullptr) return {};
  FormulaParts parts(op);
  FormulaNames names;
  names.argument = [](uint16_t i) { return "a" + std::to_string(i); };
  names.parts = &parts;
  std::string text;
  for (size_t i = 0; i < op.formulas->parts.size(); ++i) {
    const FormulaLocal& part = op.formulas->parts[i];
    text += std::string(part.name) + "=" + formula_expression(*part.value, names) + ";";
    parts.add(i);
  }
  return text + formula_expression(*op.formulas->composite, names);
}

std::string gradient_text(const Operator& op) {
  std::string text = std::to_string(static_cast<int>(op.gradient->differentiability));
  if (op.gradient->derivative == nullptr) return text;
  for (const DerivativeFormula& formula : op.gradient->derivative->formulas) {
    text += ";";
    for (uint16_t input : formula.inputs) text += std::to_string(input) + ",";
    text += std::to_string(static_cast<int>(formula.kind)) + ":";
    if (formula.formula != nullptr) text += formula_text(*formula.formula);
  }
  for (const ForwardFormula& formula : op.gradient->derivative->forward) {
    text += ";t" + std::to_string(formula.output) + "," +
            std::to_string(static_cast<int>(formula.kind)) + ":";
    for (const ForwardFormula::Term& term : formula.terms) text += formula_text(*term.formula);
  }
  return text;
}

// Everything that a rule says; `kernels` prints other signatures with and without one.
std::string rule_text(const Operator& op) {
  if (op.rule == nullptr) return "";
  std::string text = op.rule->data ? "data" : "";
  for (const Requirement& requirement : op.rule->requirements) {
    text += std::string(error_class_name(requirement.error));
    for (const MessagePart& part : requirement.message) text += part.text + "|";
  }
  for_each_formula(*op.rule,
                   [&](const FormulaNode& formula) { text += ";" + formula_text(formula); });
  return text;
}

std::string roles_text(const Operator& op) {
  std::string text;
  for (const Role role : op.policies->roles) text += std::to_string(static_cast<int>(role));
  return text.find_first_not_of('0') == std::string::npos ? "" : text;
}

std::string names_text(const Operator& op) {
  return (op.face->internal ? "internal " : "") + python_path(op) +
         (op.face->function ? " function" : "") + (op.face->method ? " method" : "") +
         (op.face->python_operator != nullptr ? " " + std::string(op.face->python_operator->name)
                                              : "") +
         (op.face->nn_function ? " " + print(*op.face->nn_function) : "");
}

std::string numbers_text(const Operator& op) {
  std::string text;
  for (const uint16_t argument : op.face->numbers) text += op.schema.arguments[argument].name + " ";
  return text;
}

std::string autocast_text(const Operator& op) {
  if (!op.policies->autocast.any()) return "";
  return std::to_string(static_cast<int>(op.policies->autocast.cpu)) +
         std::to_string(static_cast<int>(op.policies->autocast.others));
}

std::string batching_text(const Operator& op) {
  const bool automatic =
      op.policies->batching == Batching::automatic && op.formulas->batching == nullptr;
  if (automatic) return "";
  const std::string way = std::to_string(static_cast<int>(op.policies->batching));
  return op.formulas->batching != nullptr ? way + formula_text(*op.formulas->batching) : way;
}

std::string samples_text(const Operator& op) {
  std::string text;
  for (const std::string& call : sample_calls(op)) text += call + ";";
  return text;
}

std::string dtypes_text(const Operator& op) {
  std::string text = "dtypes " + dtype_names(op.selected->dtypes.bits) + "; promotion " +
                     std::to_string(static_cast<int>(op.elements->promotion.compute)) +
                     std::to_string(static_cast<int>(op.elements->promotion.result));
  if (op.dtypes->of_out) text += "; out " + std::to_string(static_cast<int>(*op.dtypes->of_out));
  for (const DTypeSet& set : op.dtypes->of_arguments) text += ";" + dtype_names(set.bits);
  for (size_t i = 0; i < op.elements->arguments.size(); ++i) {
    if (op.elements->arguments[i].promotes) text += "; of " + op.schema.arguments[i].name;
    if (op.elements->arguments[i].exact) text += "; exact " + op.schema.arguments[i].name;
    if (op.elements->arguments[i].suits) text += "; suits " + op.schema.arguments[i].name;
  }
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

// As opposed to forms and gradients that are made from another operator's entry.
bool has_entry(const Operator& op) {
  const bool own = op.forms->functional == nullptr || op.forms->functional == &op ||
                   op.computation->implementation == Implementation::kernels ||
                   op.computation->implementation == Implementation::composite;
  return own && !op.is_generated();
}

}  // namespace

std::string python_path(const Operator& op) {
  return op.face->python_module.empty() ? op.face->python_name
                                        : op.face->python_module + "." + op.face->python_name;
}

std::string text_hash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out.push_back(digits[hash >> shift & 15]);
  return out;
}

// What is folded, of what, and how.
static std::string fold_text(const Operator& op) {
  const FoldDims& over = op.elements->fold->over;
  Printer p;
  print_fold_spec(p, op);
  std::string text = std::to_string(static_cast<int>(over.kind)) + " ";
  if (over.names_argument()) text += op.schema.arguments[over.argument].name;
  for (int64_t dim : over.dims) text += " " + std::to_string(dim);
  return text + p.take() + print_fold_struct(op);
}

std::vector<EntryPart> entry_parts(const Operator& op, const Mutants& mutants) {
  const Operator& shared = op.forms->functional != nullptr ? *op.forms->functional : op;
  const std::string expr = shared.is_expr()   ? print_expression_struct(shared, mutants)
                           : shared.is_fold() ? fold_text(shared)
                                              : "";
  return {{"schema", print(op.schema), Seen::by_callers},
          {"names", names_text(op), Seen::by_callers},
          {"numbers", numbers_text(op), Seen::by_callers},
          {"dtypes", dtypes_text(op), Seen::by_callers},
          {"expr", expr, Seen::inside},
          {"composite", composite_text(op), Seen::inside},
          {"kernels", joined(op.computation->targets), Seen::inside},
          {"rule", rule_text(op), Seen::by_callers},
          {"roles", roles_text(op), Seen::inside},
          {"batching", batching_text(op), Seen::inside},
          {"autocast", autocast_text(op), Seen::inside},
          {"gradient", gradient_text(op), Seen::inside},
          {"doc", op.face->doc, Seen::by_readers},
          {"samples", samples_text(op), Seen::by_readers},
          {"reference",
           op.formulas->reference != nullptr ? formula_text(*op.formulas->reference)
                                             : op.tests->numpy_reference,
           Seen::by_readers},
          {"tags", joined(op.face->tags), Seen::by_callers}};
}

std::string entry_part(const Operator& op, std::string_view name) {
  for (EntryPart& part : entry_parts(op)) {
    if (part.name == name) return std::move(part.text);
  }
  return "";
}

void emit_entries(Output& output) {
  Printer p;
  p.print(
      "# What each part of each operator's entry was, for `opweave gen "
      "--why`.");
  for (const Operator* op : output.model.operators().all()) {
    if (op->origin.imported || !has_entry(*op)) continue;
    std::string line = op->name.full;
    for (const EntryPart& part : entry_parts(*op, output.model.mutants())) {
      if (!part.text.empty())
        line += " " + std::string(part.name) + "=" + text_hash(without_stamps(part.text));
    }
    p.raw(line + "\n");
  }
  output.add(p.take());
}

}  // namespace opweave::codegen

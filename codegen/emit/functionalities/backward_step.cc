// Names and conditions of backward steps.
#include "codegen/emit/functionalities/backward_step.h"

#include <algorithm>

#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

std::string property_text(const BackwardPass& pass, const FormulaNode& node,
                          const StepSpelling& spelling, const FormulaNames& names) {
  const auto read = pass.read_of(node);
  if (!read) return spelling.property ? spelling.property(node, names) : "";
  const std::string name = variable(pass.kept[read->kept].what.name);
  switch (read->part) {
    case BackwardPass::Read::Part::at:
      return std::string(spelling.element) + name + ", " +
             formula_expression(node.operand(1), names) + ")";
    case BackwardPass::Read::Part::length:
      return "static_cast<int64_t>(" + name + ".size())";
    case BackwardPass::Read::Part::product:
      return "numel_of(" + name + ")";
    case BackwardPass::Read::Part::whole:
      break;
  }
  return name;
}

// Of an argument or result as a whole: the model lists everything that a formula reads.
std::function<std::string(uint16_t)> whole(const BackwardPass& pass, Saved::Kind kind,
                                           const StepSpelling& spelling) {
  return [&pass, kind, spelling](uint16_t index) {
    const auto found = std::ranges::find_if(pass.kept, [&](const BackwardPass::Kept& kept) {
      return kept.what.kind == kind && kept.what.index == index;
    });
    return spelling.value ? spelling.value(*found) : passed_value(*found);
  };
}

}  // namespace

FormulaNames step_names(const Operator& op, const BackwardPass::Step& step,
                        const StepSpelling& spelling) {
  const BackwardPass& pass = *op.lowered->backward;
  FormulaNames names;
  names.op = &op;
  names.argument = whole(pass, Saved::Kind::argument, spelling);
  names.result = whole(pass, Saved::Kind::result, spelling);
  names.gradient = [&step](uint16_t i) {
    const bool filled = std::ranges::find(step.filled, i) != step.filled.end();
    return filled ? filled_gradient(i) : "grads[" + std::to_string(i) + "]";
  };
  names.property = [&pass, spelling](const FormulaNode& node, const FormulaNames& own) {
    return property_text(pass, node, spelling, own);
  };
  return names;
}

std::string passed_value(const BackwardPass::Kept& kept) {
  const Type& type = kept.what.type;
  const std::string name = variable(kept.what.name);
  const bool is_view =
      type.optional && !type.is_tensor() && (type.list || type.base == BaseType::string);
  if (!is_view) return name;
  Type plain = type;
  plain.optional = false;
  return "optional_view<" + parameter_type(plain) + ">(" + name + ")";
}

std::string filled_gradient(uint16_t result) { return "ow_gradient" + std::to_string(result); }

std::string has_gradient(const Operator& op, const BackwardPass::Step& step) {
  // The gradients of a list are all that there are.
  if (step.runs_for.empty() || op.schema.returns[step.runs_for[0]].type.is_tensor_list())
    return "any_defined(grads)";
  std::string text;
  for (const uint16_t g : step.runs_for)
    text += (text.empty() ? "" : " || ") + ("grads[" + std::to_string(g) + "].defined()");
  return step.runs_for.size() > 1 ? "(" + text + ")" : text;
}

std::string any_wanted(const BackwardPass::Step& step,
                       const std::function<std::string(uint16_t)>& wanted) {
  std::string text;
  for (const uint16_t argument : step.arguments)
    text += (text.empty() ? "" : " || ") + wanted(argument);
  return step.arguments.size() > 1 ? "(" + text + ")" : text;
}

std::string mask_statement(const BackwardPass::Step& step,
                           const std::function<std::string(uint16_t)>& wanted) {
  if (!step.asks_mask) return "";
  return "const std::array<bool, " + std::to_string(step.arguments.size()) + "> grad_input_mask{" +
         comma_list(step.arguments, wanted) + "};";
}

std::string edge_of(const BackwardPass& pass, size_t input,
                    const std::function<std::string(uint16_t)>& count) {
  size_t single = 0;
  std::string lists;
  for (size_t i = 0; i < input; ++i) {
    if (pass.inputs[i].list)
      lists += " + " + count(pass.inputs[i].argument);
    else
      ++single;
  }
  return std::to_string(single) + lists;
}

}  // namespace opweave::codegen

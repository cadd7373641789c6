// Backward functions of operators, over the stable interface, and what they keep.
#include <algorithm>

#include "codegen/emit/comma_list.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/emit/variables.h"
#include "codegen/model/derivative.h"

namespace opweave::codegen {
namespace {

// A tensor, or a value that owns what it says.
std::string saved_type(const Saved& saved) {
  if (saved.type.is_tensor()) return "Tensor";
  if (saved.type.is_tensor_list()) return "std::vector<Tensor>";
  return stored_type(saved.type);
}

bool is_of_arguments(const Saved& saved) {
  return saved.kind == Saved::Kind::argument_property || saved.kind == Saved::Kind::forward_value;
}
bool is_of_results(const Saved& saved) { return saved.kind == Saved::Kind::result_property; }

// The values that a function computes in the place of tensors, in order.
template <class Wanted>
std::vector<const Saved*> values(const Operator& op, Wanted wanted) {
  std::vector<const Saved*> found;
  for (const Saved& saved : op.derivative->saved) {
    if (wanted(saved)) found.push_back(&saved);
  }
  return found;
}

class GradientPrinter {
 public:
  GradientPrinter(Printer& p, const Operator& op)
      : p_(p), op_(op), s_(definition_of(op)), derivative_(*op.derivative) {
    names_.op = &op;
    names_.argument = [this](uint16_t i) { return saved_name(Saved::Kind::argument, i); };
    names_.result = [this](uint16_t i) { return saved_name(Saved::Kind::result, i); };
    names_.gradient = [](uint16_t i) { return "grads[" + std::to_string(i) + "]"; };
    names_.property = [this](const FormulaNode& node, const FormulaNames&) {
      return property_text(node);
    };
  }

  void print() {
    print_values();
    p_.print({{"id", op_.identifier},
              {"formulas",
               [&] {
                 for (const DerivativeFormula& formula : derivative_.formulas)
                   print_formula(formula);
               }}},
             "void $id$_gradient(const stable::Backward& ow_call) {\n"
             "  const std::vector<Tensor> grads = gradients_of(ow_call);\n"
             "  $formulas$\n"
             "}");
  }

 private:
  void print_values() {
    const std::vector<const Saved*> arguments = values(op_, is_of_arguments);
    if (!arguments.empty())
      print_values_of("of_arguments", s_.optional_parameter_list(), arguments,
                      [&](const Saved& saved) { return argument_value(saved); });
    const std::vector<const Saved*> results = values(op_, is_of_results);
    if (results.empty()) return;
    std::string parameters;
    for (size_t i = 0; i < op_.schema.returns.size(); ++i) {
      const bool list = op_.schema.returns[i].type.is_tensor_list();
      parameters += (i == 0 ? "" : ", ") + std::string("[[maybe_unused]] ") +
                    (list ? "TensorList" : "const Tensor&") + " ow_result" + std::to_string(i);
    }
    print_values_of("of_results", parameters, results, [&](const Saved& saved) {
      return property_of("ow_result" + std::to_string(saved.index), saved);
    });
  }

  template <class Value>
  void print_values_of(const char* what, const std::string& parameters,
                       const std::vector<const Saved*>& saved, Value value) {
    const auto type = [](const Saved* one) { return saved_type(*one); };
    const auto text = [&](const Saved* one) { return saved_type(*one) + "(" + value(*one) + ")"; };
    p_.print({{"types", comma_list(saved, type)},
              {"id", op_.identifier},
              {"what", what},
              {"parameters", parameters},
              {"values", comma_list(saved, text)}},
             "std::tuple<$types$> $id$_$what$($parameters$) {\n"
             "  return {$values$};\n"
             "}");
  }

  static std::string property_of(const std::string& tensor, const Saved& saved) {
    return tensor + "." + std::string(property_name(saved.property)) + "()";
  }
  std::string argument_value(const Saved& saved) const {
    if (saved.kind == Saved::Kind::argument_property)
      return property_of(s_.parameters[saved.index].name, saved);
    FormulaNames names;
    names.op = &op_;
    names.argument = [this](uint16_t i) { return s_.parameters[i].name; };
    return formula_expression(*saved.node, names);
  }

  std::string wanted(const DerivativeFormula& formula) const {
    std::string text;
    for (const uint16_t input : formula.inputs)
      text += (text.empty() ? "" : " || ") + ("ow_call.needs(" + std::to_string(input) + ")");
    return formula.inputs.size() > 1 ? "(" + text + ")" : text;
  }
  std::string any_defined(const DerivativeFormula& formula) const {
    std::string text;
    for (const uint16_t g : formula.gradients) {
      if (op_.schema.returns[g].type.is_tensor_list()) return "any_defined(grads)";
      text += (text.empty() ? "" : " || ") + ("grads[" + std::to_string(g) + "].defined()");
    }
    if (text.empty())
      return formula.kind == DerivativeFormula::Kind::zero ? "any_defined(grads)"
                                                           : "grads[0].defined()";
    return formula.gradients.size() > 1 ? "(" + text + ")" : text;
  }

  void print_formula(const DerivativeFormula& formula) {
    if (formula.kind == DerivativeFormula::Kind::non_differentiable) return;
    p_.print({{"wanted", wanted(formula)},
              {"defined", any_defined(formula)},
              {"body",
               [&] {
                 if (formula.kind == DerivativeFormula::Kind::zero) return print_zeros(formula);
                 for (const uint16_t index : formula.saved) print_unpack(index);
                 print_mask(formula);
                 print_assignment(formula);
               }}},
             "if ($wanted$ && $defined$) {\n"
             "  $body$\n"
             "}");
  }

  void print_zeros(const DerivativeFormula& formula) {
    for (const uint16_t input : formula.inputs)
      p_.print({{"at", std::to_string(input)}}, "ow_call.set($at$, ow_call.zeros($at$));");
  }

  void print_unpack(uint16_t index) {
    const Saved& saved = derivative_.saved[index];
    p_.print({{"type", saved_type(saved)},
              {"name", variable(saved.name)},
              {"index", std::to_string(index)}},
             "const auto $name$ = ow_call.saved<$type$>($index$);");
  }

  void print_mask(const DerivativeFormula& formula) {
    if (!formula.uses_grad_input_mask) return;
    const std::string needs = comma_list(formula.inputs, [](uint16_t input) {
      return "ow_call.needs(" + std::to_string(input) + ")";
    });
    p_.print({{"n", std::to_string(formula.inputs.size())}, {"needs", needs}},
             "const std::array<bool, $n$> grad_input_mask{$needs$};");
  }

  void print_assignment(const DerivativeFormula& formula) {
    const std::string text = formula_expression(*formula.formula, names_);
    if (formula.inputs.size() == 1) {
      p_.print({{"at", std::to_string(formula.inputs[0])}, {"text", text}},
               "ow_call.set($at$, $text$);");
      return;
    }
    p_.print({{"text", text}}, "const auto gradients = $text$;");
    for (size_t i = 0; i < formula.inputs.size(); ++i)
      p_.print({{"at", std::to_string(formula.inputs[i])}, {"i", std::to_string(i)}},
               "ow_call.set($at$, std::get<$i$>(gradients));");
  }

  std::string saved_name(Saved::Kind kind, uint16_t index) const {
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == kind && saved.index == index) return as_passed(saved);
    }
    return {};  // not reached: the model lists everything that a formula reads
  }
  // Optional lists are kept by value; calls take optional views of them.
  static std::string as_passed(const Saved& saved) {
    const bool view = saved.type.optional && !saved.type.is_tensor() &&
                      (saved.type.list || saved.type.base == BaseType::string);
    if (!view) return variable(saved.name);
    Type plain = saved.type;
    plain.optional = false;
    return "optional_view<" + parameter_type(plain) + ">(" + variable(saved.name) + ")";
  }

  std::string property_text(const FormulaNode& node) const {
    const FormulaNode& subject = node.operand(0);
    const bool argument = subject.kind == FormulaKind::argument;
    const auto kind = argument ? Saved::Kind::argument_property : Saved::Kind::result_property;
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == Saved::Kind::forward_value && saved.node == &node)
        return variable(saved.name);
      if (!argument && subject.kind != FormulaKind::result) continue;
      if (saved.kind == kind && saved.index == subject.index &&
          saved.property == saved_property(node.property))
        return from_saved(saved, node);
    }
    return {};
  }
  std::string from_saved(const Saved& saved, const FormulaNode& node) const {
    const std::string name = variable(saved.name);
    switch (node.property) {
      case Property::size:
      case Property::stride:
        return "element_at(" + name + ", " + formula_expression(node.operand(1), names_) + ")";
      case Property::dim:
        return "static_cast<int64_t>(" + name + ".size())";
      case Property::numel:
        return "numel_of(" + name + ")";
      default:
        return name;
    }
  }

  Printer& p_;
  const Operator& op_;
  const Signature s_;
  const Derivative& derivative_;
  FormulaNames names_;
};

// What the node keeps, in the order of the derivative.
std::string saved_words(const Operator& op) {
  std::string text;
  size_t arguments = 0, results = 0;
  for (const Saved& saved : op.derivative->saved) {
    if (is_of_arguments(saved)) {
      text += ".save_of_arguments(" + std::to_string(arguments++) + ")";
    } else if (is_of_results(saved)) {
      text += ".save_of_results(" + std::to_string(results++) + ")";
    } else {
      text += saved.kind == Saved::Kind::argument ? ".save_argument(" : ".save_result(";
      text += std::to_string(saved.index) + ")";
    }
  }
  const std::string& id = op.functional->identifier;
  if (arguments > 0) text += ".of_arguments(&" + id + "_of_arguments)";
  if (results > 0) text += ".of_results(&" + id + "_of_results)";
  return text;
}

bool reads_zeros(const DerivativeFormula& formula) { return !formula.filled.empty(); }

std::string constant_words(const Operator& op) {
  std::string text = std::ranges::any_of(op.derivative->formulas, reads_zeros) ? ".fills()" : "";
  for (const DerivativeFormula& formula : op.derivative->formulas) {
    if (formula.kind == DerivativeFormula::Kind::zero) text += ".zeros()";
    if (formula.kind != DerivativeFormula::Kind::non_differentiable) continue;
    const std::string word = formula.refused ? ".refused(" : ".constant(";
    for (const uint16_t i : formula.inputs) text += word + std::to_string(i) + ")";
  }
  const auto& outputs = op.derivative->differentiable_outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) text += ".constant_result(" + std::to_string(i) + ")";
  }
  return text;
}

}  // namespace

bool has_stable_gradient(const Operator& op) {
  return op.differentiability == Differentiability::formula && op.form != Form::out;
}

void print_stable_gradient(Printer& p, const Operator& op) { GradientPrinter(p, op).print(); }

std::string stable_gradient_words(const Operator& op) {
  if (!has_stable_gradient(op))
    return op.differentiability == Differentiability::none ? ".without_gradient()" : "";
  return saved_words(op) + constant_words(op) + ".gradient(&" + op.functional->identifier +
         "_gradient)";
}

}  // namespace opweave::codegen

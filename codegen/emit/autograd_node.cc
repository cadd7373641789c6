// Printing of backward nodes.
#include "codegen/emit/autograd_node.h"

#include <algorithm>
#include <cctype>

#include "codegen/emit/comma_list.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/variables.h"

namespace opweave::codegen {
namespace {

std::string camel_case(std::string_view name) {
  std::string text;
  bool upper = true;
  for (char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text.push_back(upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c);
    upper = false;
  }
  return text;
}

class NodePrinter {
 public:
  NodePrinter(Printer& p, const Operator& op, const std::string& name)
      : p_(p), op_(op), name_(name), signature_(definition_of(op)), derivative_(*op.derivative) {}

  void print() {
    p_.print({{"name", name_}, {"text", quoted(name_)}},
             "struct $name$ final : Node, Recycled<$name$> {\n"
             "  const char* name() const override { return $text$; }");
    print_members();
    print_release();
    p_.print("  TensorVec apply(TensorVec&& grads) override;\n};\n");
    print_apply();
  }

 private:
  void print_members() {
    Indented in(p_);
    for (const Saved& saved : derivative_.saved) {
      p_.print({{"type", stored_type(saved.type)}, {"name", variable(saved.name)}},
               "$type$ $name$_;");
    }
    for (const DifferentiableInput& input : differentiable_inputs(op_)) {
      const std::string& name = signature_.parameters[input.argument].name;
      if (input.list) p_.print({{"name", name}}, "size_t $name$_count_ = 0;");
    }
  }

  void print_release() {
    releases_ = std::ranges::any_of(derivative_.saved, [](const Saved& saved) {
      return saved.type.is_tensor() || saved.type.is_tensor_list();
    });
    if (!releases_) return;
    Indented in(p_);
    p_.print({{"releases", [&] { print_releases(); }}, {"visits", [&] { print_visits(); }}},
             "void release_saved() override {\n"
             "  released_ = true;\n"
             "  $releases$\n"
             "}\n"
             "void visit_saved(SavedVisitor& visit) const override {\n"
             "  $visits$\n"
             "}\n"
             "bool released_ = false;");
  }

  void print_releases() {
    for (const Saved& saved : derivative_.saved) {
      if (saved.type.is_tensor()) p_.print({{"name", variable(saved.name)}}, "$name$_.reset();");
      if (saved.type.is_tensor_list())
        p_.print({{"name", variable(saved.name)}}, "$name$_.clear();");
    }
  }

  void print_visits() {
    for (const Saved& saved : derivative_.saved) {
      if (saved.type.is_tensor() || saved.type.is_tensor_list())
        p_.print({{"name", variable(saved.name)}}, "visit($name$_);");
    }
  }

  void print_apply() {
    p_.print({{"name", name_}}, "TensorVec $name$::apply([[maybe_unused]] TensorVec&& grads) {");
    {
      Indented in(p_);
      if (releases_) p_.print("if (released_) fail_released(name());");
      print_offsets();
      print_shared();
      for (const DerivativeFormula& formula : derivative_.formulas) print_formula(formula);
      p_.print("return inputs;");
    }
    p_.print("}\n");
  }

  // Positions of the inputs' gradients: constants unless a list stands before them.
  void print_offsets() {
    std::string next;
    int fixed = 0;
    for (const DifferentiableInput& input : differentiable_inputs(op_)) {
      const std::string& name = signature_.parameters[input.argument].name;
      p_.print({{"name", name}, {"at", std::to_string(fixed) + next}},
               "[[maybe_unused]] const size_t $name$_at = $at$;");
      if (input.list) {
        next += " + " + name + "_count_";
      } else {
        ++fixed;
      }
    }
    p_.print({{"count", std::to_string(fixed) + next}}, "TensorVec inputs($count$);");
  }

  std::string wanted(const DerivativeFormula& formula) const {
    std::string text;
    for (uint16_t argument : formula.inputs) {
      const Parameter& parameter = signature_.parameters[argument];
      text += text.empty() ? "" : " || ";
      text += parameter.argument->type.list ? "should_compute_outputs(" + parameter.name + "_at, " +
                                                  parameter.name + "_count_)"
                                            : "should_compute_output(" + parameter.name + "_at)";
    }
    return text;
  }

  std::string any_defined(const DerivativeFormula& formula) const {
    std::string text;
    for (uint16_t g : formula.gradients) {
      if (op_.schema.returns[g].type.is_tensor_list()) return "any_defined(grads)";
      text += (text.empty() ? "" : " || ") + ("grads[" + std::to_string(g) + "].defined()");
    }
    return text.empty() ? "grads[0].defined()" : text;
  }

  void print_formula(const DerivativeFormula& formula) {
    if (formula.kind == DerivativeFormula::Kind::non_differentiable) return;
    const std::string wanted_text = wanted(formula), defined_text = any_defined(formula);
    const std::string condition =
        (formula.inputs.size() > 1 ? "(" + wanted_text + ")" : wanted_text) + " && " +
        (formula.gradients.size() > 1 ? "(" + defined_text + ")" : defined_text);
    p_.print({{"condition", condition}}, "if ($condition$) {");
    {
      Indented in(p_);
      if (formula.kind == DerivativeFormula::Kind::zero) {
        print_zero(formula);
      } else {
        for (uint16_t index : formula.saved) print_unpack(index);
        print_mask(formula);
        print_filled(formula);
        print_assignment(formula);
      }
    }
    p_.print("}");
  }

  void print_zero(const DerivativeFormula& formula) {
    for (uint16_t argument : formula.inputs) {
      p_.print({{"name", signature_.parameters[argument].name}},
               "inputs[$name$_at] = zeros_for_input(*this, $name$_at, grads[0]);");
    }
  }

  // What several formulas read is unpacked by the first of them that is wanted.
  void print_shared() {
    for (uint16_t i = 0; i < derivative_.saved.size(); ++i) {
      const Saved& saved = derivative_.saved[i];
      if (!derivative_.read_by_several(i)) continue;
      if (saved.type.is_tensor()) p_.print({{"name", variable(saved.name)}}, "Tensor $name$;");
      if (saved.type.is_tensor_list())
        p_.print({{"name", variable(saved.name)}}, "std::vector<Tensor> $name$;");
    }
  }

  void print_unpack(uint16_t index) {
    const Saved& saved = derivative_.saved[index];
    const bool shared = derivative_.read_by_several(index);
    if (saved.type.is_tensor() && shared) {
      p_.print({{"name", variable(saved.name)}},
               "if (!$name$.defined()) $name$ = this->$name$_.unpack(this);");
    } else if (saved.type.is_tensor_list() && shared) {
      p_.print({{"name", variable(saved.name)}},
               "if ($name$.empty()) $name$ = unpack_list(this->$name$_, this);");
    } else if (saved.type.is_tensor()) {
      p_.print({{"name", variable(saved.name)}},
               "const Tensor $name$ = this->$name$_.unpack(this);");
    } else if (saved.type.is_tensor_list()) {
      p_.print({{"name", variable(saved.name)}},
               "const std::vector<Tensor> $name$ = unpack_list(this->$name$_, this);");
    } else {
      p_.print({{"name", variable(saved.name)}}, "const auto& $name$ = this->$name$_;");
    }
  }

  void print_mask(const DerivativeFormula& formula) {
    if (!formula.uses_grad_input_mask) return;
    const std::string text = comma_list(formula.inputs, [&](uint16_t argument) {
      return "should_compute_output(" + signature_.parameters[argument].name + "_at)";
    });
    p_.print({{"n", std::to_string(formula.inputs.size())}, {"text", text}},
             "const std::array<bool, $n$> grad_input_mask{$text$};");
  }

  void print_filled(const DerivativeFormula& formula) {
    for (const uint16_t g : formula.filled)
      p_.print({{"name", filled_gradient(g)}, {"g", std::to_string(g)}},
               "const Tensor $name$ = gradient_or_zeros(*this, grads, $g$);");
  }

  void print_assignment(const DerivativeFormula& formula) {
    const std::string text = mutable_expression(op_, *formula.formula, names(formula));
    if (formula.inputs.size() > 1) {
      p_.print({{"text", text}}, "auto gradients = $text$;");
      for (size_t i = 0; i < formula.inputs.size(); ++i) {
        p_.print(
            {{"name", signature_.parameters[formula.inputs[i]].name}, {"i", std::to_string(i)}},
            "inputs[$name$_at] = std::move(std::get<$i$>(gradients));");
      }
      return;
    }
    const Parameter& parameter = signature_.parameters[formula.inputs[0]];
    if (parameter.argument->type.list) {
      p_.print({{"text", text}, {"name", parameter.name}},
               "store_gradients(inputs, $name$_at, $name$_count_, $text$);");
    } else {
      p_.print({{"text", text}, {"name", parameter.name}}, "inputs[$name$_at] = $text$;");
    }
  }

  std::string saved_name(Saved::Kind kind, uint16_t index) const {
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind != kind || saved.index != index) continue;
      return needs_conversion(saved) ? converted(saved) : variable(saved.name);
    }
    return {};  // not reached: the model lists everything that a formula reads
  }

  // Optional lists are kept by value; calls take optional views of them.
  static bool needs_conversion(const Saved& saved) {
    return saved.type.optional && !saved.type.is_tensor() &&
           (saved.type.list || saved.type.base == BaseType::string);
  }
  static std::string converted(const Saved& saved) {
    Type plain = saved.type;
    plain.optional = false;
    return "optional_view<" + parameter_type(plain) + ">(" + variable(saved.name) + ")";
  }

  std::string property_text(const FormulaNode& node, const DerivativeFormula& formula) const {
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == Saved::Kind::forward_value && saved.node == &node)
        return variable(saved.name);
    }
    const FormulaNode& subject = node.operand(0);
    const bool argument = subject.kind == FormulaKind::argument;
    if (!argument && subject.kind != FormulaKind::result) return {};
    const Saved::Kind kind =
        argument ? Saved::Kind::argument_property : Saved::Kind::result_property;
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind != kind || saved.index != subject.index) continue;
      if (saved.property != saved_property(node.property)) continue;
      return from_saved(saved, node, formula);
    }
    return {};
  }

  std::string from_saved(const Saved& saved, const FormulaNode& node,
                         const DerivativeFormula& formula) const {
    switch (node.property) {
      case Property::size:
      case Property::stride:
        return "element_at(" + variable(saved.name) + ", " +
               formula_expression(node.operand(1), names(formula)) + ")";
      case Property::dim:
        return "static_cast<int64_t>(" + variable(saved.name) + ".size())";
      case Property::numel:
        return "numel_of(" + variable(saved.name) + ")";
      default:
        return variable(saved.name);
    }
  }

  FormulaNames names(const DerivativeFormula& formula) const {
    FormulaNames names;
    names.op = &op_;
    names.argument = [this](uint16_t i) { return saved_name(Saved::Kind::argument, i); };
    names.result = [this](uint16_t i) { return saved_name(Saved::Kind::result, i); };
    names.gradient = [&formula](uint16_t i) {
      const bool filled = std::ranges::count(formula.filled, i) != 0;
      return filled ? filled_gradient(i) : "grads[" + std::to_string(i) + "]";
    };
    names.property = [this, &formula](const FormulaNode& node, const FormulaNames&) {
      return property_text(node, formula);
    };
    return names;
  }

  Printer& p_;
  const Operator& op_;
  const std::string& name_;
  const Signature signature_;
  const Derivative& derivative_;
  bool releases_ = false;
};

}  // namespace

std::string filled_gradient(uint16_t output) { return "ow_gradient" + std::to_string(output); }

// What the nodes of an operator are called after: `add` for add_ too, and the public name for an
// internal operator that stands in for it.
static std::string_view node_base(const Operator& op) {
  const bool stands_in = op.internal && !op.generated;
  std::string_view base = stands_in ? op.python_name : op.base_name;
  if (base.size() > 1 && base.ends_with('_')) base.remove_suffix(1);
  return base;
}

NodeNames::NodeNames(const Model& model) {
  std::unordered_map<std::string_view, int> count;
  for (const Operator* op : model.operators().all()) {
    int& index = count[node_base(*op)];
    indices_.emplace(op, index);
    const bool owner = op->form == Form::functional || op->functional == nullptr;
    if (owner && op->derivative != nullptr) ++index;
  }
}

std::string NodeNames::of(const Operator& functional) const {
  const int index = indices_.at(&functional);
  return camel_case(node_base(functional)) + "Backward" + std::to_string(index);
}

std::vector<DifferentiableInput> differentiable_inputs(const Operator& op) {
  std::vector<DifferentiableInput> inputs;
  for (uint16_t argument : op.tensor_arguments()) {
    const DerivativeFormula* formula = op.derivative->formula_of(argument);
    if (formula == nullptr || formula->kind == DerivativeFormula::Kind::non_differentiable)
      continue;
    inputs.push_back({argument, formula, op.schema.arguments[argument].type.is_tensor_list()});
  }
  return inputs;
}

void print_node(Printer& printer, const Operator& op, const std::string& name) {
  NodePrinter(printer, op, name).print();
}

}  // namespace opweave::codegen

// Backward nodes as PyTorch's own operators have them, which functorch's transforms, double
// backward and forward mode all go through, and the kernels that record them.
#include <algorithm>

#include "codegen/emit/autograd_node.h"
#include "codegen/emit/comma_list.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/torch/face.h"
#include "codegen/emit/variables.h"
#include "codegen/model/forward/forward_terms.h"

namespace opweave::codegen {
namespace {

std::string torch_stored_type(const Saved& saved) {
  if (saved.type.is_tensor()) return "SavedVariable";
  if (saved.property == Property::sizes) return "c10::SymDimVector";
  return stored_type(saved.type);
}

bool is_of_result(const Saved& saved) {
  return saved.kind == Saved::Kind::result || saved.kind == Saved::Kind::result_property;
}

class AutogradPrinter {
 public:
  AutogradPrinter(Printer& p, const Operator& op, const std::string& node)
      : p_(p), op_(op), node_(node), s_(torch_signature(op)), derivative_(*op.derivative) {
    inputs_ = differentiable_inputs(op);
  }

  void print() {
    print_struct();
    print_apply();
    print_kernel();
  }

 private:
  void print_struct() {
    p_.print({{"name", node_}, {"text", quoted(node_)}},
             "struct $name$ final : torch::autograd::Node {\n"
             "  std::string name() const override { return $text$; }\n"
             "  variable_list apply(variable_list&& grads) override;");
    {
      Indented in(p_);
      p_.print({{"resets", [&] { print_resets(); }}},
               "void release_variables() override {\n"
               "  $resets$\n"
               "}");
      for (const Saved& saved : derivative_.saved)
        p_.print({{"type", torch_stored_type(saved)}, {"name", variable(saved.name)}},
                 "$type$ $name$_;");
    }
    p_.print("};\n");
  }

  void print_resets() {
    for (const Saved& saved : derivative_.saved) {
      if (saved.type.is_tensor())
        p_.print({{"name", variable(saved.name)}}, "$name$_.reset_data();");
    }
  }

  // --- backwards ---

  void print_apply() {
    p_.print({{"name", node_}},
             "variable_list $name$::apply([[maybe_unused]] variable_list&& grads) {");
    {
      Indented in(p_);
      p_.print({{"count", std::to_string(inputs_.size())}}, "variable_list ow_inputs($count$);");
      for (const DerivativeFormula& formula : derivative_.formulas) print_formula(formula);
      p_.print("return ow_inputs;");
    }
    p_.print("}\n");
  }

  size_t edge_of(uint16_t argument) const {
    const auto found = std::ranges::find(inputs_, argument, &DifferentiableInput::argument);
    return static_cast<size_t>(found - inputs_.begin());
  }

  std::string wanted(const DerivativeFormula& formula) const {
    std::string text;
    for (uint16_t argument : formula.inputs)
      text += (text.empty() ? "" : " || ") +
              ("task_should_compute_output(" + std::to_string(edge_of(argument)) + ")");
    return formula.inputs.size() > 1 ? "(" + text + ")" : text;
  }

  std::string any_defined(const DerivativeFormula& formula) const {
    std::string text;
    for (uint16_t g : formula.gradients)
      text += (text.empty() ? "" : " || ") + ("grads[" + std::to_string(g) + "].defined()");
    if (text.empty()) text = "grads[0].defined()";
    return formula.gradients.size() > 1 ? "(" + text + ")" : text;
  }

  void print_formula(const DerivativeFormula& formula) {
    if (formula.kind == DerivativeFormula::Kind::non_differentiable) return;
    p_.print({{"wanted", wanted(formula)}, {"defined", any_defined(formula)}},
             "if ($wanted$ && $defined$) {");
    {
      Indented in(p_);
      if (formula.kind == DerivativeFormula::Kind::zero) {
        for (uint16_t argument : formula.inputs)
          p_.print({{"at", std::to_string(edge_of(argument))}},
                   "ow_inputs[$at$] = zeros_for(*this, $at$);");
      } else {
        for (uint16_t index : formula.saved) print_unpack(derivative_.saved[index]);
        print_assignment(formula);
      }
    }
    p_.print("}");
  }

  void print_unpack(const Saved& saved) {
    const bool of_result = saved.kind == Saved::Kind::result;
    const char* text =
        saved.type.is_tensor()
            ? (of_result ? "const Tensor $name$ = this->$name$_.unpack(self_reference(*this));"
                         : "const Tensor $name$ = this->$name$_.unpack();")
            : "const auto& $name$ = this->$name$_;";
    p_.print({{"name", variable(saved.name)}}, text);
  }

  void print_assignment(const DerivativeFormula& formula) {
    const std::string text = formula_expression(*formula.formula, backward_names());
    if (formula.inputs.size() == 1) {
      p_.print({{"at", std::to_string(edge_of(formula.inputs[0]))}, {"text", text}},
               "ow_inputs[$at$] = $text$;");
      return;
    }
    p_.print({{"text", text}}, "auto ow_gradients = $text$;");
    for (size_t i = 0; i < formula.inputs.size(); ++i)
      p_.print({{"at", std::to_string(edge_of(formula.inputs[i]))}, {"i", std::to_string(i)}},
               "ow_inputs[$at$] = std::move(std::get<$i$>(ow_gradients));");
  }

  const Saved* find_saved(Saved::Kind kind, uint16_t index) const {
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == kind && saved.index == index) return &saved;
    }
    return nullptr;
  }

  std::string saved_property(const FormulaNode& node) const {
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == Saved::Kind::forward_value && saved.node == &node)
        return variable(saved.name);
    }
    const FormulaNode& subject = node.operand(0);
    const bool argument = subject.kind == FormulaKind::argument;
    if (!argument && subject.kind != FormulaKind::result)
      return symbolic_property(node, backward_names());
    const Saved::Kind kind =
        argument ? Saved::Kind::argument_property : Saved::Kind::result_property;
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == kind && saved.index == subject.index &&
          saved.property == opweave::codegen::saved_property(node.property))
        return from_saved(saved, node);
    }
    return symbolic_property(node, backward_names());
  }

  std::string from_saved(const Saved& saved, const FormulaNode& node) const {
    const std::string name = variable(saved.name);
    switch (node.property) {
      case Property::size:
        return "size_at(" + name + ", " + formula_expression(node.operand(1), backward_names()) +
               ")";
      case Property::dim:
        return "static_cast<int64_t>(" + name + ".size())";
      case Property::numel:
        return "numel_of(" + name + ")";
      default:
        return name;
    }
  }

  const FormulaNames& backward_names() const {
    if (!names_.argument) {
      const auto name = [this](Saved::Kind kind, uint16_t i) {
        const Saved* saved = find_saved(kind, i);
        return saved ? variable(saved->name) : std::string();
      };
      names_.op = &op_;
      names_.argument = [name](uint16_t i) { return name(Saved::Kind::argument, i); };
      names_.result = [name](uint16_t i) { return name(Saved::Kind::result, i); };
      names_.gradient = [](uint16_t i) { return "grads[" + std::to_string(i) + "]"; };
      names_.property = [this](const FormulaNode& node) { return saved_property(node); };
    }
    return names_;
  }

  // --- the call ---

  std::string tensors() const {
    return comma_list(inputs_, [&](const DifferentiableInput& input) {
      return s_.parameters[input.argument].name;
    });
  }

  void print_kernel() {
    p_.print(
        {{"result", s_.result},
         {"id", op_.identifier},
         {"parameters", s_.parameter_list()},
         {"name", node_},
         {"tensors", tensors()},
         {"arguments", s_.argument_list()},
         {"saves", [&] { print_saves(/*results=*/false); }},
         {"result_saves", [&] { print_result_saves(); }},
         {"tangents", [&] { print_tangents(); }}},
        "$result$ $id$_autograd(c10::DispatchKeySet ow_keys, $parameters$) {\n"
        "  NodePtr<$name$> ow_node;\n"
        "  if (torch::autograd::compute_requires_grad($tensors$)) {\n"
        "    ow_node = make_node<$name$>();\n"
        "    ow_node->set_next_edges(torch::autograd::collect_next_edges($tensors$));\n"
        "    $saves$\n"
        "  }\n"
        "  $result$ ow_result = [&] {\n"
        "    at::AutoDispatchBelowADInplaceOrView ow_below;\n"
        "    return ops::$id$::redispatch(ow_keys & c10::after_autograd_keyset, $arguments$);\n"
        "  }();\n"
        "  $result_saves$\n"
        "  $tangents$\n"
        "  return ow_result;\n"
        "}\n");
  }

  // What a node keeps of the arguments, or of the results once it belongs to their history.
  void print_saves(bool results) {
    for (const Saved& saved : derivative_.saved) {
      if (is_of_result(saved) == results) print_save(saved);
    }
  }

  void print_save(const Saved& saved) {
    const bool of_result = is_of_result(saved);
    std::string value;
    if (saved.kind == Saved::Kind::forward_value) {
      value = formula_expression(*saved.node, forward_names(nullptr));
    } else {
      value = of_result ? "ow_result" : s_.parameters[saved.index].name;
    }
    const bool property =
        saved.kind == Saved::Kind::argument_property || saved.kind == Saved::Kind::result_property;
    if (property) {
      value = saved.property == Property::sizes
                  ? "sizes_of(" + value + ")"
                  : value + "." + std::string(property_name(saved.property)) + "()";
    } else if (saved.type.is_tensor()) {
      value = "SavedVariable(" + value + ", /*is_output=*/" + (of_result ? "true" : "false") + ")";
    } else if (saved.type.list) {
      value += ".vec()";
    }
    p_.print({{"name", variable(saved.name)}, {"value", value}}, "ow_node->$name$_ = $value$;");
  }

  void print_result_saves() {
    p_.print({{"saves", [&] { print_saves(/*results=*/true); }}},
             "if (ow_node) {\n"
             "  torch::autograd::set_history(ow_result, ow_node);\n"
             "  $saves$\n"
             "}");
  }

  // --- forwards ---

  std::vector<ForwardFormula::Term> terms() const {
    std::vector<ForwardFormula::Term> terms;
    switch (forward_way(op_)) {
      case ForwardWay::formula:
        return derivative_.forward.front().terms;
      case ForwardWay::elementwise:
        for (const DerivativeFormula& gradient : derivative_.formulas) {
          if (gradient.formula != nullptr) terms.push_back({gradient.formula, gradient.inputs});
        }
        break;
      default:
        break;
    }
    return terms;
  }

  void print_tangents() {
    if (forward_way(op_) == ForwardWay::linear) return print_linear();
    const std::vector<ForwardFormula::Term> terms = this->terms();
    if (terms.empty()) return print_refusal();
    p_.print({{"condition", has_tangents()},
              {"primals", [&] { print_primals(terms); }},
              {"terms",
               [&] {
                 for (const ForwardFormula::Term& term : terms) print_term(term);
               }}},
             "if ($condition$) {\n"
             "  $primals$\n"
             "  Tensor ow_tangent;\n"
             "  $terms$\n"
             "  attach_tangent(ow_result, ow_tangent);\n"
             "}");
  }

  // A tangent that is left out would count as zero.
  void print_refusal() {
    if (forward_way(op_) == ForwardWay::zero) return;
    p_.print(
        {{"condition", has_tangents()}, {"name", op_.full_name}},
        "TORCH_CHECK_NOT_IMPLEMENTED(!($condition$), \"$name$ has no rule for forward mode\");");
  }

  // The arguments that terms read, each without its tangent.
  void print_primals(const std::vector<ForwardFormula::Term>& terms) {
    for (uint16_t i : op_.tensor_arguments()) {
      const bool read = std::ranges::any_of(terms, [&](const ForwardFormula::Term& term) {
        return reads_argument(*term.formula, i);
      });
      if (read)
        p_.print({{"name", s_.parameters[i].name}}, "const Tensor $name$_p_ = primal_of($name$);");
    }
  }

  std::string has_tangents() const {
    std::string text;
    for (const DifferentiableInput& input : inputs_)
      text += (text.empty() ? "" : " || ") +
              ("torch::autograd::isFwGradDefined(" + s_.parameters[input.argument].name + ")");
    return text;
  }

  void print_term(const ForwardFormula::Term& term) {
    std::string condition;
    for (uint16_t i : term.tangents)
      condition += (condition.empty() ? "" : " || ") +
                   ("torch::autograd::isFwGradDefined(" + s_.parameters[i].name + ")");
    p_.print({{"condition", condition}}, "if ($condition$) {");
    {
      const Indented in(p_);
      for (uint16_t i : term.tangents)
        p_.print({{"name", s_.parameters[i].name}},
                 "const Tensor $name$_t_ = tangent_or_zeros($name$);");
      p_.print({{"term", formula_expression(*term.formula, forward_names(&term))}},
               "add_term(ow_tangent, $term$);");
    }
    p_.print("}");
  }

  void print_linear() {
    const auto argument = [&](const Parameter& p) {
      const bool moves = std::ranges::any_of(inputs_, [&](const DifferentiableInput& input) {
        return &s_.parameters[input.argument] == &p;
      });
      return moves ? "tangent_or_zeros(" + p.name + ")" : p.name;
    };
    p_.print({{"condition", has_tangents()},
              {"id", op_.identifier},
              {"arguments", comma_list(s_.parameters, argument)}},
             "if ($condition$) {\n"
             "  attach_tangent(ow_result, ops::$id$::call($arguments$));\n"
             "}");
  }

  FormulaNames forward_names(const ForwardFormula::Term* term) const {
    FormulaNames names;
    names.op = &op_;
    names.argument = [this, term](uint16_t i) {
      const bool primal = term != nullptr && op_.schema.arguments[i].type.is_tensor();
      return s_.parameters[i].name + (primal ? "_p_" : "");
    };
    names.tangent = [this](uint16_t i) { return s_.parameters[i].name + "_t_"; };
    names.gradient = [this, term](uint16_t) {
      return s_.parameters[term->tangents[0]].name + "_t_";
    };
    names.result = [](uint16_t) { return std::string("ow_result"); };
    names.property = [this, term](const FormulaNode& node) {
      return symbolic_property(node, forward_names(term));
    };
    return names;
  }

  Printer& p_;
  const Operator& op_;
  const std::string& node_;
  const Signature s_;
  const Derivative& derivative_;
  std::vector<DifferentiableInput> inputs_;
  mutable FormulaNames names_;
};

}  // namespace

void print_torch_autograd(Printer& p, const Operator& op, const std::string& node) {
  AutogradPrinter(p, op, node).print();
}

}  // namespace opweave::codegen

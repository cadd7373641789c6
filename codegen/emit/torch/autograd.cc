// The kernels of autograd: what records a node, and what computes tangents.
#include <algorithm>

#include "codegen/emit/autograd_node.h"
#include "codegen/emit/comma_list.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/refused_inputs.h"
#include "codegen/emit/torch/face.h"
#include "codegen/emit/variables.h"
#include "codegen/model/forward/forward_terms.h"

namespace opweave::codegen {
namespace {

bool is_of_result(const Saved& saved) {
  return saved.kind == Saved::Kind::result || saved.kind == Saved::Kind::result_property;
}

// The tangent of an output: the sum of terms.
struct Sum {
  uint16_t output = 0;
  std::vector<ForwardFormula::Term> terms;
};

class AutogradPrinter {
 public:
  AutogradPrinter(Printer& p, const Operator& op, const std::string& node)
      : p_(p), op_(op), node_(node), s_(torch_signature(op)), derivative_(*op.derivative) {
    inputs_ = differentiable_inputs(op);
  }

  void print() {
    p_.print(
        {{"result", s_.result},
         {"id", op_.identifier},
         {"parameters", given_parameters(s_)},
         {"name", node_},
         {"tensors", tensors()},
         {"arguments", given_arguments(s_)},
         {"values",
          [&] {
            print_values(p_, s_);
            print_refusals(p_, op_, s_);
          }},
         {"saves",
          [&] {
            print_saves(/*results=*/false);
            print_counts();
          }},
         {"histories", [&] { print_histories(); }},
         {"tangents", [&] { print_tangents(); }},
         {"result_saves", [&] { print_result_saves(); }}},
        "$result$ $id$_autograd(c10::DispatchKeySet ow_keys, $parameters$) {\n"
        "  $values$\n"
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
        "  if (ow_node) {\n"
        "    $histories$\n"
        "  }\n"
        "  $tangents$\n"
        "  $result_saves$\n"
        "  return ow_result;\n"
        "}\n");
  }

 private:
  std::string tensors() const {
    return comma_list(inputs_, [&](const DifferentiableInput& input) {
      return s_.parameters[input.argument].name;
    });
  }

  std::string result(uint16_t i) const {
    return op_.schema.returns.size() == 1 ? "ow_result"
                                          : "std::get<" + std::to_string(i) + ">(ow_result)";
  }

  // How many edges lists have.
  void print_counts() {
    for (const DifferentiableInput& input : inputs_) {
      if (input.list)
        p_.print({{"name", s_.parameters[input.argument].name}},
                 "ow_node->$name$_count_ = static_cast<int64_t>($name$.size());");
    }
  }

  // What a node keeps of the arguments, or of the results once they belong to their history.
  void print_saves(bool results) {
    for (const Saved& saved : derivative_.saved) {
      if (is_of_result(saved) == results) print_save(saved);
    }
  }

  std::string saved_value(const Saved& saved) const {
    if (saved.kind == Saved::Kind::forward_value)
      return formula_expression(*saved.node, forward_names(nullptr));
    const bool of_result = is_of_result(saved);
    const std::string value = of_result ? result(saved.index) : s_.parameters[saved.index].name;
    const bool property =
        saved.kind == Saved::Kind::argument_property || saved.kind == Saved::Kind::result_property;
    if (property && saved.property == Property::sizes) return "sizes_of(" + value + ")";
    if (property) return "kept(" + value + "." + std::string(property_name(saved.property)) + "())";
    if (saved.type.is_tensor_list()) return "kept_list(" + value + ")";
    if (saved.type.is_tensor())
      return "SavedVariable(" + value + ", /*is_output=*/" + (of_result ? "true" : "false") + ")";
    return "kept(" + value + ")";
  }

  void print_save(const Saved& saved) {
    p_.print({{"name", variable(saved.name)}, {"value", saved_value(saved)}},
             "ow_node->$name$_ = $value$;");
  }

  // Every result is an input of the node's gradients, also those that have none.
  void print_histories() {
    for (uint16_t i = 0; i < op_.schema.returns.size(); ++i) {
      if (derivative_.differentiable_outputs[i])
        p_.print({{"result", result(i)}}, "torch::autograd::set_history($result$, ow_node);");
      else
        p_.print("ow_node->add_input_metadata(torch::autograd::Node::undefined_input());");
    }
  }

  // With their tangents: a backward pass is differentiated forwards as well.
  void print_result_saves() {
    if (std::ranges::none_of(derivative_.saved, is_of_result)) return;
    p_.print({{"saves", [&] { print_saves(/*results=*/true); }}},
             "if (ow_node) {\n"
             "  $saves$\n"
             "}");
  }

  // --- forwards ---

  std::vector<Sum> sums() const {
    std::vector<Sum> sums;
    switch (forward_way(op_)) {
      case ForwardWay::formula:
        for (const ForwardFormula& formula : derivative_.forward)
          sums.push_back({formula.output, formula.terms});
        break;
      case ForwardWay::elementwise: {
        Sum& sum = sums.emplace_back();
        for (const DerivativeFormula& gradient : derivative_.formulas) {
          if (gradient.formula != nullptr) sum.terms.push_back({gradient.formula, gradient.inputs});
        }
        break;
      }
      default:
        break;
    }
    std::erase_if(sums, [](const Sum& sum) { return sum.terms.empty(); });
    return sums;
  }

  void print_tangents() {
    if (forward_way(op_) == ForwardWay::linear) return print_linear();
    const std::vector<Sum> sums = this->sums();
    if (sums.empty()) return print_refusal();
    p_.print({{"condition", has_tangents()},
              {"primals", [&] { print_primals(sums); }},
              {"sums",
               [&] {
                 for (const Sum& sum : sums) print_sum(sum);
               }}},
             "if ($condition$) {\n"
             "  $primals$\n"
             "  $sums$\n"
             "}");
  }

  void print_sum(const Sum& sum) {
    p_.print({{"result", result(sum.output)},
              {"tangent", "ow_tangent" + std::to_string(sum.output)},
              {"terms",
               [&] {
                 for (const ForwardFormula::Term& term : sum.terms) print_term(sum, term);
               }}},
             "Tensor $tangent$;\n"
             "$terms$\n"
             "attach_tangent($result$, $tangent$);");
  }

  // A tangent that is left out would count as zero.
  void print_refusal() {
    if (forward_way(op_) == ForwardWay::zero) return;
    p_.print(
        {{"condition", has_tangents()}, {"name", op_.full_name}},
        "TORCH_CHECK_NOT_IMPLEMENTED(!($condition$), \"$name$ has no rule for forward mode\");");
  }

  // The arguments that terms read, each without its tangent.
  void print_primals(const std::vector<Sum>& sums) {
    for (uint16_t i : op_.tensor_arguments()) {
      const bool read = std::ranges::any_of(sums, [&](const Sum& sum) {
        return std::ranges::any_of(sum.terms, [&](const ForwardFormula::Term& term) {
          return reads_argument(*term.formula, i);
        });
      });
      if (read)
        p_.print({{"name", s_.parameters[i].name}}, "const auto $name$_p_ = primal_of($name$);");
    }
  }

  std::string has_tangent(uint16_t argument) const {
    const bool list = op_.schema.arguments[argument].type.is_tensor_list();
    return std::string("torch::autograd::isFwGradDefined") + (list ? "TensorList(" : "(") +
           s_.parameters[argument].name + ")";
  }

  std::string has_tangents() const {
    std::string text;
    for (const DifferentiableInput& input : inputs_)
      text += (text.empty() ? "" : " || ") + has_tangent(input.argument);
    return text;
  }

  void print_term(const Sum& sum, const ForwardFormula::Term& term) {
    std::string condition;
    for (uint16_t i : term.tangents)
      condition += (condition.empty() ? "" : " || ") + has_tangent(i);
    p_.print({{"condition", condition}}, "if ($condition$) {");
    {
      const Indented in(p_);
      for (uint16_t i : term.tangents)
        p_.print({{"name", s_.parameters[i].name}},
                 "const auto $name$_t_ = tangent_or_zeros($name$);");
      p_.print({{"tangent", "ow_tangent" + std::to_string(sum.output)},
                {"term", formula_expression(*term.formula, forward_names(&term))}},
               "add_term($tangent$, $term$);");
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
              {"arguments", comma_list(s_.parameters, argument)},
              {"attach", [&] { print_linear_tangents(); }}},
             "if ($condition$) {\n"
             "  const auto ow_tangents = ops::$id$::call($arguments$);\n"
             "  $attach$\n"
             "}");
  }

  void print_linear_tangents() {
    const size_t count = op_.schema.returns.size();
    for (uint16_t i = 0; i < count; ++i) {
      if (!derivative_.differentiable_outputs[i]) continue;
      p_.print({{"result", result(i)},
                {"tangent",
                 count == 1 ? "ow_tangents" : "std::get<" + std::to_string(i) + ">(ow_tangents)"}},
               "attach_tangent($result$, $tangent$);");
    }
  }

  // Results are read without their tangents, too, which earlier sums may have given them.
  FormulaNames forward_names(const ForwardFormula::Term* term) const {
    FormulaNames names;
    names.op = &op_;
    names.argument = [this, term](uint16_t i) {
      const bool primal = term != nullptr && op_.schema.arguments[i].type.is_tensor_like();
      return s_.parameters[i].name + (primal ? "_p_" : "");
    };
    names.tangent = [this](uint16_t i) { return s_.parameters[i].name + "_t_"; };
    names.gradient = [this, term](uint16_t) {
      return s_.parameters[term->tangents[0]].name + "_t_";
    };
    names.result = [this](uint16_t i) {
      return op_.schema.returns.size() == 1 ? result(i) : "primal_of(" + result(i) + ")";
    };
    names.property = symbolic_property;
    return names;
  }

  Printer& p_;
  const Operator& op_;
  const std::string& node_;
  const Signature s_;
  const Derivative& derivative_;
  std::vector<DifferentiableInput> inputs_;
};

}  // namespace

void print_torch_autograd(Printer& p, const Operator& op, const std::string& node) {
  print_torch_node(p, op, node);
  AutogradPrinter(p, op, node).print();
}

}  // namespace opweave::codegen

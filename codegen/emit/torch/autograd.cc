// The kernels of autograd: what records a node, and what computes tangents.
#include <algorithm>

#include "codegen/emit/functionalities/backward_step.h"
#include "codegen/emit/functionalities/refused_inputs.h"
#include "codegen/emit/text/variables.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

using Kept = BackwardPass::Kept;

class AutogradPrinter {
 public:
  AutogradPrinter(Printer& p, const Operator& op, const std::string& node)
      : p_(p),
        op_(op),
        node_(node),
        s_(torch_signature(op)),
        pass_(*op.lowered->backward),
        forward_(op.lowered->forward) {}

  void print() {
    p_.print(
        {{"result", s_.result},
         {"id", op_.name.identifier},
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
    return comma_list(pass_.inputs, [&](const BackwardPass::Input& input) {
      return s_.parameters[input.argument].name;
    });
  }

  std::string result(uint16_t i) const {
    return op_.schema.returns.size() == 1 ? "ow_result"
                                          : "std::get<" + std::to_string(i) + ">(ow_result)";
  }

  // How many edges lists have.
  void print_counts() {
    for (const BackwardPass::Input& input : pass_.inputs) {
      if (input.list)
        p_.print({{"name", s_.parameters[input.argument].name}},
                 "ow_node->$name$_count_ = static_cast<int64_t>($name$.size());");
    }
  }

  // What a node keeps of the arguments, or of the results once they belong to their history.
  void print_saves(bool results) {
    for (const Kept& kept : pass_.kept) {
      if (kept.of_result() == results) print_save(kept);
    }
  }

  void print_save(const Kept& kept) {
    const std::string condition = condition_of(kept);
    p_.print({{"condition", condition.empty() ? "" : "if (" + condition + ") "},
              {"name", variable(kept.what.name)},
              {"value", kept_value(kept)}},
             "$condition$ow_node->$name$_ = $value$;");
  }

  // Whether gradients flow to an input whose step reads the value.
  std::string condition_of(const Kept& kept) const {
    const auto count = [this](uint16_t i) { return s_.parameters[i].name + ".size()"; };
    std::string text;
    for (const uint16_t i : kept.only_for) {
      const BackwardPass::Input& input = pass_.inputs[i];
      const std::string at = edge_of(pass_, i, count);
      text += text.empty() ? "" : " || ";
      text += input.list ? "has_edges(*ow_node, " + at + ", " + count(input.argument) + ")"
                         : "ow_node->should_compute_output(" + at + ")";
    }
    return text;
  }

  std::string kept_value(const Kept& kept) const {
    const Saved& what = kept.what;
    if (what.kind == Saved::Kind::forward_value)
      return formula_expression(*what.node, forward_names(nullptr));
    const std::string value =
        kept.of_result() ? result(what.index) : s_.parameters[what.index].name;
    if (!kept.is_whole() && what.property == Property::sizes) return "sizes_of(" + value + ")";
    if (!kept.is_whole())
      return "kept(" + value + "." + std::string(property_name(what.property)) + "())";
    if (what.type.is_tensor_list()) return "kept_list(" + value + ")";
    if (!what.type.is_tensor()) return "kept(" + value + ")";
    return "SavedVariable(" + value + ", /*is_output=*/" + (kept.of_result() ? "true" : "false") +
           ")";
  }

  // Every result is an input of the node's gradients, also those that have none.
  void print_histories() {
    for (uint16_t i = 0; i < pass_.results.size(); ++i) {
      if (pass_.results[i])
        p_.print({{"result", result(i)}}, "torch::autograd::set_history($result$, ow_node);");
      else
        p_.print("ow_node->add_input_metadata(torch::autograd::Node::undefined_input());");
    }
  }

  // With their tangents: a backward pass is differentiated forwards as well.
  void print_result_saves() {
    if (std::ranges::none_of(pass_.kept, &Kept::of_result)) return;
    p_.print({{"saves", [&] { print_saves(/*results=*/true); }}},
             "if (ow_node) {\n"
             "  $saves$\n"
             "}");
  }

  // --- forwards ---

  void print_tangents() {
    if (forward_.way == ForwardWay::linear) return print_linear();
    if (forward_.way == ForwardWay::reverse) return print_refusal();
    if (forward_.sums.empty()) return;  // they are zero, which nothing is as well
    p_.print({{"condition", has_tangents()},
              {"primals", [&] { print_primals(); }},
              {"sums",
               [&] {
                 for (const TangentSum& sum : forward_.sums) print_sum(sum);
               }}},
             "if ($condition$) {\n"
             "  $primals$\n"
             "  $sums$\n"
             "}");
  }

  void print_sum(const TangentSum& sum) {
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
    p_.print(
        {{"condition", has_tangents()}, {"name", op_.name.full}},
        "TORCH_CHECK_NOT_IMPLEMENTED(!($condition$), \"$name$ has no rule for forward mode\");");
  }

  // The arguments that terms read, each without its tangent.
  void print_primals() {
    for (uint16_t i : op_.tensor_arguments()) {
      const auto reads = [i](const TangentSum& sum) { return sum.reads_argument(i); };
      if (std::ranges::any_of(forward_.sums, reads))
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
    for (const BackwardPass::Input& input : pass_.inputs)
      text += (text.empty() ? "" : " || ") + has_tangent(input.argument);
    return text;
  }

  void print_term(const TangentSum& sum, const ForwardFormula::Term& term) {
    std::string condition;
    for (uint16_t i : term.tangents)
      condition += (condition.empty() ? "" : " || ") + has_tangent(i);
    p_.print({{"condition", condition}}, "if ($condition$) {");
    {
      const Indented in(p_);
      for (uint16_t i : term.tangents)
        p_.print({{"name", s_.parameters[i].name}},
                 "const auto $name$_t_ = tangent_or_zeros($name$);");
      with_repeated(p_, *term.formula, forward_names(&term), [&](const FormulaNames& names) {
        p_.print({{"tangent", "ow_tangent" + std::to_string(sum.output)},
                  {"term", formula_expression(*term.formula, names)}},
                 "add_term($tangent$, $term$);");
      });
    }
    p_.print("}");
  }

  void print_linear() {
    CommaList arguments;
    for (uint16_t i = 0; i < s_.parameters.size(); ++i) {
      const std::string& name = s_.parameters[i].name;
      arguments.add(pass_.is_input(i) ? "tangent_or_zeros(" + name + ")" : name);
    }
    p_.print({{"condition", has_tangents()},
              {"id", op_.name.identifier},
              {"arguments", arguments.text()},
              {"attach", [&] { print_linear_tangents(); }}},
             "if ($condition$) {\n"
             "  const auto ow_tangents = ops::$id$::call($arguments$);\n"
             "  $attach$\n"
             "}");
  }

  void print_linear_tangents() {
    const size_t count = op_.schema.returns.size();
    for (const uint16_t i : forward_.outputs) {
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
  const BackwardPass& pass_;
  const ForwardPass& forward_;
};

}  // namespace

void print_torch_autograd(Printer& p, const Operator& op, const std::string& node) {
  print_torch_node(p, op, node);
  AutogradPrinter(p, op, node).print();
}

}  // namespace opweave::codegen

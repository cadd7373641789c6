// Autograd kernels: what records backward nodes and checks in-place changes.
#include "codegen/emit/autograd_kernels.h"

#include <algorithm>

#include "codegen/emit/autograd_node.h"
#include "codegen/emit/comma_list.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/operator_records.h"
#include "codegen/emit/refused_inputs.h"
#include "codegen/emit/variables.h"

namespace opweave::codegen {
namespace {

bool mutates(const Operator& op) { return !op.mutated.empty(); }

class AutogradKernel {
 public:
  AutogradKernel(Printer& p, const Operator& op, std::string node, const Operator* copy)
      : p_(p), op_(op), node_(std::move(node)), copy_(copy), s_(definition_of(op)) {}

  void print() {
    p_.print({{"result", s_.result}, {"id", op_.identifier}, {"params", s_.parameter_list()}},
             "static $result$ $id$_autograd($params$) {");
    {
      Indented in(p_);
      print_refusals(p_, op_, s_);
      if (op_.form == Form::out) {
        print_out();
      } else if (op_.differentiability == Differentiability::formula) {
        print_recording();
      } else if (op_.differentiability == Differentiability::not_implemented &&
                 !op_.loses_gradient()) {
        print_not_implemented();
      } else {
        print_without_gradient();
      }
    }
    p_.print("}\n");
  }

 private:
  const Operator& source() const { return op_.functional != nullptr ? *op_.functional : op_; }

  std::string call() const {
    return "ops::" + op_.identifier + "::call(" + s_.argument_list() + ")";
  }

  std::string tensor_list(bool differentiable_only) const {
    CommaList tensors;
    for (uint16_t i : op_.tensor_arguments()) {
      if (!differentiable_only || is_differentiable(i)) tensors.add(s_.parameters[i].name);
    }
    return tensors.text();
  }

  bool is_differentiable(uint16_t argument) const {
    for (const DifferentiableInput& input : differentiable_inputs(op_)) {
      if (input.argument == argument) return true;
    }
    return false;
  }

  void print_call() {
    if (s_.result == "void" || returns_argument(op_)) {
      p_.print({{"call", call()}},
               "{\n"
               "  BelowAutograd guard;\n"
               "  $call$;\n"
               "}");
    } else {
      p_.print({{"call", call()}},
               "auto produced = [&] {\n"
               "  BelowAutograd guard;\n"
               "  return $call$;\n"
               "}();");
    }
  }

  void print_return() {
    if (s_.result == "void") return;
    p_.print(
        {{"value", returns_argument(op_) ? written_parameters(s_, op_).front()->name : "produced"}},
        "return $value$;");
  }

  void print_out() {
    p_.print({{"name", quoted(op_.functional->base_name)}, {"tensors", tensor_list(false)}},
             "check_out_no_grad($name$, compute_requires_grad($tensors$));");
    print_call();
    print_return();
  }

  // What an expression gives is constant where it has no gradient: zeros flow back. A function that
  // writes may keep some of what was there: running backward through it is an error.
  std::string node_without_gradient() const {
    return op_.loses_gradient() ? "not_implemented_node(" + quoted(op_.full_name)
                                : "overwritten_node(" + quoted(node_);
  }

  void print_without_gradient() {
    std::vector<std::string> overwritten;
    for (const Parameter* written : written_parameters(s_, op_)) {
      if (!written->argument->type.is_tensor()) continue;
      overwritten.push_back(written->name);
      p_.print({{"self", written->name},
                {"node", node_without_gradient()},
                {"tensors", tensor_list(false)}},
               "intrusive_ptr<Node> $self$_node;\n"
               "if (compute_requires_grad($self$)) {\n"
               "  check_inplace($self$, /*record=*/true);\n"
               "  $self$_node = $node$, $tensors$);\n"
               "}");
    }
    print_call();
    for (const std::string& self : overwritten) {
      p_.print({{"self", self}},
               "if ($self$_node) rebase_history($self$, std::move($self$_node));");
    }
    print_return();
  }

  void print_not_implemented() {
    const std::string tensors = tensor_list(false);
    print_call();
    p_.print({{"tensors", tensors},
              {"name", quoted(op_.full_name)},
              {"histories", [&] { print_histories_of_all(); }}},
             "if (compute_requires_grad($tensors$)) {\n"
             "  const auto node = not_implemented_node($name$, $tensors$);\n"
             "  $histories$\n"
             "}");
    print_return();
  }

  void print_recording() {
    const std::string tensors = tensor_list(true);
    if (tensors.empty()) {
      print_without_gradient();
      return;
    }
    p_.print({{"tensors", tensors}}, "const bool record = compute_requires_grad($tensors$);");
    const bool inplace = mutates(op_);
    if (inplace) {
      p_.print({{"self", written_parameters(s_, op_).front()->name}},
               "check_inplace($self$, record);");
    }
    p_.print({{"node", node_}, {"tensors", tensors}},
             "intrusive_ptr<$node$> node;\n"
             "if (record) {\n"
             "  node = make_node<$node$>();\n"
             "  node->collect_next_edges($tensors$);");
    {
      Indented in(p_);
      for (const Saved& saved : op_.derivative->saved) print_where_needed(saved, false);
      print_list_counts();
    }
    p_.print("}");
    print_call();
    p_.print("if (node) {");
    {
      Indented in(p_);
      print_history();
      for (const Saved& saved : op_.derivative->saved) print_where_needed(saved, true);
    }
    p_.print("}");
    print_return();
  }

  void print_list_counts() {
    for (const DifferentiableInput& input : differentiable_inputs(op_)) {
      if (!input.list) continue;
      p_.print({{"name", s_.parameters[input.argument].name}},
               "node->$name$_count_ = $name$.size();");
    }
  }

  // Keeping a tensor costs memory and forbids later writes to it: only where a formula needs it.
  void print_where_needed(const Saved& saved, bool result) {
    const bool tensors = saved.type.is_tensor() || saved.type.is_tensor_list();
    const bool kept_now =
        result ? saved.kind == Saved::Kind::result : saved.kind == Saved::Kind::argument;
    const std::string condition = tensors && kept_now ? save_condition(saved) : "";
    if (condition.empty()) {
      result ? print_save_result(saved) : print_save_argument(saved);
      return;
    }
    p_.print({{"condition", condition}}, "if ($condition$) {");
    {
      Indented in(p_);
      result ? print_save_result(saved) : print_save_argument(saved);
    }
    p_.print("}");
  }

  // Whether any formula that reads the value will be asked for. Empty when all of them read it.
  std::string save_condition(const Saved& saved) const {
    const auto index = static_cast<uint16_t>(&saved - op_.derivative->saved.data());
    std::string text, lists;
    int fixed = 0;
    bool always = true;
    for (const DifferentiableInput& input : differentiable_inputs(op_)) {
      const std::string& name = s_.parameters[input.argument].name;
      const std::string at = std::to_string(fixed) + lists;
      const auto& reads = input.formula->saved;
      if (std::find(reads.begin(), reads.end(), index) == reads.end()) {
        always = false;
      } else {
        text += text.empty() ? "" : " || ";
        text += input.list ? "node->has_edges(" + at + ", " + name + ".size())"
                           : "node->has_edge(" + at + ")";
      }
      if (input.list) {
        lists += " + " + name + ".size()";
      } else {
        ++fixed;
      }
    }
    return always ? "" : text;
  }

  void print_save_argument(const Saved& saved) {
    if (saved.kind == Saved::Kind::forward_value) return print_save_forward_value(saved);
    if (saved.kind != Saved::Kind::argument && saved.kind != Saved::Kind::argument_property) return;
    const Parameter& parameter = s_.parameters[saved.index];
    std::string value = parameter.name;
    if (saved.kind == Saved::Kind::argument_property) {
      value = save_property(saved, value);
    } else if (saved.type.is_tensor()) {
      // An in-place form destroys the value that the formula needs. Where no operator copies, the
      // backward pass finds it changed.
      if (parameter.argument->type.is_mutated() && copy_ != nullptr)
        value = "clone_with_companion(" + value + ", &ops::" + copy_->identifier + "::call)";
      value = "SavedTensor(" + value + ", /*is_output=*/false)";
    } else if (saved.type.is_tensor_list()) {
      value = "save_list(" + value + ")";
    } else {
      value = stored_value(saved, value);
    }
    p_.print({{"name", variable(saved.name)}, {"value", value}}, "node->$name$_ = $value$;");
  }

  void print_save_forward_value(const Saved& saved) {
    FormulaNames names;
    names.op = &op_;
    names.argument = [this](uint16_t i) { return s_.parameters[i].name; };
    p_.print({{"name", variable(saved.name)}, {"value", formula_expression(*saved.node, names)}},
             "node->$name$_ = $value$;");
  }

  static std::string stored_value(const Saved& saved, const std::string& value) {
    const std::string type = stored_type(saved.type);
    const bool list = saved.type.list && saved.type.base != BaseType::boolean;
    if (saved.type.optional && (list || saved.type.base == BaseType::string)) {
      return "stored_optional<" + type + "::value_type>(" + value + ")";
    }
    if (list) return type + "(" + value + ".begin(), " + value + ".end())";
    return saved.type.base == BaseType::string ? "std::string(" + value + ")" : value;
  }

  static std::string save_property(const Saved& saved, const std::string& tensor) {
    const std::string value = tensor + "." + std::string(property_name(saved.property)) + "()";
    return saved.type.list ? "DimVector(" + value + ")" : value;
  }

  std::string result_name(uint16_t index) const {
    if (returns_argument(op_)) return written_parameters(s_, op_).front()->name;
    return op_.schema.returns.size() == 1 ? "produced"
                                          : "std::get<" + std::to_string(index) + ">(produced)";
  }

  // What a kernel by hand returns is asked for; an expression makes what it returns.
  void print_check_of_result(uint16_t index) {
    if (op_.implementation != Implementation::kernels || op_.is_view() || mutates(op_)) return;
    p_.print({{"name", quoted(op_.base_name)},
              {"result", result_name(index)},
              {"tensors", tensor_list(false)}},
             "check_own($name$, $result$, $tensors$);");
  }

  void print_histories_of_all() {
    for (uint16_t i = 0; i < op_.schema.returns.size(); ++i) {
      if (!op_.schema.returns[i].type.is_tensor_like()) continue;
      print_check_of_result(i);
      p_.print({{"result", result_name(i)}}, "set_history($result$, node);");
    }
  }

  void print_history() {
    if (mutates(op_)) {
      // A view that moved over its base has written nothing.
      p_.print({{"self", written_parameters(s_, op_).front()->name},
                {"function", op_.is_view_of_rule() ? "move_view_history" : "rebase_history"}},
               "$function$($self$, node);");
      return;
    }
    const auto& differentiable = op_.derivative->differentiable_outputs;
    for (uint16_t i = 0; i < op_.schema.returns.size(); ++i) {
      const bool skip = i < differentiable.size() && !differentiable[i];
      if (!skip) print_check_of_result(i);
      p_.print({{"result", result_name(i)}, {"function", skip ? "skip_history" : "set_history"}},
               "$function$($result$, node);");
    }
  }

  void print_save_result(const Saved& saved) {
    if (saved.kind != Saved::Kind::result && saved.kind != Saved::Kind::result_property) return;
    const std::string value = result_name(saved.index);
    std::string stored = "SavedTensor(" + value + ", /*is_output=*/true)";
    if (saved.kind == Saved::Kind::result_property) stored = save_property(saved, value);
    if (saved.type.is_tensor_list()) stored = "save_list(" + value + ", /*is_output=*/true)";
    p_.print({{"name", variable(saved.name)}, {"value", stored}}, "node->$name$_ = $value$;");
  }

  Printer& p_;
  const Operator& op_;
  const std::string node_;
  const Operator* const copy_;
  const Signature s_;
};

}  // namespace

bool has_autograd_kernel(const Operator& op) {
  if (op.form == Form::out) return true;
  if (op.differentiability == Differentiability::through) return false;
  if (op.differentiability == Differentiability::none) return mutates(op) || !op.is_expr();
  return !op.tensor_arguments().empty();
}

const Operator* copying_operator(const Model& model) { return find_tagged(model, "copy"); }

void print_autograd_kernel(Printer& p, const Operator& op, const std::string& node,
                           const Operator* copy) {
  AutogradKernel(p, op, node, copy).print();
}

}  // namespace opweave::codegen

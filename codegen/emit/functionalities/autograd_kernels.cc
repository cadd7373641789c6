// Autograd kernels: what records backward nodes and checks in-place changes.
#include "codegen/emit/functionalities/autograd_kernels.h"

#include <algorithm>

#include "codegen/emit/functionalities/backward_step.h"
#include "codegen/emit/functionalities/refused_inputs.h"
#include "codegen/emit/operators/operator_records.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

using Kept = BackwardPass::Kept;

class AutogradKernel {
 public:
  AutogradKernel(Printer& p, const Operator& op, std::string node, const Operator* copy)
      : p_(p),
        op_(op),
        node_(std::move(node)),
        copy_(copy),
        s_(definition_of(op)),
        recording_(op.lowered->recording),
        pass_(op.lowered->backward) {}

  void print() {
    p_.print({{"result", s_.result}, {"id", op_.name.identifier}, {"params", s_.parameter_list()}},
             "static $result$ $id$_autograd($params$) {");
    {
      Indented in(p_);
      print_refusals(p_, op_, s_);
      print_body();
    }
    p_.print("}\n");
  }

 private:
  void print_body() {
    switch (recording_.way) {
      case RecordWay::out:
        return print_out();
      case RecordWay::node:
        return print_recording();
      case RecordWay::not_implemented:
        return print_not_implemented();
      case RecordWay::constant:
      case RecordWay::none:
        return print_without_gradient();
    }
  }

  std::string call() const {
    return "ops::" + op_.name.identifier + "::call(" + s_.argument_list() + ")";
  }

  std::string all_tensors() const {
    return comma_list(op_.tensor_arguments(), [&](uint16_t i) { return s_.parameters[i].name; });
  }

  // Those that gradients flow to.
  std::string inputs() const {
    return comma_list(pass_->inputs, [&](const BackwardPass::Input& input) {
      return s_.parameters[input.argument].name;
    });
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
    p_.print({{"name", quoted(op_.forms->functional->name.base)}, {"tensors", all_tensors()}},
             "check_out_no_grad($name$, compute_requires_grad($tensors$));");
    print_call();
    print_return();
  }

  // What an expression gives is constant where it has no gradient: zeros flow back. A function that
  // writes may keep some of what was there: running backward through it is an error.
  std::string node_without_gradient() const {
    return recording_.written == WrittenHistory::lost
               ? "not_implemented_node(" + quoted(op_.name.full)
               : "overwritten_node(" + quoted(node_);
  }

  void print_without_gradient() {
    std::vector<std::string> overwritten;
    for (const Parameter* written : written_parameters(s_, op_)) {
      if (!written->argument->type.is_tensor()) continue;
      overwritten.push_back(written->name);
      p_.print(
          {{"self", written->name}, {"node", node_without_gradient()}, {"tensors", all_tensors()}},
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
    const std::string tensors = all_tensors();
    print_call();
    p_.print({{"tensors", tensors},
              {"name", quoted(op_.name.full)},
              {"histories", [&] { print_histories_of_all(); }}},
             "if (compute_requires_grad($tensors$)) {\n"
             "  const auto node = not_implemented_node($name$, $tensors$);\n"
             "  $histories$\n"
             "}");
    print_return();
  }

  void print_recording() {
    const std::string tensors = inputs();
    p_.print({{"tensors", tensors}}, "const bool record = compute_requires_grad($tensors$);");
    if (recording_.rewritten) p_.print({{"self", rewritten()}}, "check_inplace($self$, record);");
    p_.print({{"node", node_},
              {"tensors", tensors},
              {"saves", [&] { print_saves(/*results=*/false); }},
              {"counts", [&] { print_list_counts(); }}},
             "intrusive_ptr<$node$> node;\n"
             "if (record) {\n"
             "  node = make_node<$node$>();\n"
             "  node->collect_next_edges($tensors$);\n"
             "  $saves$\n"
             "  $counts$\n"
             "}");
    print_call();
    p_.print(
        {{"history", [&] { print_history(); }}, {"saves", [&] { print_saves(/*results=*/true); }}},
        "if (node) {\n"
        "  $history$\n"
        "  $saves$\n"
        "}");
    print_return();
  }

  const std::string& rewritten() const { return s_.parameters[*recording_.rewritten].name; }

  void print_list_counts() {
    for (const BackwardPass::Input& input : pass_->inputs) {
      if (!input.list) continue;
      p_.print({{"name", s_.parameters[input.argument].name}},
               "node->$name$_count_ = $name$.size();");
    }
  }

  void print_saves(bool results) {
    for (const Kept& kept : pass_->kept) {
      if (kept.of_result() == results) print_save(kept);
    }
  }

  void print_save(const Kept& kept) {
    const std::string name = variable(kept.what.name), value = value_of(kept);
    if (kept.only_for.empty())
      return p_.print({{"name", name}, {"value", value}}, "node->$name$_ = $value$;");
    p_.print({{"condition", condition_of(kept)}, {"name", name}, {"value", value}},
             "if ($condition$) {\n"
             "  node->$name$_ = $value$;\n"
             "}");
  }

  // Whether gradients flow to an input whose step reads the value.
  std::string condition_of(const Kept& kept) const {
    const auto count = [this](uint16_t i) { return s_.parameters[i].name + ".size()"; };
    std::string text;
    for (const uint16_t i : kept.only_for) {
      const BackwardPass::Input& input = pass_->inputs[i];
      const std::string at = edge_of(*pass_, i, count);
      text += text.empty() ? "" : " || ";
      text += input.list ? "node->has_edges(" + at + ", " + count(input.argument) + ")"
                         : "node->has_edge(" + at + ")";
    }
    return text;
  }

  std::string value_of(const Kept& kept) const {
    if (kept.what.kind == Saved::Kind::forward_value) return forward_value(kept);
    const std::string value =
        kept.of_result() ? result_name(kept.what.index) : s_.parameters[kept.what.index].name;
    if (!kept.is_whole()) return save_property(kept.what, value);
    const char* output = kept.of_result() ? "/*is_output=*/true" : "/*is_output=*/false";
    if (kept.what.type.is_tensor())
      return "SavedTensor(" + copy_of(kept, value) + ", " + output + ")";
    if (kept.what.type.is_tensor_list())
      return "save_list(" + value + (kept.of_result() ? std::string(", ") + output : "") + ")";
    return stored_value(kept.what, value);
  }

  // An in-place form destroys the value that the formula needs. Where no operator copies, the
  // backward pass finds it changed.
  std::string copy_of(const Kept& kept, const std::string& value) const {
    const bool destroyed =
        !kept.of_result() && std::ranges::count(recording_.copied, kept.what.index);
    if (!destroyed || copy_ == nullptr) return value;
    return "clone_with_companion(" + value + ", &ops::" + copy_->name.identifier + "::call)";
  }

  std::string forward_value(const Kept& kept) const {
    FormulaNames names;
    names.op = &op_;
    names.argument = [this](uint16_t i) { return s_.parameters[i].name; };
    return formula_expression(*kept.what.node, names);
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
    if (!recording_.checks_results) return;
    p_.print({{"name", quoted(op_.name.base)},
              {"result", result_name(index)},
              {"tensors", all_tensors()}},
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
    if (recording_.rewritten) {
      p_.print({{"self", rewritten()},
                {"function", recording_.moves_view ? "move_view_history" : "rebase_history"}},
               "$function$($self$, node);");
      return;
    }
    for (uint16_t i = 0; i < pass_->results.size(); ++i) {
      if (pass_->results[i]) print_check_of_result(i);
      p_.print({{"result", result_name(i)},
                {"function", pass_->results[i] ? "set_history" : "skip_history"}},
               "$function$($result$, node);");
    }
  }

  Printer& p_;
  const Operator& op_;
  const std::string node_;
  const Operator* const copy_;
  const Signature s_;
  const Recording& recording_;
  const BackwardPass* const pass_;
};

}  // namespace

bool has_autograd_kernel(const Operator& op) {
  return op.lowered->recording.way != RecordWay::none;
}

const Operator* copying_operator(const Model& model) { return find_tagged(model, "copy"); }

void print_autograd_kernel(Printer& p, const Operator& op, const std::string& node,
                           const Operator* copy) {
  AutogradKernel(p, op, node, copy).print();
}

}  // namespace opweave::codegen

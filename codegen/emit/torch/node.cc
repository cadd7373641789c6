// Backward nodes as PyTorch's own operators have them, which functorch's transforms, double
// backward and forward mode all go through.
#include <algorithm>

#include "codegen/emit/autograd_node.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/torch/face.h"
#include "codegen/emit/variables.h"

namespace opweave::codegen {
namespace {

// What a compiled graph can take out of a node and put back.
std::string torch_stored_type(const Saved& saved) {
  if (saved.type.is_tensor()) return "SavedVariable";
  if (saved.type.is_tensor_list()) return "std::vector<SavedVariable>";
  const bool of_sizes =
      saved.property == Property::sizes || saved.property == Property::sizes_along;
  if (of_sizes) return "c10::SymDimVector";
  if (!saved.type.list || saved.type.base == BaseType::boolean) return stored_type(saved.type);
  const std::string element = saved.type.base == BaseType::integer ? "int64_t" : "double";
  const std::string list = "std::vector<" + element + ">";
  return saved.type.optional ? "std::optional<" + list + ">" : list;
}

class NodePrinter {
 public:
  NodePrinter(Printer& p, const Operator& op, const std::string& node)
      : p_(p), op_(op), node_(node), signature_(torch_signature(op)), derivative_(*op.derivative) {
    inputs_ = differentiable_inputs(op);
  }

  void print() {
    print_struct();
    print_apply();
  }

 private:
  void print_struct() {
    p_.print({{"name", node_},
              {"text", quoted(node_)},
              {"results", std::to_string(shapes_read())},
              {"zeros", makes_zeros() ? "true" : "false"}},
             "struct $name$ final : BackwardNode<$name$> {\n"
             "  static constexpr size_t kResults = $results$;\n"
             "  static constexpr bool kMakesZeros = $zeros$;\n"
             "  std::string name() const override { return $text$; }\n"
             "  variable_list compute(const variable_list& grads, const BackwardPass& ow_pass);");
    {
      Indented in(p_);
      p_.print({{"resets", [&] { print_resets(); }}},
               "void release_variables() override {\n"
               "  const std::lock_guard<std::mutex> ow_lock(mutex_);\n"
               "  $resets$\n"
               "}");
      p_.print({{"visits", [&] { print_visits(); }}},
               "template <class Visit>\n"
               "void each_saved([[maybe_unused]] Visit ow_visit) {\n"
               "  $visits$\n"
               "}");
      for (const Saved& saved : derivative_.saved)
        p_.print({{"type", torch_stored_type(saved)}, {"name", variable(saved.name)}},
                 "$type$ $name$_;");
      for (const DifferentiableInput& input : inputs_) {
        if (input.list) p_.print({{"name", name_of(input)}}, "int64_t $name$_count_ = 0;");
      }
    }
    p_.print("};\n");
  }

  void print_resets() {
    for (const Saved& saved : derivative_.saved) {
      if (saved.type.is_tensor_like())
        p_.print({{"name", variable(saved.name)}}, "release($name$_);");
    }
  }

  void print_visits() {
    for (const Saved& saved : derivative_.saved) {
      const bool of_result =
          saved.kind == Saved::Kind::result && (saved.type.is_tensor() || saved.type.list);
      p_.print({{"name", variable(saved.name)}, {"of_result", of_result ? "true" : "false"}},
               "ow_visit($name$_, /*is_result=*/$of_result$);");
    }
    for (const DifferentiableInput& input : inputs_) {
      if (input.list)
        p_.print({{"name", name_of(input)}}, "ow_visit($name$_count_, /*is_result=*/false);");
    }
  }

  const std::string& name_of(const DifferentiableInput& input) const {
    return signature_.parameters[input.argument].name;
  }

  size_t shapes_read() const {
    const bool zeros = std::ranges::any_of(
        derivative_.formulas,
        [](const DerivativeFormula& formula) { return !formula.filled.empty(); });
    return zeros ? op_.schema.returns.size() : 0;
  }

  bool makes_zeros() const {
    return std::ranges::any_of(derivative_.formulas, [](const DerivativeFormula& formula) {
      return formula.kind == DerivativeFormula::Kind::zero;
    });
  }

  void print_apply() {
    p_.print({{"name", node_}},
             "variable_list $name$::compute([[maybe_unused]] const variable_list& grads,\n"
             "    [[maybe_unused]] const BackwardPass& ow_pass) {");
    {
      Indented in(p_);
      p_.print({{"count", edges_before(inputs_.size())}}, "variable_list ow_inputs($count$);");
      print_shared();
      for (const DerivativeFormula& formula : derivative_.formulas) print_formula(formula);
      p_.print("return ow_inputs;");
    }
    p_.print("}\n");
  }

  // How many edges stand before that of an input: of a list as many as it had tensors.
  std::string edges_before(size_t input) const {
    size_t fixed = 0;
    std::string lists;
    for (size_t i = 0; i < input; ++i) {
      if (inputs_[i].list)
        lists += " + " + name_of(inputs_[i]) + "_count_";
      else
        ++fixed;
    }
    return std::to_string(fixed) + lists;
  }

  const DifferentiableInput& input_of(uint16_t argument) const {
    return *std::ranges::find(inputs_, argument, &DifferentiableInput::argument);
  }

  std::string edge_of(uint16_t argument) const {
    return edges_before(static_cast<size_t>(&input_of(argument) - inputs_.data()));
  }

  // "1, tensors_count_": the edges of a list.
  std::string edges_of(uint16_t argument) const {
    const DifferentiableInput& input = input_of(argument);
    return edge_of(argument) + (input.list ? ", " + name_of(input) + "_count_" : "");
  }

  std::string wanted(const DerivativeFormula& formula) const {
    std::string text;
    for (uint16_t argument : formula.inputs)
      text += (text.empty() ? "" : " || ") + ("ow_pass.wants(" + edges_of(argument) + ")");
    return formula.inputs.size() > 1 ? "(" + text + ")" : text;
  }

  // Without gradients that it reads, that of any result will do.
  std::string any_defined(const DerivativeFormula& formula) const {
    if (formula.gradients.empty()) return "any_defined(grads)";
    std::string text;
    for (uint16_t g : formula.gradients)
      text += (text.empty() ? "" : " || ") + ("grads[" + std::to_string(g) + "].defined()");
    return formula.gradients.size() > 1 ? "(" + text + ")" : text;
  }

  void print_formula(const DerivativeFormula& formula) {
    if (formula.kind == DerivativeFormula::Kind::non_differentiable) return;
    p_.print({{"wanted", wanted(formula)}, {"defined", any_defined(formula)}},
             "if ($wanted$ && $defined$) {");
    {
      Indented in(p_);
      if (formula.kind == DerivativeFormula::Kind::zero) {
        for (uint16_t argument : formula.inputs) print_zeros(argument);
      } else {
        for (uint16_t index : formula.saved) print_unpack(index);
        print_filled(formula);
        print_assignment(formula);
      }
    }
    p_.print("}");
  }

  void print_zeros(uint16_t argument) {
    const std::string at = edge_of(argument);
    if (input_of(argument).list)
      p_.print({{"at", at}, {"count", name_of(input_of(argument)) + "_count_"}},
               "for (int64_t ow_i = 0; ow_i < $count$; ++ow_i)\n"
               "  ow_inputs[$at$ + ow_i] = ow_pass.zeros_for($at$ + ow_i);");
    else
      p_.print({{"at", at}}, "ow_inputs[$at$] = ow_pass.zeros_for($at$);");
  }

  // What several formulas read is unpacked by the first of them that is wanted.
  bool shared(uint16_t index) const {
    return derivative_.saved[index].type.is_tensor_like() && derivative_.read_by_several(index);
  }

  void print_shared() {
    for (uint16_t i = 0; i < derivative_.saved.size(); ++i) {
      const Saved& saved = derivative_.saved[i];
      if (!shared(i)) continue;
      p_.print({{"name", variable(saved.name)},
                {"type", saved.type.is_tensor_list() ? "std::vector<Tensor>" : "Tensor"}},
               "$type$ $name$;");
    }
  }

  void print_unpack(uint16_t index) {
    const Saved& saved = derivative_.saved[index];
    const bool of_result = saved.kind == Saved::Kind::result;
    const std::string value = saved.type.is_tensor_list() ? "unpacked(this->$name$_)"
                              : !saved.type.is_tensor()   ? "as_given(this->$name$_)"
                              : of_result ? "this->$name$_.unpack(self_reference(*this))"
                                          : "this->$name$_.unpack()";
    const char* type = saved.type.is_tensor_list() ? "const std::vector<Tensor> "
                       : saved.type.is_tensor()    ? "const Tensor "
                                                   : "const auto& ";
    const char* missing =
        saved.type.is_tensor_list() ? "if ($name$.empty()) " : "if (!$name$.defined()) ";
    p_.print({{"name", variable(saved.name)}},
             (shared(index) ? missing : type) + ("$name$ = " + value) + ";");
  }

  void print_filled(const DerivativeFormula& formula) {
    for (const uint16_t g : formula.filled)
      p_.print({{"name", filled_gradient(g)}, {"g", std::to_string(g)}},
               "const Tensor $name$ = ow_pass.gradient_or_zeros(grads, $g$);");
  }

  void print_assignment(const DerivativeFormula& formula) {
    const std::string text = formula_expression(*formula.formula, names(formula));
    const uint16_t first = formula.inputs[0];
    if (formula.inputs.size() == 1) {
      if (input_of(first).list)
        p_.print({{"edges", edges_of(first)}, {"text", text}},
                 "store_gradients(ow_inputs, $edges$, $text$);");
      else
        p_.print({{"at", edge_of(first)}, {"text", text}}, "ow_inputs[$at$] = $text$;");
      return;
    }
    p_.print({{"text", text}}, "auto ow_gradients = $text$;");
    for (size_t i = 0; i < formula.inputs.size(); ++i)
      p_.print({{"at", edge_of(formula.inputs[i])}, {"i", std::to_string(i)}},
               "ow_inputs[$at$] = std::move(std::get<$i$>(ow_gradients));");
  }

  std::string saved_name(Saved::Kind kind, uint16_t index) const {
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == kind && saved.index == index) return variable(saved.name);
    }
    return {};  // not reached: the model lists everything that a formula reads
  }

  std::string property_text(const FormulaNode& node, const FormulaNames& names) const {
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == Saved::Kind::forward_value && saved.node == &node)
        return variable(saved.name);
    }
    const FormulaNode& subject = node.operand(0);
    const bool argument = subject.kind == FormulaKind::argument;
    if (!argument && subject.kind != FormulaKind::result) return symbolic_property(node, names);
    const Saved::Kind kind =
        argument ? Saved::Kind::argument_property : Saved::Kind::result_property;
    for (const Saved& saved : derivative_.saved) {
      if (saved.kind == kind && saved.index == subject.index &&
          saved.property == saved_property(node.property))
        return from_saved(saved, node, names);
    }
    return symbolic_property(node, names);
  }

  static std::string from_saved(const Saved& saved, const FormulaNode& node,
                                const FormulaNames& names) {
    const std::string name = variable(saved.name);
    switch (node.property) {
      case Property::size:
        return "size_at(" + name + ", " + formula_expression(node.operand(1), names) + ")";
      case Property::dim:
        return "static_cast<int64_t>(" + name + ".size())";
      case Property::numel:
        return "numel_of(" + name + ")";
      default:
        return name;
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
    names.property = [this](const FormulaNode& node, const FormulaNames& own) {
      return property_text(node, own);
    };
    return names;
  }

  Printer& p_;
  const Operator& op_;
  const std::string& node_;
  const Signature signature_;
  const Derivative& derivative_;
  std::vector<DifferentiableInput> inputs_;
};

}  // namespace

void print_torch_node(Printer& p, const Operator& op, const std::string& node) {
  NodePrinter(p, op, node).print();
}

}  // namespace opweave::codegen

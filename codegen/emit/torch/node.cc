// Backward nodes as PyTorch's own operators have them, which functorch's transforms, double
// backward and forward mode all go through.
#include "codegen/emit/functionalities/backward_step.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/variables.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

using Kept = BackwardPass::Kept;
using Step = BackwardPass::Step;

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

// Optional lists are passed as they are kept.
StepSpelling spelling() {
  return {.value = [](const Kept& kept) { return variable(kept.what.name); },
          .element = "size_at(",
          .property = symbolic_property};
}

class NodePrinter {
 public:
  NodePrinter(Printer& p, const Operator& op, const std::string& node)
      : p_(p),
        op_(op),
        node_(node),
        signature_(torch_signature(op)),
        pass_(*op.lowered->backward) {}

  void print() {
    print_struct();
    print_compute();
  }

 private:
  void print_struct() {
    const size_t shapes_read = pass_.fills() ? op_.schema.returns.size() : 0;
    p_.print({{"name", node_},
              {"text", quoted(node_)},
              {"results", std::to_string(shapes_read)},
              {"zeros", pass_.makes_zeros() ? "true" : "false"},
              {"resets", [&] { print_resets(); }},
              {"visits", [&] { print_visits(); }},
              {"members", [&] { print_members(); }}},
             "struct $name$ final : BackwardNode<$name$> {\n"
             "  static constexpr size_t kResults = $results$;\n"
             "  static constexpr bool kMakesZeros = $zeros$;\n"
             "  std::string name() const override { return $text$; }\n"
             "  variable_list compute(const variable_list& grads, const BackwardPass& ow_pass);\n"
             "  void release_variables() override {\n"
             "    const std::lock_guard<std::mutex> ow_lock(mutex_);\n"
             "    $resets$\n"
             "  }\n"
             "  template <class Visit>\n"
             "  void each_saved([[maybe_unused]] Visit ow_visit) {\n"
             "    $visits$\n"
             "  }\n"
             "  $members$\n"
             "};\n");
  }

  void print_members() {
    for (const Kept& kept : pass_.kept)
      p_.print({{"type", torch_stored_type(kept.what)}, {"name", variable(kept.what.name)}},
               "$type$ $name$_;");
    for (const BackwardPass::Input& input : pass_.inputs) {
      if (input.list) p_.print({{"name", name_of(input.argument)}}, "int64_t $name$_count_ = 0;");
    }
  }

  void print_resets() {
    for (const Kept& kept : pass_.kept) {
      if (kept.has_tensors()) p_.print({{"name", variable(kept.what.name)}}, "release($name$_);");
    }
  }

  void print_visits() {
    for (const Kept& kept : pass_.kept) {
      const bool of_result = kept.has_tensors() && kept.of_result();
      p_.print({{"name", variable(kept.what.name)}, {"of_result", of_result ? "true" : "false"}},
               "ow_visit($name$_, /*is_result=*/$of_result$);");
    }
    for (const BackwardPass::Input& input : pass_.inputs) {
      if (input.list)
        p_.print({{"name", name_of(input.argument)}},
                 "ow_visit($name$_count_, /*is_result=*/false);");
    }
  }

  const std::string& name_of(uint16_t argument) const {
    return signature_.parameters[argument].name;
  }
  bool is_list(uint16_t argument) const { return pass_.inputs[pass_.input_of(argument)].list; }

  // How many edges stand before that of an input: of a list as many as it had tensors.
  std::string edges_before(size_t input) const {
    return edge_of(pass_, input, [this](uint16_t i) { return name_of(i) + "_count_"; });
  }
  std::string first_edge(uint16_t argument) const { return edges_before(pass_.input_of(argument)); }
  // "1, tensors_count_": the edges of a list.
  std::string edges_of(uint16_t argument) const {
    return first_edge(argument) + (is_list(argument) ? ", " + name_of(argument) + "_count_" : "");
  }

  void print_compute() {
    p_.print({{"name", node_},
              {"count", edges_before(pass_.inputs.size())},
              {"shared", [&] { print_shared(); }},
              {"steps",
               [&] {
                 for (const Step& step : pass_.steps) print_step(step);
               }}},
             "variable_list $name$::compute([[maybe_unused]] const variable_list& grads,\n"
             "    [[maybe_unused]] const BackwardPass& ow_pass) {\n"
             "  variable_list ow_inputs($count$);\n"
             "  $shared$\n"
             "  $steps$\n"
             "  return ow_inputs;\n"
             "}\n");
  }

  void print_step(const Step& step) {
    const auto wanted = [this](uint16_t i) { return "ow_pass.wants(" + edges_of(i) + ")"; };
    p_.print({{"wanted", any_wanted(step, wanted)},
              {"defined", step.reads_gradients() ? has_gradient(op_, step) : "any_defined(grads)"},
              {"body",
               [&] {
                 if (step.is_zeros()) return print_zeros(step.arguments[0]);
                 for (const uint16_t index : step.reads) print_unpack(pass_.kept[index]);
                 print_filled(step);
                 print_assignment(step);
               }}},
             "if ($wanted$ && $defined$) {\n"
             "  $body$\n"
             "}");
  }

  void print_zeros(uint16_t argument) {
    const std::string at = first_edge(argument);
    if (is_list(argument))
      p_.print({{"at", at}, {"count", name_of(argument) + "_count_"}},
               "store_zeros(ow_inputs, $at$, $count$, ow_pass);");
    else
      p_.print({{"at", at}}, "ow_inputs[$at$] = ow_pass.zeros_for($at$);");
  }

  void print_shared() {
    for (const Kept& kept : pass_.kept) {
      if (!kept.shared || !kept.has_tensors()) continue;
      p_.print({{"name", variable(kept.what.name)},
                {"type", kept.what.type.is_tensor_list() ? "std::vector<Tensor>" : "Tensor"}},
               "$type$ $name$;");
    }
  }

  // What several steps read is unpacked by the first of them that runs.
  void print_unpack(const Kept& kept) {
    const bool list = kept.what.type.is_tensor_list();
    const char* value = list                  ? "unpacked(this->$name$_)"
                        : !kept.has_tensors() ? "as_given(this->$name$_)"
                        : kept.of_result()    ? "this->$name$_.unpack(self_reference(*this))"
                                              : "this->$name$_.unpack()";
    const char* type = list                 ? "const std::vector<Tensor> "
                       : kept.has_tensors() ? "const Tensor "
                                            : "const auto& ";
    const char* missing = list ? "if ($name$.empty()) " : "if (!$name$.defined()) ";
    const bool shared = kept.shared && kept.has_tensors();
    p_.print({{"name", variable(kept.what.name)}},
             (shared ? missing : type) + std::string("$name$ = ") + value + ";");
  }

  void print_filled(const Step& step) {
    for (const uint16_t g : step.filled)
      p_.print({{"name", filled_gradient(g)}, {"g", std::to_string(g)}},
               "const Tensor $name$ = ow_pass.gradient_or_zeros(grads, $g$);");
  }

  void print_assignment(const Step& step) {
    with_repeated(p_, *step.formula, step_names(op_, step, spelling()),
                  [&](const FormulaNames& names) {
                    print_assignment(step, formula_expression(*step.formula, names));
                  });
  }

  void print_assignment(const Step& step, const std::string& text) {
    const uint16_t first = step.arguments[0];
    if (step.arguments.size() == 1) {
      if (is_list(first))
        p_.print({{"edges", edges_of(first)}, {"text", text}},
                 "store_gradients(ow_inputs, $edges$, $text$);");
      else
        p_.print({{"at", first_edge(first)}, {"text", text}}, "ow_inputs[$at$] = $text$;");
      return;
    }
    p_.print({{"text", text}}, "auto ow_gradients = $text$;");
    for (size_t i = 0; i < step.arguments.size(); ++i)
      p_.print({{"at", first_edge(step.arguments[i])}, {"i", std::to_string(i)}},
               "ow_inputs[$at$] = std::move(std::get<$i$>(ow_gradients));");
  }

  Printer& p_;
  const Operator& op_;
  const std::string& node_;
  const Signature signature_;
  const BackwardPass& pass_;
};

}  // namespace

void print_torch_node(Printer& p, const Operator& op, const std::string& node) {
  NodePrinter(p, op, node).print();
}

}  // namespace opweave::codegen

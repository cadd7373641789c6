// Printing of backward nodes.
#include "codegen/emit/functionalities/autograd_node.h"

#include <algorithm>
#include <cctype>

#include "codegen/emit/functionalities/backward_step.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"

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

using Kept = BackwardPass::Kept;
using Step = BackwardPass::Step;

class NodePrinter {
 public:
  NodePrinter(Printer& p, const Operator& op, const std::string& name, const Mutants& mutants)
      : p_(p),
        op_(op),
        name_(name),
        mutants_(mutants),
        signature_(definition_of(op)),
        pass_(*op.lowered->backward) {
    releases_ = std::ranges::any_of(pass_.kept, &Kept::has_tensors);
  }

  void print() {
    p_.print({{"name", name_}, {"text", quoted(name_)}},
             "struct $name$ final : Node, Recycled<$name$> {\n"
             "  const char* name() const override { return $text$; }");
    print_members();
    if (releases_) print_release();
    p_.print("  TensorVec apply(TensorVec&& grads) override;\n};\n");
    print_apply();
  }

 private:
  void print_members() {
    Indented in(p_);
    for (const Kept& kept : pass_.kept) {
      p_.print({{"type", stored_type(kept.what.type)}, {"name", variable(kept.what.name)}},
               "$type$ $name$_;");
    }
    for (const BackwardPass::Input& input : pass_.inputs) {
      if (input.list) p_.print({{"name", name_of(input.argument)}}, "size_t $name$_count_ = 0;");
    }
  }

  void print_release() {
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
    for (const Kept& kept : pass_.kept) {
      const char* release = kept.what.type.is_tensor() ? "$name$_.reset();" : "$name$_.clear();";
      if (kept.has_tensors()) p_.print({{"name", variable(kept.what.name)}}, release);
    }
  }

  void print_visits() {
    for (const Kept& kept : pass_.kept) {
      if (kept.has_tensors()) p_.print({{"name", variable(kept.what.name)}}, "visit($name$_);");
    }
  }

  void print_apply() {
    p_.print({{"name", name_}}, "TensorVec $name$::apply([[maybe_unused]] TensorVec&& grads) {");
    {
      Indented in(p_);
      if (releases_) p_.print("if (released_) fail_released(name());");
      print_edges();
      print_shared();
      for (const Step& step : pass_.steps) print_step(step);
      p_.print("return inputs;");
    }
    p_.print("}\n");
  }

  const std::string& name_of(uint16_t argument) const {
    return signature_.parameters[argument].name;
  }
  bool is_list(uint16_t argument) const {
    return signature_.parameters[argument].argument->type.list;
  }

  // Positions of the inputs' gradients: constants unless a list stands before them.
  void print_edges() {
    const auto count = [this](uint16_t argument) { return name_of(argument) + "_count_"; };
    for (size_t i = 0; i < pass_.inputs.size(); ++i) {
      p_.print({{"name", name_of(pass_.inputs[i].argument)}, {"at", edge_of(pass_, i, count)}},
               "[[maybe_unused]] const size_t $name$_at = $at$;");
    }
    p_.print({{"count", edge_of(pass_, pass_.inputs.size(), count)}}, "TensorVec inputs($count$);");
  }

  std::string wanted(uint16_t argument) const {
    const std::string& name = name_of(argument);
    return is_list(argument) ? "should_compute_outputs(" + name + "_at, " + name + "_count_)"
                             : "should_compute_output(" + name + "_at)";
  }

  void print_step(const Step& step) {
    const auto wanted = [this](uint16_t argument) { return this->wanted(argument); };
    p_.print({{"wanted", any_wanted(step, wanted)},
              {"defined", has_gradient(op_, step)},
              {"body",
               [&] {
                 if (step.is_zeros()) return print_zeros(step);
                 for (const uint16_t index : step.reads) print_unpack(pass_.kept[index]);
                 p_.print({{"mask", mask_statement(step, wanted)}}, "$mask$");
                 print_filled(step);
                 print_assignment(step);
               }}},
             "if ($wanted$ && $defined$) {\n"
             "  $body$\n"
             "}");
  }

  // One that is there: zeros look like it where an edge does not know.
  std::string some_gradient(const Step& step) const {
    const bool one =
        step.runs_for.size() == 1 && op_.schema.returns[step.runs_for[0]].type.is_tensor();
    return one ? "grads[" + std::to_string(step.runs_for[0]) + "]" : "first_defined(grads)";
  }

  void print_zeros(const Step& step) {
    const uint16_t argument = step.arguments[0];
    p_.print({{"name", name_of(argument)}, {"like", some_gradient(step)}},
             is_list(argument) ? "store_zeros(*this, inputs, $name$_at, $name$_count_, $like$);"
                               : "inputs[$name$_at] = zeros_for_input(*this, $name$_at, $like$);");
  }

  void print_shared() {
    for (const Kept& kept : pass_.kept) {
      if (!kept.shared || !kept.has_tensors()) continue;
      p_.print({{"name", variable(kept.what.name)},
                {"type", kept.what.type.is_tensor() ? "Tensor" : "std::vector<Tensor>"}},
               "$type$ $name$;");
    }
  }

  void print_unpack(const Kept& kept) {
    const std::string name = variable(kept.what.name);
    if (!kept.has_tensors())
      return p_.print({{"name", name}}, "const auto& $name$ = this->$name$_;");
    const bool list = kept.what.type.is_tensor_list();
    const char* first = list ? "if ($name$.empty()) " : "if (!$name$.defined()) ";
    const char* alone = list ? "const std::vector<Tensor> " : "const Tensor ";
    const char* value = list ? "unpack_list(this->$name$_, this)" : "this->$name$_.unpack(this)";
    p_.print({{"name", name}},
             (kept.shared ? first : alone) + std::string("$name$ = ") + value + ";");
  }

  void print_filled(const Step& step) {
    for (const uint16_t g : step.filled)
      p_.print({{"name", filled_gradient(g)}, {"g", std::to_string(g)}},
               "const Tensor $name$ = gradient_or_zeros(*this, grads, $g$);");
  }

  void print_assignment(const Step& step) {
    FormulaNames own = step_names(op_, step, {});
    own.mutants = &mutants_;
    with_repeated(p_, *step.formula, own, [&](const FormulaNames& names) {
      print_assignment(step, mutable_expression(op_, *step.formula, names));
    });
  }

  void print_assignment(const Step& step, const std::string& text) {
    const uint16_t first = step.arguments[0];
    if (step.arguments.size() == 1) {
      p_.print({{"text", text}, {"name", name_of(first)}},
               is_list(first) ? "store_gradients(inputs, $name$_at, $name$_count_, $text$);"
                              : "inputs[$name$_at] = $text$;");
      return;
    }
    p_.print({{"text", text}}, "auto gradients = $text$;");
    for (size_t i = 0; i < step.arguments.size(); ++i)
      p_.print({{"name", name_of(step.arguments[i])}, {"i", std::to_string(i)}},
               "inputs[$name$_at] = std::move(std::get<$i$>(gradients));");
  }

  Printer& p_;
  const Operator& op_;
  const std::string& name_;
  const Mutants& mutants_;
  const Signature signature_;
  const BackwardPass& pass_;
  bool releases_ = false;
};

}  // namespace

// What the nodes of an operator are called after: `add` for add_ too, and the public name for an
// internal operator that stands in for it.
static std::string_view node_base(const Operator& op) {
  const bool stands_in = op.face->internal && !op.is_generated();
  std::string_view base = stands_in ? op.face->python_name : op.name.base;
  if (base.size() > 1 && base.ends_with('_')) base.remove_suffix(1);
  return base;
}

NodeNames::NodeNames(const Model& model) {
  std::unordered_map<std::string_view, int> count;
  for (const Operator* op : model.operators().all()) {
    int& index = count[node_base(*op)];
    indices_.emplace(op, index);
    const bool owner = op->forms->form == Form::functional || op->forms->functional == nullptr;
    if (owner && op->gradient->derivative != nullptr) ++index;
  }
}

std::string NodeNames::of(const Operator& functional) const {
  const int index = indices_.at(&functional);
  return camel_case(node_base(functional)) + "Backward" + std::to_string(index);
}

void print_node(Printer& printer, const Operator& op, const std::string& name,
                const Mutants& mutants) {
  NodePrinter(printer, op, name, mutants).print();
}

}  // namespace opweave::codegen

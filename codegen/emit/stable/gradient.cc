// Backward functions of operators, over the stable interface, and what they keep.
#include "codegen/emit/functionalities/backward_step.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

using Kept = BackwardPass::Kept;
using Step = BackwardPass::Step;

// A tensor, or a value that owns what it says.
std::string kept_type(const Kept& kept) {
  if (kept.what.type.is_tensor()) return "Tensor";
  return kept.what.type.is_tensor_list() ? "std::vector<Tensor>" : stored_type(kept.what.type);
}

// The values that a function computes of the arguments or of the results, in order.
std::vector<const Kept*> computed(const BackwardPass& pass, bool of_results) {
  std::vector<const Kept*> found;
  for (const Kept& kept : pass.kept) {
    if (!kept.is_whole() && kept.of_result() == of_results) found.push_back(&kept);
  }
  return found;
}

std::string needs(uint16_t argument) { return "ow_call.needs(" + std::to_string(argument) + ")"; }

class GradientPrinter {
 public:
  GradientPrinter(Printer& p, const Operator& op)
      : p_(p), op_(op), s_(definition_of(op)), pass_(*op.lowered->backward) {}

  void print() {
    print_values();
    p_.print({{"id", op_.name.identifier},
              {"steps",
               [&] {
                 for (const Step& step : pass_.steps) print_step(step);
               }}},
             "void $id$_gradient(const stable::Backward& ow_call) {\n"
             "  const std::vector<Tensor> grads = gradients_of(ow_call);\n"
             "  $steps$\n"
             "}");
  }

 private:
  void print_values() {
    if (const auto values = computed(pass_, false); !values.empty())
      print_values_of("of_arguments", s_.optional_parameter_list(), values,
                      [&](const Kept& kept) { return argument_value(kept.what); });
    if (const auto values = computed(pass_, true); !values.empty())
      print_values_of("of_results", result_parameters(), values, [&](const Kept& kept) {
        return property_of("ow_result" + std::to_string(kept.what.index), kept.what);
      });
  }

  std::string result_parameters() const {
    CommaList list;
    for (size_t i = 0; i < op_.schema.returns.size(); ++i) {
      const bool is_list = op_.schema.returns[i].type.is_tensor_list();
      list.add(std::string("[[maybe_unused]] ") + (is_list ? "TensorList" : "const Tensor&") +
               " ow_result" + std::to_string(i));
    }
    return list.text();
  }

  template <class Value>
  void print_values_of(const char* what, const std::string& parameters,
                       const std::vector<const Kept*>& values, Value value) {
    const auto type = [](const Kept* one) { return kept_type(*one); };
    const auto text = [&](const Kept* one) { return kept_type(*one) + "(" + value(*one) + ")"; };
    p_.print({{"types", comma_list(values, type)},
              {"id", op_.name.identifier},
              {"what", what},
              {"parameters", parameters},
              {"values", comma_list(values, text)}},
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

  void print_step(const Step& step) {
    p_.print({{"wanted", any_wanted(step, needs)},
              {"defined", step.reads_gradients() ? has_gradient(op_, step) : "any_defined(grads)"},
              {"body",
               [&] {
                 if (step.is_zeros()) return print_zeros(step.arguments[0]);
                 for (const uint16_t index : step.reads) print_unpack(index);
                 p_.print({{"mask", mask_statement(step, needs)}}, "$mask$");
                 print_assignment(step);
               }}},
             "if ($wanted$ && $defined$) {\n"
             "  $body$\n"
             "}");
  }

  void print_zeros(uint16_t argument) {
    p_.print({{"at", std::to_string(argument)}}, "ow_call.set($at$, ow_call.zeros($at$));");
  }

  void print_unpack(uint16_t index) {
    const Kept& kept = pass_.kept[index];
    p_.print({{"type", kept_type(kept)},
              {"name", variable(kept.what.name)},
              {"index", std::to_string(index)}},
             "const auto $name$ = ow_call.saved<$type$>($index$);");
  }

  void print_assignment(const Step& step) {
    FormulaNames names = step_names(op_, step, {});
    names.gradient = [](uint16_t i) { return "grads[" + std::to_string(i) + "]"; };
    with_repeated(p_, *step.formula, std::move(names), [&](const FormulaNames& known) {
      print_assignment(step, formula_expression(*step.formula, known));
    });
  }

  void print_assignment(const Step& step, const std::string& text) {
    if (step.arguments.size() == 1) {
      p_.print({{"at", std::to_string(step.arguments[0])}, {"text", text}},
               "ow_call.set($at$, $text$);");
      return;
    }
    p_.print({{"text", text}}, "const auto gradients = $text$;");
    for (size_t i = 0; i < step.arguments.size(); ++i)
      p_.print({{"at", std::to_string(step.arguments[i])}, {"i", std::to_string(i)}},
               "ow_call.set($at$, std::get<$i$>(gradients));");
  }

  Printer& p_;
  const Operator& op_;
  const Signature s_;
  const BackwardPass& pass_;
};

std::string word(const char* name, size_t place) {
  return std::string(".") + name + "(" + std::to_string(place) + ")";
}

// What the node keeps, in the order of the pass.
std::string kept_words(const Operator& op) {
  const std::string& id = op.forms->functional->name.identifier;
  std::string text;
  size_t arguments = 0, results = 0;
  for (const Kept& kept : op.lowered->backward->kept) {
    if (kept.is_whole())
      text += word(kept.of_result() ? "save_result" : "save_argument", kept.what.index);
    else
      text += kept.of_result() ? word("save_of_results", results++)
                               : word("save_of_arguments", arguments++);
  }
  if (arguments > 0) text += ".of_arguments(&" + id + "_of_arguments)";
  if (results > 0) text += ".of_results(&" + id + "_of_results)";
  return text;
}

std::string constant_words(const Operator& op) {
  const BackwardPass& pass = *op.lowered->backward;
  std::string text = pass.fills() ? ".fills()" : "";
  for (size_t i = 0; i < pass.arguments.size(); ++i) {
    if (pass.arguments[i] == ArgumentGradient::zeros) text += ".zeros()";
    if (pass.arguments[i] == ArgumentGradient::refused) text += word("refused", i);
    if (pass.arguments[i] == ArgumentGradient::constant) text += word("constant", i);
  }
  for (size_t i = 0; i < pass.results.size(); ++i) {
    if (!pass.results[i]) text += word("constant_result", i);
  }
  return text;
}

}  // namespace

bool has_stable_gradient(const Operator& op) {
  return op.gradient->differentiability == Differentiability::formula &&
         op.forms->form != Form::out;
}

void print_stable_gradient(Printer& p, const Operator& op) { GradientPrinter(p, op).print(); }

std::string stable_gradient_words(const Operator& op) {
  if (!has_stable_gradient(op))
    return op.gradient->differentiability == Differentiability::none ? ".without_gradient()" : "";
  return kept_words(op) + constant_words(op) + ".gradient(&" +
         op.forms->functional->name.identifier + "_gradient)";
}

}  // namespace opweave::codegen

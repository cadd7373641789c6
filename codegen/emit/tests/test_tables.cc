// The table that generated tests run from: for each operator its arguments, sample domains, forms
// and dtypes, and for pointwise ones their expression in NumPy, as an independent reference.
#include "codegen/emit/functionalities/refused_inputs.h"
#include "codegen/emit/output/operator_list.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/python/python_face.h"
#include "codegen/emit/tests/test_references.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/expr/folds.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/model/declarations/derivative.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {

static std::string python_string(std::string_view text) { return quoted(text); }

// Along what is folded, or along a dimension that has a name.
static std::string coordinate_reference(const std::vector<NamedDim>& all, const ElementNode& node,
                                        const Operator& op) {
  if (node.index == kFoldedPlace) return "r.place()";
  const NamedDim& named = all[node.index - 1];
  const std::string dim = named.is_argument
                              ? "a[" + python_string(op.schema.arguments[named.argument].name) + "]"
                              : std::to_string(named.dim);
  return "r.coordinate(" + dim + ")";
}

std::string reference_expression(const ElementNode& node, const Operator& op) {
  const auto argument = [&] { return op.schema.arguments[node.index].name; };
  switch (node.op) {
    case ElementOp::argument:
      return "a[" + python_string(argument()) + "]";
    case ElementOp::literal:
      return node.type == ElementType::boolean ? python_bool(node.number != 0)
                                               : python_number(node.number);
    case ElementOp::has_value:
      return "(a[" + python_string(argument()) + "] is not None)";
    case ElementOp::string_equals:
      return "(a[" + python_string(argument()) + "] == " + python_string(node.text) + ")";
    case ElementOp::extent:
      return "r.extent()";
    case ElementOp::coordinate:
      return coordinate_reference(op.elements->fold->named, node, op);
    default:
      break;
  }
  const auto text = [&](const ElementNode* operand) { return reference_expression(*operand, op); };
  const std::string operands = comma_list(node.operands, text) + ")";
  if (is_sum_of_rows(node)) return "r.sum_of_rows(" + operands;
  if (node.op == ElementOp::fold)
    return "r.fold(" + python_string(fold_of(node).name) + ", " + operands;
  return "r." + std::string(element_op_name(node.op)) + "(" + operands;
}

namespace {

// `all`, `kept` or `folded`
std::string axes_text(AxisMask axes) {
  return python_string(axes == kAllAxes ? "all" : axes == kKeptAxes ? "kept" : "folded");
}

// Which dimensions are folded, in terms of a call's arguments.
std::string folded_dims(const Operator& op, const FoldDims& over) {
  const auto number = [](int64_t dim) { return std::to_string(dim); };
  const std::string name = over.names_argument()
                               ? "a[" + python_string(op.schema.arguments[over.argument].name) + "]"
                               : "";
  switch (over.kind) {
    case FoldDims::Kind::argument:
      return name;
    case FoldDims::Kind::last:
      return "list(range(-len(" + name + "), 0))";
    case FoldDims::Kind::every:
      return "None";
    case FoldDims::Kind::fixed:
      break;
  }
  return "[" + comma_list(over.dims, number) + "]";
}

// What an operator that folds gives, in NumPy.
std::string fold_reference(const Operator& op) {
  const FoldFormula* fold = op.elements->fold;
  if (fold == nullptr || fold->whole == kNoArgument) return "None";
  CommaList axes;
  for (size_t i = 0; i < fold->arguments.size(); ++i) {
    if (op.schema.arguments[i].type.is_tensor())
      axes.add(python_string(op.schema.arguments[i].name) + ": " + axes_text(fold->arguments[i]));
  }
  const auto value = [&](const ElementNode* node) { return reference_expression(*node, op); };
  const std::string keepdim =
      fold->keepdim < 0 ? "False"
                        : "a[" + python_string(op.schema.arguments[fold->keepdim].name) + "]";
  return "Fold(whole=" + python_string(op.schema.arguments[fold->whole].name) +
         ", over=lambda a: " + folded_dims(op, fold->over) + ", keepdim=lambda a: " + keepdim +
         ", axes={" + axes.text() + "}, results=[" + comma_list(fold->result_axes, axes_text) +
         "], values=lambda r, a: [" + comma_list(fold->results, value) + "])";
}

void print_argument(Printer& p, const Operator& op, const Argument& argument) {
  p.print(
      {{"name", python_string(argument.name)},
       {"type", python_string(print(argument.type))},
       {"keyword", python_bool(argument.keyword_only)},
       {"default", argument.default_value ? python_constant(*argument.default_value) : "REQUIRED"},
       {"sample", argument_sample(op, argument.name)}},
      "    Argument($name$, $type$, $keyword$, $default$, $sample$),");
}

std::string dtype_list(const Operator& op) {
  return "[" + comma_list(dtypes_of(op.selected->dtypes.bits), python_string) + "]";
}

std::string string_list(const std::vector<std::string>& texts) {
  return "[" + comma_list(texts, python_string) + "]";
}

std::string written_arguments(const Operator& op) {
  std::vector<std::string> names;
  for (uint16_t index : op.effects.mutated) names.push_back(op.schema.arguments[index].name);
  return string_list(names);
}

std::string return_types(const Operator& op) {
  std::vector<std::string> types;
  for (const Return& result : op.schema.returns) types.push_back(print(result.type));
  return string_list(types);
}

// `[[0, "self"]]`: result 0 is a view of `self`.
std::string viewed_arguments(const Operator& op) {
  const auto pair = [&](const ViewOf& view) {
    return "(" + std::to_string(view.result) + ", " +
           python_string(op.schema.arguments[view.argument].name) + ")";
  };
  return "[" + comma_list(op.effects.views, pair) + "]";
}

// Results that derivatives.yaml leaves without gradient.
std::string constant_results(const Operator& op) {
  CommaList list;
  for (size_t i = 0;
       op.gradient->derivative && i < op.gradient->derivative->differentiable_outputs.size(); ++i) {
    if (!op.gradient->derivative->differentiable_outputs[i]) list.add(std::to_string(i));
  }
  return "[" + list.text() + "]";
}

// `{"self": "derivatives.yaml:3"}`: where the gradient of each argument is said, and, by the name
// of a result, its forward rule.
std::string gradient_places(const Operator& op) {
  CommaList list;
  const auto add = [&](const std::string& name, const Span& span) {
    list.add(python_string(name) + ": " + python_string(place_of(span ? span : op.origin.span)));
  };
  if (op.gradient->derivative == nullptr) return "{}";
  for (const DerivativeFormula& formula : op.gradient->derivative->formulas) {
    for (uint16_t input : formula.inputs) add(op.schema.arguments[input].name, formula.span);
  }
  for (const ForwardFormula& formula : op.gradient->derivative->forward)
    add(result_name(op.schema, formula.output), formula.span);
  return "{" + list.text() + "}";
}

bool is_differentiable(const Operator& op) {
  return op.gradient->differentiability == Differentiability::formula ||
         op.gradient->differentiability == Differentiability::through;
}

void print_samples(Printer& p, const Operator& op) {
  p.print("    ],\n    samples=[");
  const bool own_samples = op.forms->functional == nullptr || op.forms->functional == &op;
  for (const std::string& call : sample_calls(own_samples ? op : *op.forms->functional)) {
    p.print({{"call", call}}, "        $call$,");
  }
  p.print("    ]),");
}

void print_operator(Printer& p, const Operator& op) {
  p.print(
      {{"full", python_string(op.name.full)},
       {"name", python_string(op.face->python_name)},
       {"module", python_string(op.face->python_module)},
       {"function", python_bool(op.face->function)},
       {"method", python_bool(op.face->method)},
       {"inplace", op.forms->inplace != nullptr
                       ? python_string(op.forms->inplace->face->python_name)
                       : "None"},
       {"out", python_bool(op.forms->out != nullptr)},
       {"views", viewed_arguments(op)},
       {"functional", op.forms->functional == nullptr || op.forms->functional == &op
                          ? "None"
                          : python_string(op.forms->functional->name.full)},
       {"writes", written_arguments(op)},
       {"returns", return_types(op)},
       {"tags", string_list(op.face->tags)},
       {"differentiable", python_bool(is_differentiable(op))},
       {"refuses",
        python_bool(op.gradient->differentiability == Differentiability::not_implemented)},
       {"constant_results", constant_results(op)},
       {"gradients", gradient_places(op)},
       {"refused", refused_names(op)},
       {"batched", python_bool(op.policies->batching != Batching::none)},
       {"pointwise", python_bool(op.lowered->batching.rule == BatchRule::pointwise)},
       {"int_to_float", python_bool(op.elements->promotion.compute == ComputeRule::int_to_float)},
       {"bool_result", python_bool(op.elements->promotion.result == ResultRule::boolean)},
       {"requires", python_bool(op.has_conditions())},
       {"dtypes", dtype_list(op)},
       {"place", python_string(place_of(op.origin.span))},
       {"by_hand", python_bool(op.computation->implementation == Implementation::kernels)},
       {"formula", formula_reference(op)},
       {"numpy",
        op.tests->numpy_reference.empty() ? "None" : python_string(op.tests->numpy_reference)},
       {"fold", fold_reference(op)},
       {"reference",
        op.is_expr() ? "lambda r, a: " + reference_expression(*op.elements->expr, op) : "None"}},
      "Operator(\n"
      "    full_name=$full$, name=$name$, module=$module$, function=$function$, method=$method$,\n"
      "    inplace=$inplace$, out=$out$, functional=$functional$, writes=$writes$,\n"
      "    returns=$returns$, views=$views$, tags=$tags$, differentiable=$differentiable$,\n"
      "    gradients=$gradients$, refused=$refused$, refuses_backward=$refuses$,\n"
      "    constant_results=$constant_results$, batched=$batched$, pointwise=$pointwise$,\n"
      "    int_to_float=$int_to_float$, bool_result=$bool_result$, requires=$requires$,\n"
      "    dtypes=$dtypes$,\n"
      "    place=$place$, by_hand=$by_hand$,\n"
      "    reference=$reference$,\n"
      "    formula=$formula$,\n"
      "    numpy=$numpy$,\n"
      "    fold=$fold$,\n"
      "    arguments=[");
  {
    Indented in(p);
    for (const Argument& argument : op.schema.arguments) print_argument(p, op, argument);
  }
  print_samples(p, op);
}

// Where an operator can run: what is not for every target is known to fail on the others.
void print_kernels(Printer& p, const Model& model) {
  p.print("\n# Operators with handwritten kernels, and for which targets.\nKERNELS = {");
  for (const Operator* op : model.operators().all()) {
    if (op->origin.imported || op->computation->targets.empty()) continue;
    p.print({{"name", python_string(op->name.full)},
             {"targets", string_list(op->computation->targets)}},
            "    $name$: $targets$,");
  }
  p.print("}");
}

bool is_tested(const Operator& op) {
  // Derived forms are tested with what they are derived from.
  if (!op.is_emitted() || op.computation->implementation == Implementation::derived) return false;
  return op.forms->form == Form::functional || !op.is_expr();
}

// Of the internal ones, which only `opweave.ops` calls, those that check what they are given.
bool is_listed(const Operator& op, bool internal) {
  return is_tested(op) && op.face->internal == internal && (!internal || op.rule != nullptr);
}

void print_list(Printer& p, const Model& model, std::string_view name, bool internal) {
  p.print({{"name", std::string(name)}}, "$name$ = [");
  for (const Operator* op : model.operators().all()) {
    if (!is_listed(*op, internal)) continue;
    Indented in(p);
    print_operator(p, *op);
  }
  p.print("]");
}

}  // namespace

void emit_test_tables(Output& output) {
  const Model& model = output.model;
  Printer p;
  p.print(
      "# Every public operator with its samples, and internal ones with rules, for the generated "
      "tests.\n"
      "# Generated from ops.yaml. Do not edit.\n"
      "from operator_table import REQUIRED, Argument, Drawn, Elements, Fold, Operator, Symbol\n");
  print_list(p, model, "OPERATORS", /*internal=*/false);
  p.print("");
  print_list(p, model, "INTERNAL", /*internal=*/true);
  print_kernels(p, model);
  output.add(p.take());
}

}  // namespace opweave::codegen

// Backward operators of folds.
#include "codegen/model/gradients/fold_backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/expr/element_renumber.h"
#include "codegen/expr/element_walk.h"
#include "codegen/model/entries/draft.h"
#include "codegen/model/folds/fold_differentiator.h"
#include "codegen/model/operators/fold_reader.h"
#include "codegen/model/rules/rule_checker.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kMask = "output_mask";

// `grad_output`, `grad_output1`
std::string numbered(std::string_view word, uint16_t index) {
  return index == 0 ? std::string(word) : fmt::format("{}{}", word, index);
}

}  // namespace

// Gradients first, then arguments in the operator's order, then results and what is known of
// arguments without their elements.
void FoldBackward::find_inputs() {
  std::set<uint16_t> read;
  std::unordered_set<const ElementNode*> seen;
  for (const auto& [argument, tree] : trees_) {
    walk(*tree, seen, [&](const ElementNode& node) {
      if (node.op == ElementOp::argument || node.op == ElementOp::has_value ||
          node.op == ElementOp::string_equals)
        read.insert(node.index);
    });
  }
  // Whether an optional one is there only it can say.
  for (const auto& [argument, tree] : trees_) {
    if (op_.schema.arguments[argument].type.optional) read.insert(argument);
  }
  if (fold_.over.names_argument()) read.insert(fold_.over.argument);
  for (const NamedDim& named : fold_.named) {
    if (named.is_argument) read.insert(named.argument);
  }
  for (uint16_t index : read) {
    if (is_fold_gradient(index)) add(Input::Kind::gradient, index - kFoldGradients);
  }
  for (uint16_t index : read) {
    if (index < kFoldGradients) add(Input::Kind::argument, index);
  }
  for (uint16_t index : read) {
    if (is_fold_result(index)) add(Input::Kind::result, index - kFoldResults);
  }
  for (const auto& [argument, tree] : trees_) {
    if (is_read(argument)) continue;
    add(Input::Kind::sizes, argument);
    add(Input::Kind::dtype, argument);
  }
  if (trees_.size() > 1) add(Input::Kind::mask, 0);
}

bool FoldBackward::several_gradients() const {
  const auto is_gradient = [](const Input& input) { return input.kind == Input::Kind::gradient; };
  return std::ranges::count_if(inputs_, is_gradient) > 1;
}

bool FoldBackward::is_read(uint16_t argument) const {
  return std::ranges::any_of(inputs_, [&](const Input& input) {
    return input.kind == Input::Kind::argument && input.index == argument;
  });
}

Argument FoldBackward::argument_for(const Input& input) const {
  Argument made;
  made.type = plain_type(BaseType::tensor);
  const auto& arguments = op_.schema.arguments;
  switch (input.kind) {
    case Input::Kind::gradient:
      made.name = numbered("grad_output", input.index);
      // What is not there is read as zeros; of one alone there is nothing to compute without it.
      made.type.optional = several_gradients();
      break;
    case Input::Kind::result:
      made.name = numbered("output", input.index);
      break;
    case Input::Kind::argument:
      made = arguments[input.index];
      made.type.alias.reset();
      made.default_value.reset();
      made.keyword_only = false;
      break;
    case Input::Kind::sizes:
      made.name = arguments[input.index].name + "_sizes";
      made.type = list_type(BaseType::integer);
      break;
    case Input::Kind::dtype:
      made.name = arguments[input.index].name + "_dtype";
      made.type = plain_type(BaseType::scalar_type);
      break;
    case Input::Kind::mask:
      made.name = kMask;
      made.type = list_type(BaseType::boolean);
      made.type.size = static_cast<int64_t>(trees_.size());
      break;
  }
  if (input.kind != Input::Kind::argument) {
    while (op_.schema.find_argument(made.name) >= 0) made.name += "_";
  }
  return made;
}

Schema FoldBackward::schema(const OperatorTable& table) const {
  Schema schema;
  std::string base = op_.name.base;
  if (!op_.name.overload.empty()) base += "_" + op_.name.overload;
  schema.base_name = table.free_name(base + "_backward");
  schema.span = schema.name_span = op_.origin.span;
  for (const Input& input : inputs_) schema.arguments.push_back(argument_for(input));
  schema.returns.resize(trees_.size());
  return schema;
}

// The same trees over the arguments of the operator that is made.
FoldFormula FoldBackward::formula() const {
  FoldFormula made;
  made.over = fold_.over;
  made.rare = op_.is_generated();
  std::vector<uint16_t> place_of(op_.schema.arguments.size());
  bool has_whole = false;
  for (uint16_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    AxisMask axes = 0;
    if (input.kind == Input::Kind::gradient || input.kind == Input::Kind::result)
      axes = fold_.result_axes[input.index];
    if (input.kind == Input::Kind::argument) {
      axes = fold_.arguments[input.index];
      place_of[input.index] = i;
    }
    made.arguments.push_back(axes);
    const bool there = !argument_for(input).type.optional;
    if (axes == kAllAxes && there && !has_whole) {
      made.whole = i;
      has_whole = true;
    }
  }
  made.over.argument = place_of[fold_.over.argument];
  made.axis = fold_.axis;
  made.named = fold_.named;
  for (NamedDim& named : made.named) named.argument = place_of[named.argument];
  if (!has_whole) made.whole = kNoArgument;
  Renumber renumber(storage_.elements, [&](uint16_t index) -> uint16_t {
    for (uint16_t i = 0; i < inputs_.size(); ++i) {
      const Input& input = inputs_[i];
      const uint16_t own = input.kind == Input::Kind::gradient ? kFoldGradients + input.index
                           : input.kind == Input::Kind::result ? kFoldResults + input.index
                                                               : input.index;
      const bool is_value = input.kind == Input::Kind::gradient ||
                            input.kind == Input::Kind::result ||
                            input.kind == Input::Kind::argument;
      if (is_value && own == index) return i;
    }
    return 0;  // not reached: all that trees read are inputs
  });
  for (const auto& [argument, tree] : trees_) {
    made.results.push_back(renumber.apply(tree));
    made.result_axes.push_back(fold_.arguments[argument]);
  }
  return made;
}

std::string FoldBackward::sizes_of(uint16_t argument) const {
  const Argument& of = op_.schema.arguments[argument];
  if (!is_read(argument)) return argument_for({Input::Kind::sizes, argument}).name;
  return of.type.optional ? fmt::format("{0} == none ? [] : {0}.sizes()", of.name)
                          : of.name + ".sizes()";
}

std::string FoldBackward::dtype_of(uint16_t argument) const {
  const Argument& of = op_.schema.arguments[argument];
  if (!is_read(argument)) return argument_for({Input::Kind::dtype, argument}).name;
  return of.type.optional ? fmt::format("{0} == none ? float32 : {0}.scalar_type()", of.name)
                          : of.name + ".scalar_type()";
}

void FoldBackward::give_rule(Operator& made, FormulaEnvironment& environment) {
  OperatorEntry entry;
  const auto text = [&](std::string words) {
    return storage_.made_text(fmt::format("(the rule of {})", made.name.full), std::move(words));
  };
  entry.rule.result_key = op_.origin.span;
  const std::string mask = argument_for({Input::Kind::mask, 0}).name;
  size_t index = 0;
  for (const auto& [argument, tree] : trees_) {
    OutputEntry& output = entry.rule.outputs.emplace_back();
    output.name = text(fmt::format("result{}", index));
    output.size = text(sizes_of(argument));
    output.dtype = text(dtype_of(argument));
    if (trees_.size() > 1) output.when = text(fmt::format("{}[{}]", mask, index));
    output.span = op_.origin.span;
    ++index;
  }
  made.rule.give(check_rule(storage_, {&made, &entry}, environment, sink_));
}

Operator& FoldBackward::make(OperatorTable& table, FormulaEnvironment& environment) {
  Origin origin = op_.origin;
  if (!origin.gradient_of) origin.gradient_of = &op_;
  Operator& made = storage_.operators.emplace_back(schema(table), origin);
  made.computation.give({.implementation = Implementation::kernels, .folds = true});
  made.forms.give({.functional = &made});
  made.face.give({.internal = true,
                  .python_name = made.name.base,
                  .doc = fmt::format("The gradients of '{}'.", op_.name.full)});
  made.policies.give({});
  made.tests.give({});
  const FoldFormula& folds = storage_.folds.emplace_back(formula());
  made.elements.give(elements_of(folds, made));
  made.dtypes.give({.computed = {dtypes::kCommonFloating}});
  made.formulas.give({});
  give_rule(made, environment);
  table.add(&made);
  return made;
}

const FormulaNode* FoldBackward::value_of(const Input& input) const {
  FormulaArena& arena = storage_.formulas;
  const Span span = op_.origin.span;
  const auto argument = [&]() -> FormulaNode& {
    FormulaNode& made =
        arena.make(FormulaKind::argument, op_.schema.arguments[input.index].type, span);
    made.index = input.index;
    return made;
  };
  switch (input.kind) {
    case Input::Kind::gradient:
    case Input::Kind::result: {
      const bool gradient = input.kind == Input::Kind::gradient;
      FormulaNode& made = arena.make(gradient ? FormulaKind::gradient : FormulaKind::result,
                                     plain_type(BaseType::tensor), span);
      made.index = input.index;
      Type optional = plain_type(BaseType::tensor);
      optional.optional = true;
      const bool converts = gradient && several_gradients();
      return converts ? arena.convert(&made, Conversion::to_optional, optional) : &made;
    }
    case Input::Kind::sizes:
    case Input::Kind::dtype: {
      const bool sizes = input.kind == Input::Kind::sizes;
      FormulaNode& made =
          arena.make(FormulaKind::property,
                     sizes ? list_type(BaseType::integer) : plain_type(BaseType::scalar_type), span,
                     {&argument()});
      made.property = sizes ? Property::sizes : Property::scalar_type;
      return &made;
    }
    case Input::Kind::mask: {
      Type type = list_type(BaseType::boolean);
      type.size = static_cast<int64_t>(trees_.size());
      return &arena.make(FormulaKind::grad_input_mask, type, span);
    }
    case Input::Kind::argument:
      break;
  }
  return &argument();
}

const FormulaNode* FoldBackward::call(const Operator& backward) {
  std::vector<const FormulaNode*> operands;
  for (const Input& input : inputs_) operands.push_back(value_of(input));
  const Type type = trees_.size() == 1 ? plain_type(BaseType::tensor) : plain_type(BaseType::tuple);
  FormulaNode& call = storage_.formulas.make(FormulaKind::call, type, op_.origin.span, operands);
  call.op = &backward;
  return &call;
}

}  // namespace opweave::codegen

// Evaluation of rules, of pointwise operators and of formulas over operators.
#include "codegen/shapes/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/shapes/arguments.h"
#include "codegen/shapes/arithmetic.h"
#include "codegen/shapes/effort.h"
#include "codegen/shapes/operations.h"
#include "codegen/shapes/pointwise_types.h"
#include "codegen/shapes/promotion.h"
#include "codegen/shapes/properties.h"

namespace opweave::codegen {
namespace {

// One operator's call.
class Frame {
 public:
  Frame(const Operator& op, const Values& arguments, Conditions& conditions)
      : op_(op),
        arguments_(arguments),
        conditions_(conditions),
        locals_(op.rule ? op.rule->locals.size() : 0) {}

  void check_requirements() {
    if (op_.rule == nullptr) return;
    for (const Requirement& requirement : op_.rule->requirements) check(requirement);
  }

  std::vector<ShapedTensor> by_rule() {
    const Rule& rule = *op_.rule;
    if (rule.data) {
      throw NoShape{
          fmt::format("{}(): the elements decide what its results look like", op_.name.full),
          NoShape::Kind::data};
    }
    if (rule.like) return by_formula(*rule.like);
    std::vector<ShapedTensor> results;
    for (const OutputRule& output : rule.outputs) results.push_back(output_of(output));
    return results;
  }

  // All tensors broadcast. The result lies in memory as they do.
  std::vector<ShapedTensor> pointwise() {
    Sizes sizes;
    bool dense = true;
    const ArithmeticConditions scope(conditions_);
    for (const Value& argument : arguments_) {
      const auto* tensor = argument.as<ShapedTensor>();
      if (!tensor || !tensor->defined) continue;
      sizes = rule::generic::broadcast<Size, Sizes>(sizes, tensor->sizes);
      dense = dense && tensor->strides == contiguous_strides(tensor->sizes);
    }
    const std::string dtype = pointwise_dtype(op_, arguments_);
    return {dense ? dense_tensor(sizes, dtype) : ShapedTensor{sizes, dtype}};
  }

  // What is written is returned.
  std::vector<ShapedTensor> written() {
    std::vector<ShapedTensor> results;
    for (uint16_t index : op_.effects.mutated) {
      if (const auto* tensor = arguments_[index].as<ShapedTensor>()) results.push_back(*tensor);
    }
    results.resize(std::min(results.size(), op_.schema.returns.size()));
    return results;
  }

  std::vector<ShapedTensor> by_formula(const FormulaNode& formula) {
    std::vector<ShapedTensor> results;
    const Value value = evaluate(formula);
    if (const auto* tensor = value.as<ShapedTensor>()) return {*tensor};
    if (const auto* several = value.as<Values>()) {
      for (const Value& item : *several) {
        if (const auto* tensor = item.as<ShapedTensor>()) results.push_back(*tensor);
      }
      if (results.size() == several->size()) return results;
    }
    // A list of no tensors is also one of no sizes.
    if (const auto* nothing = value.as<Sizes>(); nothing && nothing->empty()) return {};
    not_known("what it gives depends on numbers that are not known");
  }

 private:
  void check(const Requirement& requirement) {
    const Value value = evaluate(*requirement.condition);
    const auto* condition = value.as<Condition>();
    if (!condition) return;  // about what is not known here: a dtype, a device
    std::string message;
    if (condition->kind == Condition::Kind::no) {
      for (const MessagePart& part : requirement.message) {
        message += part.value ? text_of(evaluate(*part.value)) : part.text;
      }
    }
    try {
      conditions_.require(*condition, message);
    } catch (NoShape& refusal) {
      refusal.span = requirement.span;
      throw;
    }
  }

  [[noreturn]] void not_known(std::string_view what) const {
    throw NoShape{fmt::format("{}(): {}", op_.name.full, what), NoShape::Kind::unknown};
  }

  ShapedTensor output_of(const OutputRule& output) {
    if (output.when) {
      const Value when = evaluate(*output.when);
      const auto* condition = when.as<Condition>();
      if (condition && condition->kind == Condition::Kind::no) return {{}, "", false};
    }
    const Value sizes = evaluate(*output.sizes);
    if (!sizes.as<Sizes>()) not_known("its sizes are not known");
    check_sizes(*sizes.as<Sizes>(), output.sizes->span);
    ShapedTensor result = dense_tensor(*sizes.as<Sizes>(), dtype_of(output));
    // A view that does not say where it lies is sometimes a copy.
    if (op_.is_view()) result.strides.reset(), result.offset.reset();
    if (output.strides) place(result, evaluate(*output.strides));
    if (output.offset) place_at(result, evaluate(*output.offset));
    return result;
  }

  // No strides mean contiguous ones.
  void place(ShapedTensor& result, const Value& strides) const {
    const auto* list = strides.as<Sizes>();
    if (!list) {
      result.strides.reset();
    } else if (list->size() == result.sizes.size()) {
      result.strides = *list;
    } else if (!list->empty()) {
      throw NoShape{fmt::format("{}(): {} strides for {} sizes", op_.name.full, list->size(),
                                result.sizes.size())};
    }
  }

  static void place_at(ShapedTensor& result, const Value& offset) {
    const auto* at = offset.as<Size>();
    result.offset = at ? std::optional(*at) : std::nullopt;
  }

  std::string dtype_of(const OutputRule& output) {
    if (output.dtype) {
      const Value dtype = evaluate(*output.dtype);
      return dtype.as<DtypeName>() ? dtype.as<DtypeName>()->name : "";
    }
    const int index = reference_tensor(op_.schema);
    if (index < 0) return "";
    const Value& reference = arguments_[index];
    if (const auto* tensor = reference.as<ShapedTensor>()) return tensor->dtype;
    const auto* list = reference.as<Values>();
    const auto* first = list && !list->empty() ? list->front().as<ShapedTensor>() : nullptr;
    return first ? first->dtype : "";
  }

  Value evaluate(const FormulaNode& node) {
    try {
      Value value = unmeasured(node);
      Effort::spend(value);
      return value;
    } catch (NoShape& refusal) {
      if (!refusal.span) refusal.span = node.span;  // of the innermost
      throw;
    } catch (const rule::NoShape& refusal) {
      throw NoShape(refusal.why, refusal.kind, node.span);
    }
  }

  Value unmeasured(const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::argument:
        return arguments_[node.index];
      case FormulaKind::local:
        return local(node.index);
      case FormulaKind::named:
        return evaluate(node.operand(0));
      case FormulaKind::constant:
        return constant_value(*node.constant, node.type);
      case FormulaKind::property:
        return property(node);
      case FormulaKind::call:
        return call(node);
      case FormulaKind::function:
        return call_rule_function(*node.function, operands(node), conditions_);
      case FormulaKind::element:
      case FormulaKind::index:
        return element(node);
      case FormulaKind::list:
      case FormulaKind::tuple:
        return list(node);
      case FormulaKind::unary:
        return unary(node);
      case FormulaKind::binary:
        return binary(node);
      case FormulaKind::conditional:
        return conditional(node);
      case FormulaKind::convert:
        return convert(node);
      default:
        not_known("its formula reads what a call does not have");
    }
  }

  // Once, however often its name stands.
  const Value& local(size_t index) {
    if (!locals_[index]) locals_[index] = evaluate(*op_.rule->locals[index].value);
    return *locals_[index];
  }

  Values operands(const FormulaNode& node) {
    Values values;
    for (const FormulaNode* operand : node.operands) values.push_back(evaluate(*operand));
    return values;
  }

  Value property(const FormulaNode& node) {
    const Value of = evaluate(node.operand(0));
    const auto* tensor = of.as<ShapedTensor>();
    const bool asks = node.operands.size() > 1 && tensor && tensor->defined;
    const Value dim = asks ? evaluate(node.operand(1)) : Value{Unknown()};
    return property_of(node.property, of, dim, op_);
  }

  Value call(const FormulaNode& node) {
    const std::vector<ShapedTensor> results = results_of(*node.op, operands(node), conditions_);
    const auto& returns = node.op->schema.returns;
    if (results.size() == 1 && !returns[0].type.list) return {results[0]};
    Values values;
    for (const ShapedTensor& result : results) values.push_back({result});
    return {values};
  }

  void check_index(const Value& list, int64_t index) const {
    const auto* sizes = list.as<Sizes>();
    const auto* values = list.as<Values>();
    if (!sizes && !values) return;
    const size_t length = sizes ? sizes->size() : values->size();
    if (index >= 0 && static_cast<size_t>(index) < length) return;
    throw NoShape{fmt::format("{}(): index {} is out of range for a list of {} elements",
                              op_.name.full, index, length)};
  }

  Value element(const FormulaNode& node) {
    const Value list = evaluate(node.operand(0));
    size_t index = node.index;
    if (node.kind == FormulaKind::index) {
      const Value at = evaluate(node.operand(1));
      const auto number = at.as<Size>() ? at.as<Size>()->number() : std::nullopt;
      if (!number) return {Unknown()};
      index = static_cast<size_t>(*number);
      check_index(list, *number);
    }
    if (const auto* sizes = list.as<Sizes>(); sizes && index < sizes->size())
      return {(*sizes)[index]};
    if (const auto* values = list.as<Values>(); values && index < values->size())
      return (*values)[index];
    return {Unknown()};
  }

  Value list(const FormulaNode& node) {
    const Values values = operands(node);
    Sizes sizes;
    for (const Value& value : values) {
      if (const auto* size = value.as<Size>()) sizes.push_back(*size);
    }
    if (node.kind == FormulaKind::list && sizes.size() == values.size()) return {sizes};
    return {values};
  }

  Value unary(const FormulaNode& node) {
    const Value value = evaluate(node.operand(0));
    if (const auto* condition = value.as<Condition>(); condition && node.symbol == "!")
      return {negated(*condition)};
    if (const auto* size = value.as<Size>()) return {Size(0) - *size};
    if (const auto* number = value.as<double>()) return {-*number};
    return {Unknown()};
  }

  // Where nobody knows the first of two conditions, the second may decide all the same.
  Value behind_unknown(const FormulaNode& second, Condition::Kind decided) {
    try {
      Value value = evaluate(second);
      const auto* condition = value.as<Condition>();
      if (condition && condition->kind == decided) return value;
    } catch (const NoShape&) {  // it may have no meaning
    }
    return {Unknown()};
  }

  Value binary(const FormulaNode& node) {
    const Value a = evaluate(node.operand(0));
    // What stands behind a condition that decides may have no meaning.
    if (node.symbol == "&&" || node.symbol == "||") {
      const auto* left = a.as<Condition>();
      const auto decided = node.symbol == "&&" ? Condition::Kind::no : Condition::Kind::yes;
      if (!left) return behind_unknown(node.operand(1), decided);
      if (left->kind == decided) return a;
      const Value b = evaluate(node.operand(1));
      const auto* right = b.as<Condition>();
      if (!right) return {Unknown()};
      return {node.symbol == "&&" ? both(*left, *right) : either(*left, *right)};
    }
    return operation(node.symbol, a, evaluate(node.operand(1)));
  }

  Value conditional(const FormulaNode& node) {
    const Value value = evaluate(node.operand(0));
    const auto* condition = value.as<Condition>();
    if (!condition) return {Unknown()};
    if (condition->kind != Condition::Kind::open)
      return evaluate(node.operand(condition->kind == Condition::Kind::yes ? 1 : 2));
    const Value a = evaluate(node.operand(1)), b = evaluate(node.operand(2));
    const auto *x = a.as<Size>(), *y = b.as<Size>();
    if (x && y) return {rule::generic::Arithmetic<Size>::select(*condition, *x, *y)};
    not_known(fmt::format("what it gives depends on whether {}", condition->text));
  }

  Value convert(const FormulaNode& node) {
    Value value = evaluate(node.operand(0));
    switch (node.conversion) {
      case Conversion::number_to_tensor:
        return {number_tensor(value)};
      case Conversion::int_to_float:
        return real_number(value) ? Value{*real_number(value)} : value;
      case Conversion::none_to_tensor:
        return {ShapedTensor{{}, "", false}};
      case Conversion::int_to_list:
        if (const auto* size = value.as<Size>())
          return {Sizes(static_cast<size_t>(node.type.size.value_or(1)), *size)};
        return value;
      default:
        return value;
    }
  }

  const Operator& op_;
  const Values& arguments_;
  Conditions& conditions_;
  std::vector<std::optional<Value>> locals_;
};

// What is written keeps its dtype; in place, its sizes too.
std::vector<ShapedTensor> results_of_form(const Operator& op, const Values& arguments,
                                          Conditions& conditions) {
  Frame(op, arguments, conditions).check_requirements();
  const auto count = static_cast<ptrdiff_t>(op.forms->functional->schema.arguments.size());
  std::vector<ShapedTensor> results = results_of(
      *op.forms->functional, Values(arguments.begin(), arguments.begin() + count), conditions);
  for (size_t i = 0; i < results.size() && i < op.effects.mutated.size(); ++i) {
    const auto* target = arguments[op.effects.mutated[i]].as<ShapedTensor>();
    if (!target) continue;
    check_cast(results[i].dtype, target->dtype);
    if (op.forms->form == Form::inplace) {
      conditions.require(same(target->sizes, results[i].sizes),
                         fmt::format("output with shape {} doesn't match the broadcast shape {}",
                                     text_of(target->sizes), text_of(results[i].sizes)));
      results[i] = *target;
    }
    results[i].dtype = target->dtype;
  }
  return results;
}

// Rules that call one another without end are as deep as this.
constexpr int kMaxDepth = 100;

}  // namespace

std::vector<ShapedTensor> results_of(const Operator& op, const Values& arguments,
                                     Conditions& conditions) {
  static int depth = 0;
  const struct Level {
    Level() { ++depth; }
    ~Level() { --depth; }
  } level;
  if (depth > kMaxDepth)
    throw NoShape{fmt::format("the rule of '{}' leads back to itself", op.name.full),
                  NoShape::Kind::unknown};
  if (op.forms->form != Form::functional && op.forms->functional)
    return results_of_form(op, arguments, conditions);
  check_argument_dtypes(op, arguments);
  Frame frame(op, arguments, conditions);
  frame.check_requirements();
  if (op.rule && op.rule->describes_results()) return frame.by_rule();
  if (op.is_expr()) return frame.pointwise();
  if (op.formulas->composite) return frame.by_formula(*op.formulas->composite);
  if (!op.effects.mutated.empty()) return frame.written();
  throw NoShape{fmt::format("no rule says what '{}' gives", op.name.full), NoShape::Kind::unknown};
}

}  // namespace opweave::codegen

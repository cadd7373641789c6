// Checks of whole rules.
#include "codegen/model/rules/rule_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "codegen/expr/formula_guards.h"
#include "codegen/rules/functions.h"
#include "codegen/syntax/keywords.h"
#include "codegen/syntax/named_values.h"

namespace opweave::codegen {
namespace {

using Node = const FormulaNode*;

bool is_constant_name(std::string_view name) {
  return name == "true" || name == "false" || name == "none" || name == "inf" ||
         find_named_value(name) != nullptr;
}

class SenseChecker {
 public:
  SenseChecker(const Rule& rule, const RuleEntry& entry, const Schema& schema, DiagnosticSink& sink)
      : rule_(rule), entry_(entry), schema_(schema), sink_(sink), used_(rule.locals.size()) {}

  void check() {
    Given given;
    for (const Requirement& requirement : rule_.requirements) check_requirement(requirement, given);
    for (const OutputRule& output : rule_.outputs) check_output(output, given);
    if (rule_.like) visit(*rule_.like, given);
    for (size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i])
        sink_.error(Code::idle_rule, entry_.locals[i].first.whole(),
                    fmt::format("nothing reads the value '{}'", rule_.locals[i].name));
    }
  }

 private:
  using Given = GivenArguments;

  void check_requirement(const Requirement& requirement, Given& given) {
    check_condition(*requirement.condition, given);
    const Given failed = joined(given, implied(*requirement.condition, false));
    for (const MessagePart& part : requirement.message) {
      if (part.value) visit(*part.value, failed);
    }
    given = joined(given, implied(*requirement.condition, true));
    remember(*requirement.condition);
  }

  // `!train || mean != none` says of what follows that there is a mean wherever `!train` fails.
  void remember(const FormulaNode& condition) {
    if (condition.kind != FormulaKind::binary || condition.symbol != "||") return;
    Given& known = known_if_not_[std::string(condition.operand(0).span.text())];
    known = joined(known, implied(condition.operand(1), true));
    said_.clear();
  }

  void check_output(const OutputRule& output, Given given) {
    if (output.when) {
      check_condition(*output.when, given);
      given = joined(given, implied(*output.when, true));
    }
    for (Node node : {output.sizes, output.dtype, output.device, output.strides, output.offset}) {
      if (node) visit(*node, given);
    }
    check_sizes(*output.sizes);
    check_strides(output);
    if (output.strides) check_not_negative(*output.strides, "a stride");
    if (output.offset) check_not_negative(*output.offset, "the offset of a view");
    check_room(output);
  }

  void check_condition(const FormulaNode& condition, const Given& given) {
    visit(condition, given);
    if (!depends_on_call(condition))
      sink_.error(Code::idle_rule, condition.span,
                  "this condition does not depend on the call: it always holds, or never");
  }

  bool depends_on_call(const FormulaNode& node) {
    if (node.kind == FormulaKind::argument) return true;
    if (node.kind == FormulaKind::local) {
      std::optional<bool>& known = depends_[node.index];
      if (!known) known = depends_on_call(*rule_.locals[node.index].value);
      return *known;
    }
    return std::ranges::any_of(node.operands,
                               [&](Node operand) { return depends_on_call(*operand); });
  }

  // --- what may be none ---

  // Which arguments are given where the condition is `value`.
  Given implied(const FormulaNode& condition, bool value) const {
    const auto known = known_if_not_.find(std::string(condition.span.text()));
    const bool is_known = !value && known != known_if_not_.end();
    return joined(said_by(condition, value), is_known ? known->second : Given());
  }

  // Of a value once: one that reads another twice would double the questions.
  Given said_by(const FormulaNode& condition, bool value) const {
    if (condition.kind != FormulaKind::local) return given_by(condition, value, ask_);
    const std::pair key(condition.index, value);
    const auto known = said_.find(key);
    if (known != said_.end()) return known->second;
    return said_[key] = implied(*rule_.locals[condition.index].value, value);
  }

  void visit(const FormulaNode& node, const Given& given) {
    if (node.kind == FormulaKind::local) {
      used_[node.index] = true;
      // Once for what is known where it is read: values that read one twice would double it.
      if (visited_.emplace(node.index, given).second) visit(*rule_.locals[node.index].value, given);
      return;
    }
    if (node.kind == FormulaKind::property) check_question(node, given);
    value_of(node);
    check_division(node);
    check_index(node);
    for (size_t i = 0; i < node.operands.size(); ++i)
      visit(node.operand(i), joined(given, given_before(node, i, ask_)));
  }

  void check_question(const FormulaNode& node, const Given& given) {
    const FormulaNode& of = node.operand(0);
    const bool may_be_none = of.kind == FormulaKind::argument && of.type.is_tensor() &&
                             of.type.optional && node.property != Property::defined;
    if (!may_be_none || given.contains(of.index) || !reported_.insert(&node).second) return;
    const std::string& name = schema_.arguments[of.index].name;
    sink_.error(Code::type_mismatch, node.span,
                fmt::format("'{0}' may be none here: ask '{0} == none' first", name));
  }

  // --- numbers ---

  // Of numbers alone; nothing where the call decides. Reports what exceeds an int.
  std::optional<int64_t> value_of(const FormulaNode& node) {
    if (node.kind == FormulaKind::constant && node.constant->kind == Constant::Kind::integer)
      return node.constant->integer;
    if (node.kind == FormulaKind::local) {
      const auto found = values_.find(node.index);
      if (found != values_.end()) return found->second;
      return values_[node.index] = value_of(*rule_.locals[node.index].value);
    }
    const bool arithmetic = (node.kind == FormulaKind::unary || node.kind == FormulaKind::binary) &&
                            node.type.base == BaseType::integer;
    if (!arithmetic) return {};
    const auto a =
        node.operands.size() == 1 ? std::optional<int64_t>(0) : value_of(node.operand(0));
    const auto b = value_of(*node.operands.back());
    return a && b ? computed(node, *a, *b) : std::nullopt;
  }

  std::optional<int64_t> computed(const FormulaNode& node, int64_t a, int64_t b) {
    int64_t value = 0;
    const bool exceeds = node.symbol == "+"   ? __builtin_add_overflow(a, b, &value)
                         : node.symbol == "-" ? __builtin_sub_overflow(a, b, &value)
                                              : __builtin_mul_overflow(a, b, &value);
    if (!exceeds) return value;
    if (reported_.insert(&node).second)
      sink_.error(Code::out_of_bounds, node.span, "this number is out of the range of an int");
    return {};
  }

  // By a number that is 0 whatever the call is.
  void check_division(const FormulaNode& node) {
    if (node.kind != FormulaKind::function) return;
    const int divisor = rule_function(*node.function).divisor;
    if (divisor < 0) return;
    const FormulaNode& by = node.operand(static_cast<size_t>(divisor));
    if (value_of(by) != 0 || !reported_.insert(&node).second) return;
    sink_.error(Code::out_of_bounds, by.span,
                fmt::format("'{}' divides by '{}', which is 0 here", node.function->base_name,
                            node.function->arguments[divisor].name));
  }

  // `sizes[-1]`: an index counts from the front.
  void check_index(const FormulaNode& node) {
    if (node.kind != FormulaKind::index) return;
    const std::optional<int64_t> at = value_of(node.operand(1));
    if (!at || *at >= 0 || !reported_.insert(&node).second) return;
    sink_
        .error(
            Code::out_of_bounds, node.operand(1).span,
            fmt::format("the index {} is out of bounds: elements are counted from the front", *at))
        .note({},
              "x.size(-1) is the last size of a tensor; last(list, 1) are the last elements of a "
              "list, one of them");
  }

  void check_sizes(const FormulaNode& sizes) {
    if (sizes.kind != FormulaKind::list) return;
    int64_t product = 1;
    bool exceeds = false;
    check_not_negative(sizes, "a size");
    for (Node size : sizes.operands) {
      const auto value = value_of(*size);
      if (value && *value > 0) exceeds |= __builtin_mul_overflow(product, *value, &product);
    }
    if (exceeds)
      sink_.error(Code::out_of_bounds, sizes.span,
                  "the product of these sizes is out of the range of an int");
  }

  void check_not_negative(const FormulaNode& numbers, std::string_view what) {
    const Node one = &numbers;
    const bool list = numbers.kind == FormulaKind::list;
    for (Node number : list ? numbers.operands : std::span(&one, 1)) {
      const auto value = value_of(*number);
      if (value && *value < 0)
        sink_.error(Code::out_of_bounds, number->span,
                    fmt::format("{} is at least 0, not {}", what, *value));
    }
  }

  // Of a view all of whose sizes and strides are numbers: that some memory could hold it.
  void check_room(const OutputRule& output) {
    constexpr int64_t kMost = int64_t{1} << 56;  // an address has 57 bits at most
    const bool listed = output.strides && output.strides->kind == FormulaKind::list &&
                        output.sizes->kind == FormulaKind::list &&
                        output.strides->operands.size() == output.sizes->operands.size();
    if (!listed) return;
    int64_t last = output.offset ? value_of(*output.offset).value_or(0) : 0, step = 0;
    bool exceeds = false;
    for (size_t d = 0; d < output.sizes->operands.size(); ++d) {
      const auto size = value_of(output.sizes->operand(d));
      const auto stride = value_of(output.strides->operand(d));
      if (!size || !stride || *size <= 0 || *stride < 0) return;
      exceeds |= __builtin_mul_overflow(*size - 1, *stride, &step);
      exceeds |= __builtin_add_overflow(last, step, &last);
    }
    if (exceeds || last >= kMost)
      sink_.error(Code::out_of_bounds, output.sizes->span,
                  "no memory holds a view of these sizes and strides");
  }

  // No strides mean contiguous ones.
  void check_strides(const OutputRule& output) {
    const bool listed = output.strides && output.strides->kind == FormulaKind::list &&
                        output.sizes->kind == FormulaKind::list;
    if (!listed || output.strides->operands.empty()) return;
    const size_t strides = output.strides->operands.size(), sizes = output.sizes->operands.size();
    if (strides != sizes)
      sink_.error(Code::conflicting_statements, output.strides->span,
                  fmt::format("{} strides for {} sizes", strides, sizes));
  }

  const Rule& rule_;
  const RuleEntry& entry_;
  const Schema& schema_;
  DiagnosticSink& sink_;
  AskCondition ask_ = [this](const FormulaNode& condition, bool value) {
    return implied(condition, value);
  };
  std::vector<bool> used_;
  std::set<std::pair<size_t, Given>> visited_;
  std::map<size_t, std::optional<bool>> depends_;
  std::map<size_t, std::optional<int64_t>> values_;
  std::set<Node> reported_;
  mutable std::map<std::pair<uint32_t, bool>, Given> said_;  // by conditions that have a name
  std::map<std::string, Given> known_if_not_;                // by the text of a condition
};

}  // namespace

bool is_new_local(const LocatedText& name, const Schema& schema,
                  std::span<const FormulaLocal> before, DiagnosticSink& sink) {
  if (schema.find_argument(name.text) >= 0 ||
      std::ranges::count(before, name.text, &FormulaLocal::name) != 0) {
    sink.error(Code::names_collide, name.whole(),
               fmt::format("'{}' is the name of another value already", name.text));
  } else if (!is_identifier(name.text)) {
    sink.error(Code::expression_syntax, name.whole(),
               fmt::format("'{}' is no name: expressions could not say it", name.text));
  } else if (is_constant_name(name.text)) {
    sink.error(Code::names_collide, name.whole(),
               fmt::format("'{}' is the name of a constant already", name.text));
  } else if (is_cpp_type_or_macro(name.text) || is_reserved_in_cpp(name.text)) {
    sink.error(Code::reserved_name, name.whole(),
               fmt::format("the name '{}' means something else in C++", name.text));
  } else {
    return true;
  }
  return false;
}

bool check_local_value(const FormulaNode& value, DiagnosticSink& sink) {
  const Type& type = value.type;
  const bool refers =
      (type.list && (type.base != BaseType::integer || type.optional || type.element_optional)) ||
      type.base == BaseType::none;
  if (!refers || value.kind == FormulaKind::argument) return true;
  sink.error(
      Code::type_mismatch, value.span,
      fmt::format("a value of type {} cannot have a name: write it where it is used", print(type)));
  return false;
}

void check_sense(const Rule& rule, const RuleEntry& entry, const Schema& schema,
                 DiagnosticSink& sink) {
  SenseChecker(rule, entry, schema, sink).check();
}

}  // namespace opweave::codegen

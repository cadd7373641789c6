// The type checker of formulas.
#include "codegen/expr/formula_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "codegen/diagnostics/suggest.h"
#include "codegen/expr/formula_arithmetic.h"
#include "codegen/expr/formula_convert.h"
#include "codegen/expr/formula_guards.h"
#include "codegen/expr/formula_methods.h"
#include "codegen/expr/formula_names.h"
#include "codegen/expr/intrinsics.h"
#include "schema/constant_parser.h"

namespace opweave::codegen {
namespace {

using Node = const FormulaNode*;

const Intrinsic& kConjugate = *find_intrinsic(ElementOp::conj);

// Null from any function means: reported, give up on this subtree.
class FormulaChecker {
 public:
  FormulaChecker(const FormulaScope& scope, FormulaArena& arena, FormulaEnvironment& environment,
                 DiagnosticSink& sink)
      : scope_(scope),
        arena_(arena),
        environment_(environment),
        sink_(sink),
        names_(scope, arena, sink) {}

  Node check(const SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxKind::number:
        return number(node);
      case SyntaxKind::string:
        return string(node);
      case SyntaxKind::identifier:
        return names_.find(node);
      case SyntaxKind::unary:
      case SyntaxKind::binary:
        return operation(node);
      case SyntaxKind::conditional:
        return conditional(node);
      case SyntaxKind::call:
        return call(node);
      case SyntaxKind::method_call:
        return method(node);
      case SyntaxKind::index:
        return index(node);
      case SyntaxKind::list:
        return list(node);
      case SyntaxKind::group:
        return check(*node.operands[0]);
    }
    return nullptr;
  }

  Node check_as(const SyntaxNode& syntax, const Type& wanted) {
    Node node = check(syntax);
    return node ? as(node, wanted) : nullptr;
  }

  // The value of a whole formula. Calls take numbers for tensors, results are never meant to be so.
  Node check_result(const SyntaxNode& syntax, const Type& wanted) {
    Node node = check(syntax);
    if (!node) return nullptr;
    bool number = wanted.is_tensor() && !node->type.is_tensor() && !is_none(*node);
    if (!number || !conversion_cost(*node, wanted)) return as(node, wanted);
    return mismatch(syntax, fmt::format("a Tensor is needed here, not {}", print(node->type)));
  }

  // The wanted values, from a call with that many returns or a list of them.
  Node check_tuple(const SyntaxNode& syntax, std::span<const Type> wanted) {
    if (syntax.kind == SyntaxKind::group) return check_tuple(*syntax.operands[0], wanted);
    if (syntax.kind == SyntaxKind::list) return tuple_of_list(syntax, wanted);
    Node node = check(syntax);
    if (!node) return nullptr;
    bool fits = node->type.base == BaseType::tuple && tuple_size(*node) == wanted.size();
    if (fits) return node;
    std::string have = node->type.base == BaseType::tuple
                           ? fmt::format("{} values", tuple_size(*node))
                           : print(node->type);
    return mismatch(syntax, fmt::format("{} values are needed here, not {}", wanted.size(), have));
  }

  // Of the calls in what has been checked: what they call.
  const CalledSchemas& called() const { return called_; }

 private:
  Node mismatch(const SyntaxNode& node, std::string message) {
    sink_.error(Code::type_mismatch, node.span, std::move(message));
    return nullptr;
  }

  Node as(Node node, const Type& wanted) {
    if (conversion_cost(*node, wanted)) return convert_to(node, wanted, arena_);
    Type shown = wanted;
    shown.alias.reset();
    sink_.error(
        Code::type_mismatch, node->span,
        fmt::format("a value of type {} is needed here, not {}", print(shown), print(node->type)));
    return nullptr;
  }

  size_t tuple_size(const FormulaNode& node) {
    if (node.kind == FormulaKind::tuple) return node.operands.size();
    return called_.at(&node)->returns.size();
  }

  Node tuple_of_list(const SyntaxNode& syntax, std::span<const Type> wanted) {
    if (syntax.operands.size() != wanted.size()) {
      return mismatch(syntax, fmt::format("{} values are needed here, not {}", wanted.size(),
                                          syntax.operands.size()));
    }
    std::vector<Node> values;
    for (size_t i = 0; i < wanted.size(); ++i) {
      Node value = check_result(*syntax.operands[i], wanted[i]);
      if (!value) return nullptr;
      values.push_back(value);
    }
    return &arena_.make(FormulaKind::tuple, plain_type(BaseType::tuple), syntax.span, values);
  }

  Node number(const SyntaxNode& node) {
    Constant value = *schema::parse_number(node.text);
    bool integer = value.kind == Constant::Kind::integer;
    return arena_.constant(value, plain_type(integer ? BaseType::integer : BaseType::floating),
                           node.span);
  }

  Node string(const SyntaxNode& node) {
    Constant value;
    value.kind = Constant::Kind::string;
    value.text = fmt::format("'{}'", node.text);
    value.string = node.text;
    return arena_.constant(value, plain_type(BaseType::string), node.span);
  }

  Node operation(const SyntaxNode& node) {
    std::vector<Node> operands;
    bool tensors = false;
    for (const SyntaxNode* operand : node.operands) {
      Node checked = check(*operand);
      if (!checked) return nullptr;
      tensors = tensors || checked->type.is_tensor();
      operands.push_back(checked);
    }
    bool about_none = operands.size() == 2 && (is_none(*operands[0]) || is_none(*operands[1]));
    if (!tensors || about_none)
      return check_arithmetic(node, operands, instead_of(node, operands), arena_, sink_);
    std::vector<FormulaActual> actuals;
    for (Node operand : operands) actuals.push_back({operand, {}, {}});
    std::string_view name = operator_for_symbol(node.text, operands.size());
    return call_operator(name, node.text, node, actuals);
  }

  std::string_view instead_of(const SyntaxNode& node, const std::vector<Node>& operands) const {
    if (operands.size() != 2) return {};
    const bool lists = operands[0]->type.list && operands[1]->type.list;
    return environment_.instead_of(node.text, lists);
  }

  Node conditional(const SyntaxNode& node) {
    Node condition = check_as(*node.operands[0], plain_type(BaseType::boolean));
    Node then = check(*node.operands[1]);
    Node otherwise = check(*node.operands[2]);
    if (!condition || !then || !otherwise) return nullptr;
    std::optional<Type> type = common_type(*then, *otherwise);
    if (!type) {
      return mismatch(node, fmt::format("the two values of '?' have different types: {} and {}",
                                        print(then->type), print(otherwise->type)));
    }
    return &arena_.make(
        FormulaKind::conditional, *type, node.span,
        {condition, convert_to(then, *type, arena_), convert_to(otherwise, *type, arena_)});
  }

  Node method(const SyntaxNode& node) {
    Node receiver = check(*node.operands[0]);
    if (!receiver) return nullptr;
    if (!is_metadata_method(node.text, receiver->type)) return call(node, receiver);
    if (scope_.is_rule && node.text == "sizes_along")
      return mismatch(node, "'sizes_along' is for derivatives: rules have functions for lists");
    std::vector<Node> arguments;
    for (size_t i = 1; i < node.operands.size(); ++i) {
      Node argument = check(*node.operands[i]);
      if (!argument) return nullptr;
      arguments.push_back(argument);
    }
    return check_metadata_method(node, receiver, arguments, arena_, sink_);
  }

  // `first`: the already checked first operand, if there is one.
  Node call(const SyntaxNode& node, Node first = nullptr) {
    std::vector<FormulaActual> actuals;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      Node value = i == 0 && first ? first : check(*node.operands[i]);
      if (!value) return nullptr;
      actuals.push_back({value, node.keywords[i], node.keyword_spans[i]});
    }
    const bool derives = scope_.is_derivative || scope_.is_forward;
    if (derives && node.text == kConjugate.name) return conjugate(node, actuals);
    return call_operator(node.text, node.text, node, actuals);
  }

  // Real numbers are their own conjugates.
  Node conjugate(const SyntaxNode& node, std::span<const FormulaActual> actuals) {
    if (actuals.size() == 1 && actuals[0].keyword.empty() && !scope_.is_complex) {
      Type type = actuals[0].node->type;
      if (is_number(type) || type.is_tensor()) return actuals[0].node;
    }
    return call_operator(operator_of(kConjugate).name, node.text, node, actuals);
  }

  Node call_operator(std::string_view name, std::string_view written, const SyntaxNode& node,
                     std::span<const FormulaActual> actuals) {
    std::span<const FormulaCallable> overloads = environment_.overloads(name);
    if (overloads.empty()) return unknown_function(name, written, node);
    Node result = resolve_call(name, node.span, overloads, actuals, arena_, &sink_);
    if (!result || !result->op) return result;
    for (const FormulaCallable& callable : overloads) {
      if (callable.op == result->op) called_.emplace(result, callable.schema);
    }
    if (!scope_.is_derivative && result->op == scope_.op) {
      sink_.error(Code::recursive_expression, node.name_span,
                  fmt::format("'{}' calls itself here", scope_.schema->full_name()));
      return nullptr;
    }
    return result;
  }

  Node unknown_function(std::string_view name, std::string_view written, const SyntaxNode& node) {
    if (scope_.is_rule) return unknown_in_rule(name, written, node);
    if (name != written) {
      sink_.error(Code::unknown_function, node.name_span,
                  fmt::format("'{}' between tensors means the operator '{}', which does not exist",
                              written, name));
      return nullptr;
    }
    std::vector<std::string_view> names = environment_.operator_names();
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      sink_.error(
          Code::unknown_function, node.name_span,
          fmt::format("'{}' writes its arguments: formulas call only operators that do not", name));
      return nullptr;
    }
    unknown(name, node, fmt::format("unknown operator '{}'", name));
    return nullptr;
  }

  // Names of operators that formulas may call: what works in place they may not.
  std::vector<std::string_view> operators_of_formulas() const {
    std::vector<std::string_view> names = environment_.operator_names();
    std::erase_if(names, [](std::string_view name) { return name.ends_with('_'); });
    return names;
  }

  // With what says it, if that is known, or else the nearest name.
  Diagnostic& unknown(std::string_view name, const SyntaxNode& node, std::string message) {
    std::string_view said = environment_.instead_of(name, false);
    if (said.empty() && node.kind == SyntaxKind::method_call) said = attribute_hint(name);
    Diagnostic& error = sink_.error(Code::unknown_function, node.name_span, std::move(message));
    if (said.empty()) return error.suggest(closest(name, operators_of_formulas()));
    return error.note({}, std::string(said));
  }

  // Rules are evaluated before there is a result, on targets without elements, and with unknown
  // sizes.
  Node unknown_in_rule(std::string_view name, std::string_view written, const SyntaxNode& node) {
    if (name != written) {
      return mismatch(node, fmt::format("'{}' would compute with the elements of a tensor, which a "
                                        "rule does not know",
                                        written));
    }
    unknown(name, node, fmt::format("unknown rule function '{}'", name))
        .note({}, "'opweave explain rules' lists all");
    return nullptr;
  }

  Node index(const SyntaxNode& node) {
    if (names_.is_grads(*node.operands[0])) return names_.gradient(node);
    Node value = check(*node.operands[0]);
    if (!value) return nullptr;
    if (value->type.base == BaseType::tuple) return element(node, value);
    if (!value->type.list) {
      return mismatch(node,
                      fmt::format("a value of type {} cannot be indexed", print(value->type)));
    }
    Node at = check_as(*node.operands[1], plain_type(BaseType::integer));
    if (!at || !in_bounds(node, at, value->type.size.value_or(INT64_MAX))) return nullptr;
    Type type = plain_type(value->type.base);
    type.optional = value->type.element_optional;
    return &arena_.make(FormulaKind::index, type, node.span, {value, at});
  }

  // One of the results of an operator with several.
  Node element(const SyntaxNode& node, Node value) {
    Node at = check_as(*node.operands[1], plain_type(BaseType::integer));
    if (!at) return nullptr;
    if (at->kind != FormulaKind::constant) {
      return mismatch(*node.operands[1], "the results of an operator are indexed by a number only");
    }
    if (!in_bounds(node, at, static_cast<int64_t>(tuple_size(*value)), declaration(value)))
      return nullptr;
    auto number = static_cast<size_t>(at->constant->integer);
    FormulaNode& made = arena_.make(FormulaKind::element, called_.at(value)->returns[number].type,
                                    node.span, {value});
    made.index = static_cast<uint16_t>(number);
    return &made;
  }

  // Where the results of a call are declared.
  Span declaration(Node value) const {
    auto called = called_.find(value);
    return called == called_.end() ? Span{} : called->second->span;
  }

  bool in_bounds(const SyntaxNode& node, Node at, int64_t size, Span declared = {}) {
    if (at->kind != FormulaKind::constant) return true;
    int64_t value = at->constant->integer;
    if (value >= 0 && value < size) return true;
    Diagnostic& error = sink_.error(
        Code::out_of_bounds, node.operands[1]->span,
        fmt::format("the index {} is out of bounds: there are {} elements", value, size));
    if (declared) error.note(declared, "they are declared here");
    return false;
  }

  Node list(const SyntaxNode& node) {
    std::vector<Node> items;
    Type type = list_type(BaseType::integer);
    for (const SyntaxNode* operand : node.operands) {
      Node item = check(*operand);
      if (!item) return nullptr;
      if (item->type.list || item->type.base == BaseType::tuple) {
        return mismatch(*operand, "lists cannot be nested");
      }
      items.push_back(item);
    }
    Node first = nullptr;
    for (Node item : items) {
      if (is_none(*item)) {
        type.element_optional = true;
        continue;
      }
      if (!first) first = item;
      std::optional<Type> common = common_type(*first, *item);
      if (!common) return mixed_list(*first, *item);
      type.base = common->base;
    }
    return &arena_.make(FormulaKind::list, type, node.span, items);
  }

  Node mixed_list(const FormulaNode& first, const FormulaNode& other) {
    sink_
        .error(Code::type_mismatch, other.span,
               fmt::format("the elements of a list must be of one type: this one is of type {}",
                           print(other.type)))
        .note(first.span, fmt::format("and this one of type {}", print(first.type)));
    return nullptr;
  }

  const FormulaScope& scope_;
  FormulaArena& arena_;
  FormulaEnvironment& environment_;
  DiagnosticSink& sink_;
  NamesInScope names_;
  CalledSchemas called_;
};

}  // namespace

const FormulaNode* check_formula(const SyntaxNode& syntax, const FormulaScope& scope,
                                 std::span<const Type> wanted, FormulaArena& arena,
                                 FormulaEnvironment& environment, DiagnosticSink& sink) {
  FormulaChecker checker(scope, arena, environment, sink);
  const FormulaNode* formula = wanted.size() == 1 ? checker.check_result(syntax, wanted[0])
                                                  : checker.check_tuple(syntax, wanted);
  if (!formula || scope.is_rule) return formula;
  return check_guards(*formula, wanted, scope, checker.called(), sink) ? formula : nullptr;
}

const FormulaNode* check_value(const SyntaxNode& syntax, const FormulaScope& scope,
                               FormulaArena& arena, FormulaEnvironment& environment,
                               DiagnosticSink& sink) {
  return FormulaChecker(scope, arena, environment, sink).check(syntax);
}

}  // namespace opweave::codegen

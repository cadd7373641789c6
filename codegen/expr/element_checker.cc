// The type checker of pointwise expressions.
#include "codegen/expr/element_checker.h"

#include <fmt/format.h>

#include <limits>
#include <numbers>

#include "codegen/diagnostics/suggest.h"
#include "codegen/expr/element_bits.h"
#include "codegen/expr/element_call.h"
#include "codegen/expr/element_guards.h"
#include "codegen/expr/element_numbers.h"
#include "codegen/expr/intrinsics.h"
#include "schema/constant_parser.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

constexpr std::pair<std::string_view, double> kConstants[] = {
    {"pi", std::numbers::pi},
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()}};

// Null from any function means: reported, give up on this subtree.
class ElementChecker {
 public:
  ElementChecker(const Schema& schema, ElementArena& arena, ElementEnvironment& environment,
                 DiagnosticSink& sink, const FoldScope* folds)
      : schema_(schema), arena_(arena), environment_(environment), sink_(sink), folds_(folds) {}

  Node check_whole(const SyntaxNode& syntax) {
    Node root = check(syntax);
    return root && bits_.agree(sink_) ? root : nullptr;
  }

 private:
  Node check(const SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxKind::number:
        return number(node);
      case SyntaxKind::identifier:
        return identifier(node);
      case SyntaxKind::unary:
      case SyntaxKind::binary:
        return operation(node);
      case SyntaxKind::conditional:
        return select(node);
      case SyntaxKind::call:
      case SyntaxKind::method_call:
        return call(node);
      case SyntaxKind::group:
        return check(*node.operands[0]);
      case SyntaxKind::string:
        return fail(node, "a string can only be compared, with == or !=");
      case SyntaxKind::index:
        return fail(node, "indexing is not a pointwise operation");
      case SyntaxKind::list:
        return fail(node, "a list is not a pointwise value");
    }
    return nullptr;
  }

  Node fail(const SyntaxNode& node, std::string message) {
    sink_.error(Code::not_pointwise, node.span, std::move(message));
    return nullptr;
  }
  Node mismatch(const SyntaxNode& node, std::string message) {
    sink_.error(Code::type_mismatch, node.span, std::move(message));
    return nullptr;
  }

  Node as(ElementType type, Node node) {
    if (!node) return nullptr;
    return type == ElementType::boolean ? arena_.as_boolean(node) : arena_.as_value(node);
  }

  Node number(const SyntaxNode& node) {
    Constant constant = *schema::parse_number(node.text);
    if (!is_exact(constant)) {
      return mismatch(
          node, fmt::format("{} is no float64, as numbers of an expr are; the nearest is {:.0f}",
                            node.text, constant.real));
    }
    if (constant.kind == Constant::Kind::real) bits_.float_at(node.span, node.text);
    return arena_.literal(constant.real, constant.kind == Constant::Kind::real, node.span);
  }

  // The numbers of a tree are float64, where one whole number would become another.
  static bool is_exact(const Constant& number) {
    return number.kind != Constant::Kind::integer ||
           static_cast<long double>(number.integer) == static_cast<long double>(number.real);
  }

  Node identifier(const SyntaxNode& node) {
    int index = schema_.find_argument(node.text);
    if (index >= 0) return given_argument(node, static_cast<uint16_t>(index));
    if (Node value = folds_ ? folds_->find(node.text) : nullptr) return value;
    if (node.text == "true" || node.text == "false") {
      return arena_.boolean(node.text == "true", node.span);
    }
    for (const auto& [name, value] : kConstants) {
      if (node.text != name) continue;
      bits_.float_at(node.span, name);
      return arena_.literal(value, true, node.span);
    }
    if (node.text == "none") return mismatch(node, "none can only be compared, with == or !=");
    Suggester suggester(node.text);
    for (const Argument& argument : schema_.arguments) suggester.offer(argument.name);
    for (const char* value : {"true", "false", "none"}) suggester.offer(value);
    if (folds_) {
      for (const auto& [name, value] : folds_->values) suggester.offer(name);
    }
    sink_.error(Code::unknown_name, node.span, fmt::format("unknown name '{}'", node.text))
        .suggest(suggester.best());
    return nullptr;
  }

  // An optional argument has a value only where something has asked whether it is given.
  Node given_argument(const SyntaxNode& node, uint16_t index) {
    const bool may_be_none = schema_.arguments[index].type.optional && !guards_.knows(index);
    if (!may_be_none) return argument(node, index);
    return mismatch(node,
                    fmt::format("'{0}' may be none here: ask '{0} == none' first", node.text));
  }

  Node argument(const SyntaxNode& node, uint16_t index) {
    const Type& type = schema_.arguments[index].type;
    if (!type.list) {
      switch (type.base) {
        case BaseType::tensor:
          return arena_.argument(index, ElementType::value, false, false, node.span,
                                 folds_ ? folds_->arguments[index] : AxisMask{0});
        case BaseType::scalar:
        case BaseType::integer:
          return arena_.argument(index, ElementType::value, true, false, node.span);
        case BaseType::floating:
          bits_.float_at(node.span, node.text);
          return arena_.argument(index, ElementType::value, true, true, node.span);
        case BaseType::boolean:
          return arena_.argument(index, ElementType::boolean, true, false, node.span);
        case BaseType::string:
          return mismatch(
              node, fmt::format("the string '{}' can only be compared, with == or !=", node.text));
        default:
          break;
      }
    }
    return mismatch(node, fmt::format("'{}' is of type {}, which has no pointwise value", node.text,
                                      print(type)));
  }

  Node operation(const SyntaxNode& node) {
    bool is_equality = node.text == "==" || node.text == "!=";
    if (is_equality && is_special(*node.operands[0], *node.operands[1])) return special(node);
    const Intrinsic* intrinsic = find_intrinsic_symbol(node.text, node.operands.size());
    if (Node folded = negative_number(node)) return folded;
    return apply(node, *intrinsic);
  }

  // `-2` is a number, not a negation.
  Node negative_number(const SyntaxNode& node) {
    if (node.kind != SyntaxKind::unary || node.text != "-") return nullptr;
    if (node.operands[0]->kind != SyntaxKind::number) return nullptr;
    Constant constant = *schema::parse_number(node.operands[0]->text);
    if (!is_exact(constant)) return nullptr;  // the number itself says so
    return arena_.literal(-constant.real, constant.kind == Constant::Kind::real, node.span);
  }

  // Comparisons with none and of strings are about parameters, not elements.
  bool is_special(const SyntaxNode& a, const SyntaxNode& b) const {
    auto special = [](const SyntaxNode& n) {
      return n.kind == SyntaxKind::string || (n.kind == SyntaxKind::identifier && n.text == "none");
    };
    return special(a) || special(b);
  }

  Node special(const SyntaxNode& node) {
    const SyntaxNode* name = node.operands[0];
    const SyntaxNode* constant = node.operands[1];
    if (constant->kind == SyntaxKind::identifier && constant->text != "none") {
      std::swap(name, constant);
    }
    int index = name->kind == SyntaxKind::identifier ? schema_.find_argument(name->text) : -1;
    if (index < 0) return mismatch(*name, "only an argument can be compared with this");
    const Type& type = schema_.arguments[index].type;
    auto argument = static_cast<uint16_t>(index);
    if (constant->kind == SyntaxKind::string) {
      if (type.base != BaseType::string || type.list) {
        return mismatch(node,
                        fmt::format("'{}' is of type {}, not a string", name->text, print(type)));
      }
      return unless(node.text == "!=", arena_.string_equals(argument, constant->text, node.span));
    }
    if (!type.optional) {
      return mismatch(
          node, fmt::format("'{}' is of type {}, which is never none", name->text, print(type)));
    }
    return unless(node.text == "==", arena_.has_value(argument, node.span));
  }

  Node unless(bool negated, Node node) {
    return negated ? arena_.apply(ElementOp::logical_not, {node}, node->span) : node;
  }

  Node select(const SyntaxNode& node) {
    Node condition = as(ElementType::boolean, check(*node.operands[0]));
    if (!condition) return nullptr;
    Node then = check_where(*condition, true, *node.operands[1]);
    Node otherwise = check_where(*condition, false, *node.operands[2]);
    if (!then || !otherwise) return nullptr;
    if (then->type != otherwise->type) {
      then = arena_.as_value(then);
      otherwise = arena_.as_value(otherwise);
    }
    return arena_.apply(ElementOp::select, {condition, then, otherwise}, node.span);
  }

  // What is read only where the condition has that value.
  Node check_where(const ElementNode& condition, bool value, const SyntaxNode& syntax) {
    const ElementGuards::Scope scope(guards_, condition, value);
    return check(syntax);
  }

  Node call(const SyntaxNode& node) {
    if (node.text == "where" && node.operands.size() == 3) return select(node);
    if (folds_ && is_fold_call(node)) return fold(node);
    const Intrinsic* intrinsic = find_intrinsic(node.text);
    if (!intrinsic) return call_operator(node);
    return takes(*intrinsic, node) ? apply(node, *intrinsic) : nullptr;
  }

  Node fold(const SyntaxNode& node) {
    std::vector<Node> operands;
    for (const SyntaxNode* operand : node.operands) {
      operands.push_back(check(*operand));
      if (operands.back() == nullptr) return nullptr;
    }
    return fold_call(node, std::move(operands), *folds_, arena_, sink_);
  }

  bool takes(const Intrinsic& intrinsic, const SyntaxNode& node) {
    if (node.operands.size() != intrinsic.arity) {
      // In `np.exp(self)` it is `np` that nobody knows.
      if (node.kind == SyntaxKind::method_call && !check(*node.operands[0])) return false;
      const bool more = node.operands.size() > intrinsic.arity;
      sink_.error(Code::wrong_arguments, more ? node.operands[intrinsic.arity]->span : node.span,
                  fmt::format("'{}' takes {} argument{}, not {}", node.text, intrinsic.arity,
                              intrinsic.arity == 1 ? "" : "s", node.operands.size()));
      return false;
    }
    for (size_t i = 0; i < node.keywords.size(); ++i) {
      if (node.keywords[i].empty()) continue;
      sink_.error(Code::wrong_arguments, node.keyword_spans[i],
                  fmt::format("'{}' takes no keyword argument '{}'", node.text, node.keywords[i]));
      return false;
    }
    return true;
  }

  Node apply(const SyntaxNode& node, const Intrinsic& intrinsic) {
    std::vector<Node> operands = check_operands(node, intrinsic);
    bool all_boolean = true;
    for (Node operand : operands) {
      if (!operand) return nullptr;
      all_boolean = all_boolean && operand->type == ElementType::boolean;
    }
    if (intrinsic.op == ElementOp::conj && all_boolean) return operands[0];
    if (intrinsic.bitwise && all_boolean) {
      if (Node logic = bits_of_booleans(node, operands)) return logic;
    }
    if (intrinsic.bitwise) bits_.bits_at(node.name_span, node.text);
    if (intrinsic.needs_float) bits_.float_at(node.name_span, node.text);
    if (const auto wrong = meaningless_number(intrinsic.op, operands))
      return mismatch(*node.operands.back(), *wrong);
    for (Node& operand : operands) operand = as(intrinsic.operand, operand);
    return arena_.apply(intrinsic.op, operands, node.span);
  }

  // The second operand of `&&` matters where the first is true, that of `||` where it is false.
  std::vector<Node> check_operands(const SyntaxNode& node, const Intrinsic& intrinsic) {
    std::vector<Node> operands{check(*node.operands[0])};
    if (node.operands.size() < 2) return operands;
    const bool both = intrinsic.op == ElementOp::logical_and;
    const bool guards = operands[0] && (both || intrinsic.op == ElementOp::logical_or);
    operands.push_back(guards ? check_where(*operands[0], both, *node.operands[1])
                              : check(*node.operands[1]));
    return operands;
  }

  // `&`, `|`, `^` and `~` of truth values are the logical operations.
  Node bits_of_booleans(const SyntaxNode& node, std::vector<Node>& operands) {
    switch (find_intrinsic_symbol(node.text, operands.size())->op) {
      case ElementOp::bit_and:
        return arena_.apply(ElementOp::logical_and, operands, node.span);
      case ElementOp::bit_or:
        return arena_.apply(ElementOp::logical_or, operands, node.span);
      case ElementOp::bit_not:
        return arena_.apply(ElementOp::logical_not, operands, node.span);
      case ElementOp::bit_xor:
        for (Node& operand : operands) operand = arena_.as_value(operand);
        return arena_.apply(ElementOp::not_equal, operands, node.span);
      default:
        return nullptr;
    }
  }

  Node call_operator(const SyntaxNode& node) {
    if (!environment_.is_operator(node.text)) return unknown_function(node);
    std::vector<ElementCallable> overloads;
    if (!environment_.pointwise(node.text, node.name_span, overloads)) return nullptr;
    if (overloads.empty()) return not_pointwise(node);
    std::vector<ElementArgumentSyntax> arguments;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      ElementArgumentSyntax argument{.keyword = node.keywords[i],
                                     .keyword_span = node.keyword_spans[i],
                                     .span = node.operands[i]->span};
      if (!check_actual(*node.operands[i], argument.actual)) return nullptr;
      arguments.push_back(argument);
    }
    Node called = call_element(node, overloads, arguments, arena_, sink_);
    if (!called) return nullptr;
    if (const auto wrong = meaningless_number(*called)) return mismatch(node, *wrong);
    bits_.call_at(node.name_span, node.text, *called);
    return called;
  }

  Node not_pointwise(const SyntaxNode& node) {
    sink_
        .error(Code::not_pointwise, node.name_span,
               fmt::format("'{}' is not pointwise: an expr can call only intrinsics and operators "
                           "that are themselves given by expr",
                           node.text))
        .note(environment_.declaration(node.text), "it is declared here, without an expr");
    return nullptr;
  }

  // Arguments of calls may also be strings, none, and the caller's own optional arguments.
  bool check_actual(const SyntaxNode& node, ElementActual& actual) {
    if (node.kind == SyntaxKind::string) {
      actual.is_string = true;
      actual.string = node.text;
      return true;
    }
    if (node.kind == SyntaxKind::identifier) {
      if ((actual.none = node.text == "none")) return true;
      int index = schema_.find_argument(node.text);
      const Type* type = index >= 0 ? &schema_.arguments[index].type : nullptr;
      if (type && type->base == BaseType::string && !type->list) {
        actual.is_string = true;
        actual.string_argument = index;
        return true;
      }
      if (type && type->optional) {
        actual.optional_argument = index;
        actual.may_be_none = !guards_.knows(static_cast<uint16_t>(index));
        actual.node = argument(node, static_cast<uint16_t>(index));
        return actual.node != nullptr;
      }
    }
    actual.node = check(node);
    return actual.node != nullptr;
  }

  Node unknown_function(const SyntaxNode& node) {
    Suggester suggester(node.text);
    for (std::string_view name : intrinsic_names()) suggester.offer(name);
    for (std::string_view name : environment_.pointwise_names()) suggester.offer(name);
    if (folds_) {
      for (std::string_view name : fold_call_names()) suggester.offer(name);
    }
    sink_
        .error(Code::unknown_function, node.name_span,
               fmt::format("unknown function '{}'", node.text))
        .suggest(suggester.best());
    return nullptr;
  }

  const Schema& schema_;
  ElementArena& arena_;
  ElementEnvironment& environment_;
  DiagnosticSink& sink_;
  const FoldScope* folds_;
  ElementGuards guards_;
  BitsAndFloats bits_;
};

}  // namespace

const ElementNode* check_element(const SyntaxNode& syntax, const Schema& schema,
                                 ElementArena& arena, ElementEnvironment& environment,
                                 DiagnosticSink& sink, const FoldScope* folds) {
  return ElementChecker(schema, arena, environment, sink, folds).check_whole(syntax);
}

}  // namespace opweave::codegen

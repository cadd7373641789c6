// Typing of arithmetic on numbers.
#include "codegen/expr/formula_arithmetic.h"

#include <fmt/format.h>

#include "codegen/expr/formula_convert.h"

namespace opweave::codegen {
namespace {

using Node = const FormulaNode*;

bool is_one_of(std::string_view symbol, std::initializer_list<std::string_view> symbols) {
  for (std::string_view candidate : symbols) {
    if (symbol == candidate) return true;
  }
  return false;
}

bool is_truth(const Type& type) {
  return type.base == BaseType::boolean && !type.list && !type.optional;
}

class Arithmetic {
 public:
  Arithmetic(const SyntaxNode& syntax, std::string_view instead, FormulaArena& arena,
             DiagnosticSink& sink)
      : syntax_(syntax), instead_(instead), arena_(arena), sink_(sink) {}

  Node unary(Node operand) {
    bool fits = syntax_.text == "-" ? is_number(operand->type)
                                    : syntax_.text == "!" && is_truth(operand->type);
    if (!fits) {
      return fail(fmt::format("'{}' has no meaning for a value of type {}", syntax_.text,
                              print(operand->type)));
    }
    return make(FormulaKind::unary, operand->type, {operand});
  }

  Node binary(Node a, Node b) {
    std::string_view symbol = syntax_.text;
    bool equality = is_one_of(symbol, {"==", "!="});
    if (equality && (is_none(*a) || is_none(*b))) return presence(is_none(*a) ? b : a);
    bool numbers = is_number(a->type) && is_number(b->type);
    if (numbers && is_one_of(symbol, {"+", "-", "*", "/"})) return number(a, b);
    if (numbers && (equality || is_one_of(symbol, {"<", "<=", ">", ">="}))) return comparison(a, b);
    if (is_truth(a->type) && is_truth(b->type) && is_one_of(symbol, {"&&", "||"}))
      return truth(a, b);
    bool same_kind = a->type.base == b->type.base && !a->type.list && !b->type.list;
    if (equality && same_kind && a->type.base != BaseType::tuple) return truth(a, b);
    fail(fmt::format("'{}' has no meaning between {} and {}", symbol, print(a->type),
                     print(b->type)),
         instead_);
    return nullptr;
  }

 private:
  Node fail(std::string message, std::string_view instead = {}) {
    Diagnostic& error = sink_.error(Code::type_mismatch, syntax_.span, std::move(message));
    if (!instead.empty()) error.note({}, fmt::format("that is written {}", instead));
    return nullptr;
  }

  Node make(FormulaKind kind, Type type, std::initializer_list<Node> operands) {
    FormulaNode& node = arena_.make(kind, std::move(type), syntax_.span, operands);
    node.symbol = syntax_.text;
    return &node;
  }

  Node truth(Node a, Node b) {
    return make(FormulaKind::binary, plain_type(BaseType::boolean), {a, b});
  }

  // Scalar if one is, else float if one is; division is that of real numbers.
  BaseType common_base(Node a, Node b) const {
    for (BaseType base : {BaseType::scalar, BaseType::floating}) {
      if (a->type.base == base || b->type.base == base) return base;
    }
    return syntax_.text == "/" ? BaseType::floating : BaseType::integer;
  }

  static bool is_zero(const FormulaNode& node) {
    if (node.kind != FormulaKind::constant) return false;
    const Constant& value = *node.constant;
    return (value.kind == Constant::Kind::integer && value.integer == 0) ||
           (value.kind == Constant::Kind::real && value.real == 0);
  }

  Node number(Node a, Node b) {
    if (syntax_.text == "/" && is_zero(*b)) {
      sink_.error(Code::out_of_bounds, b->span, "a division by 0");
      return nullptr;
    }
    Type type = plain_type(common_base(a, b));
    return make(FormulaKind::binary, type,
                {convert_to(a, type, arena_), convert_to(b, type, arena_)});
  }

  Node comparison(Node a, Node b) {
    Type type = plain_type(common_base(a, b));
    return truth(convert_to(a, type, arena_), convert_to(b, type, arena_));
  }

  // `x == none` and `x != none`.
  Node presence(Node value) {
    bool tensor = value->type.is_tensor();
    if (!tensor && !value->type.optional) {
      return fail(fmt::format("a value of type {} is never none", print(value->type)));
    }
    FormulaNode& given =
        arena_.make(FormulaKind::property, plain_type(BaseType::boolean), syntax_.span, {value});
    given.property = tensor ? Property::defined : Property::has_value;
    if (syntax_.text == "!=") return &given;
    FormulaNode& absent = arena_.make(FormulaKind::unary, given.type, syntax_.span, {&given});
    absent.symbol = "!";
    return &absent;
  }

  const SyntaxNode& syntax_;
  std::string_view instead_;
  FormulaArena& arena_;
  DiagnosticSink& sink_;
};

}  // namespace

const FormulaNode* check_arithmetic(const SyntaxNode& node,
                                    const std::vector<const FormulaNode*>& operands,
                                    std::string_view instead, FormulaArena& arena,
                                    DiagnosticSink& sink) {
  Arithmetic arithmetic(node, instead, arena, sink);
  return operands.size() == 1 ? arithmetic.unary(operands[0])
                              : arithmetic.binary(operands[0], operands[1]);
}

}  // namespace opweave::codegen

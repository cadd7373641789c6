// Conversion costs and conversion nodes.
#include "codegen/expr/formula_convert.h"

#include <vector>

namespace opweave::codegen {
namespace {

// Making a tensor of a number is the last resort of overload resolution.
constexpr int kWrapCost = 10;

Type element_type(const Type& list) {
  Type element = plain_type(list.base);
  element.optional = list.element_optional;
  return element;
}

bool is_wrappable(const Type& type) {
  return is_number(type) || (type.base == BaseType::boolean && !type.list && !type.optional);
}

// The size of a list of numbers only says that one number may stand for that many; bool[N] is
// exact.
bool has_exact_size(const Type& type) { return type.size && type.base == BaseType::boolean; }

std::optional<int> list_cost(const FormulaNode& node, const Type& wanted) {
  if (node.kind == FormulaKind::list) {
    bool exact = has_exact_size(wanted);
    if (exact && static_cast<size_t>(*wanted.size) != node.operands.size()) return {};
    int total = 0;
    for (const FormulaNode* item : node.operands) {
      std::optional<int> cost = conversion_cost(*item, element_type(wanted));
      if (!cost) return {};
      total += *cost;
    }
    return total;
  }
  const Type& have = node.type;
  if (have.base != wanted.base) return {};
  if (have.list) {
    bool sizes_differ = has_exact_size(wanted) && have.size != wanted.size;
    bool loses_optional =
        have.element_optional && !wanted.element_optional && !have.is_tensor_like();
    return sizes_differ || loses_optional ? std::nullopt : std::optional(0);
  }
  bool repeats = have.base == BaseType::integer && !have.optional && wanted.size;
  return repeats ? std::optional(2) : std::nullopt;
}

std::optional<int> single_cost(const Type& have, const Type& wanted) {
  if (have.list) return {};
  if (wanted.is_tensor()) {
    if (have.is_tensor()) return 0;
    return is_wrappable(have) ? std::optional(kWrapCost) : std::nullopt;
  }
  if (have.base == wanted.base) return 0;
  bool to_number = wanted.base == BaseType::scalar || wanted.base == BaseType::floating;
  if (to_number && have.base == BaseType::integer) return 1;
  if (wanted.base != BaseType::scalar) return {};
  if (have.base == BaseType::floating) return 1;
  return have.base == BaseType::boolean ? std::optional(2) : std::nullopt;
}

const FormulaNode* convert_list(const FormulaNode* node, const Type& wanted, FormulaArena& arena) {
  if (node->kind == FormulaKind::list) {
    std::vector<const FormulaNode*> items;
    for (const FormulaNode* item : node->operands) {
      items.push_back(convert_to(item, element_type(wanted), arena));
    }
    Type type = wanted;
    type.optional = false;
    return &arena.make(FormulaKind::list, type, node->span, items);
  }
  if (node->type.list) return node;
  Type type = wanted;
  type.optional = false;
  return arena.convert(node, Conversion::int_to_list, type);
}

const FormulaNode* convert_single(const FormulaNode* node, const Type& wanted,
                                  FormulaArena& arena) {
  if (node->type.base == wanted.base) return node;
  Type type = plain_type(wanted.base);
  if (wanted.is_tensor()) return arena.convert(node, Conversion::number_to_tensor, type);
  if (wanted.base == BaseType::scalar) {
    return arena.convert(node, Conversion::number_to_scalar, type);
  }
  if (node->kind == FormulaKind::constant)
    return arena.constant_at(node->constant, type, node->span);
  return arena.convert(node, Conversion::int_to_float, type);
}

}  // namespace

bool is_number(const Type& type) {
  bool number = type.base == BaseType::integer || type.base == BaseType::floating ||
                type.base == BaseType::scalar;
  return number && !type.list && !type.optional;
}

bool is_none(const FormulaNode& node) { return node.type.base == BaseType::none; }

std::optional<int> conversion_cost(const FormulaNode& node, const Type& wanted) {
  if (is_none(node)) {
    if (wanted.optional) return 0;
    return wanted.is_tensor() ? std::optional(1) : std::nullopt;
  }
  bool loses_optional = node.type.optional && !wanted.optional && !node.type.is_tensor();
  if (loses_optional) return {};
  return wanted.list ? list_cost(node, wanted) : single_cost(node.type, wanted);
}

const FormulaNode* convert_to(const FormulaNode* node, const Type& wanted, FormulaArena& arena) {
  if (is_none(*node)) {
    if (wanted.is_tensor()) return arena.convert(node, Conversion::none_to_tensor, wanted);
    return arena.constant_at(node->constant, wanted, node->span);
  }
  const FormulaNode* value =
      wanted.list ? convert_list(node, wanted, arena) : convert_single(node, wanted, arena);
  bool wrap = wanted.optional && !value->type.optional && !wanted.is_tensor();
  return wrap ? arena.convert(value, Conversion::to_optional, wanted) : value;
}

std::optional<Type> common_type(const FormulaNode& a, const FormulaNode& b) {
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    Type wanted = to->type;
    wanted.optional = wanted.optional || is_none(*from) || from->type.optional;
    if (wanted.base != BaseType::none && conversion_cost(*from, wanted)) return wanted;
  }
  return {};
}

}  // namespace opweave::codegen

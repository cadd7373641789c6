// The table of pointwise operations, from intrinsics.def.
#include "codegen/expr/intrinsics.h"

#include <iterator>

namespace opweave::codegen {
namespace {

using Op = ElementOp;

constexpr std::string_view first_given(std::string_view text, std::string_view otherwise) {
  return text.empty() ? otherwise : text;
}

constexpr ElementType type_of(bool truth) {
  return truth ? ElementType::boolean : ElementType::value;
}

constexpr Intrinsic make(Op op, IntrinsicKind kind, Intrinsic row) {
  using Kind = IntrinsicKind;
  row.op = op;
  row.result = type_of(kind == Kind::test || kind == Kind::logic);
  row.operand = type_of(kind == Kind::logic);
  row.needs_float = kind == Kind::real;
  row.bitwise = kind == Kind::bits;
  row.target = first_given(row.target, row.name);
  row.math = first_given(row.math, row.name);
  return row;
}

constexpr Intrinsic kTable[] = {
#define OPWEAVE_INTRINSIC(op_, kind_, arity_, name_, symbol_, target_, math_, domain_, value, \
                          by_x, by_y, finite_)                                                \
  make(Op::op_, IntrinsicKind::kind_,                                                         \
       {.name = name_,                                                                        \
        .symbol = symbol_,                                                                    \
        .target = target_,                                                                    \
        .math = math_,                                                                        \
        .arity = arity_,                                                                      \
        .domain = IntrinsicDomain::domain_,                                                   \
        .finite = IntrinsicFinite::finite_,                                                   \
        .derivatives = {by_x, by_y}}),
#include "codegen/expr/intrinsics.def"
};

constexpr std::string_view kNames[] = {
    "argument",   "literal", "has_value", "string_equals", "to_value",
    "to_boolean", "fold",    "extent",    "coordinate",
#define OPWEAVE_INTRINSIC(op, ...) #op,
#define OPWEAVE_ELEMENT_OP(op) #op,
#include "codegen/expr/intrinsics.def"
};
static_assert(std::size(kNames) == static_cast<size_t>(Op::count_));

constexpr size_t kFirst = static_cast<size_t>(Op::add);

}  // namespace

std::span<const Intrinsic> intrinsics() { return kTable; }

const Intrinsic* find_intrinsic(ElementOp op) {
  if (op < Op::add || op == Op::select || op >= Op::count_) return nullptr;
  size_t index = static_cast<size_t>(op) - kFirst;
  return &kTable[op > Op::select ? index - 1 : index];
}

const Intrinsic* find_intrinsic(std::string_view function_name) {
  for (const Intrinsic& entry : kTable) {
    if (entry.name == function_name && !function_name.empty()) return &entry;
  }
  return nullptr;
}

const Intrinsic* find_intrinsic_symbol(std::string_view symbol, size_t arity) {
  for (const Intrinsic& entry : kTable) {
    if (entry.symbol == symbol && entry.arity == arity) return &entry;
  }
  return nullptr;
}

std::vector<std::string_view> intrinsic_names() {
  std::vector<std::string_view> names = {"where"};
  for (const Intrinsic& entry : kTable) {
    if (!entry.name.empty()) names.push_back(entry.name);
  }
  return names;
}

IntrinsicOperator operator_of(const Intrinsic& intrinsic) {
  switch (intrinsic.op) {
#define OPWEAVE_INTRINSIC_OPERATOR(op, name, first) \
  case Op::op:                                      \
    return {name, first};
#include "codegen/expr/intrinsics.def"
    default:
      return {first_given(intrinsic.name, intrinsic.target), {}};
  }
}

ComplexRules complex_rules(const Intrinsic& intrinsic) {
  constexpr std::string_view kSame = "as above";
  const auto rule = [&](std::string_view text, size_t i) {
    return text == kSame ? intrinsic.derivatives[i] : text;
  };
  switch (intrinsic.op) {
#define OPWEAVE_INTRINSIC_COMPLEX(op, by_x, by_y, by_conj) \
  case Op::op:                                             \
    return {true, {rule(by_x, 0), rule(by_y, 1)}, by_conj};
#include "codegen/expr/intrinsics.def"
    default:
      return {};
  }
}

std::string_view operator_for_symbol(std::string_view symbol, size_t arity) {
  const Intrinsic* intrinsic = find_intrinsic_symbol(symbol, arity);
  return intrinsic != nullptr ? operator_of(*intrinsic).name : std::string_view();
}

std::string_view element_op_name(ElementOp op) { return kNames[static_cast<size_t>(op)]; }

}  // namespace opweave::codegen

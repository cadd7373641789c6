// The table of pointwise operations. Derivatives follow PyTorch at kinks and ties.
#include "codegen/expr/intrinsics.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

using Op = ElementOp;
using Derivatives = std::array<std::string_view, 2>;

constexpr Intrinsic arithmetic(Op op, std::string_view name, std::string_view symbol,
                               Derivatives derivatives, bool needs_float = false) {
  return {op,          name,  symbol,     2, ElementType::value, ElementType::value,
          needs_float, false, derivatives};
}
constexpr Intrinsic comparison(Op op, std::string_view symbol) {
  return {op, "", symbol, 2, ElementType::boolean, ElementType::value, false, false, {}};
}
constexpr Intrinsic logic(Op op, std::string_view symbol, uint8_t arity) {
  return {op, "", symbol, arity, ElementType::boolean, ElementType::boolean, false, false, {}};
}
constexpr Intrinsic bits(Op op, std::string_view symbol, uint8_t arity) {
  return {op, "", symbol, arity, ElementType::value, ElementType::value, false, true, {}};
}
// A function of floats.
constexpr Intrinsic real(Op op, std::string_view name, std::string_view derivative) {
  return {op, name, "", 1, ElementType::value, ElementType::value, true, false, {derivative, ""}};
}
// A function of any numbers.
constexpr Intrinsic any(Op op, std::string_view name, std::string_view derivative) {
  return {op, name, "", 1, ElementType::value, ElementType::value, false, false, {derivative, ""}};
}
constexpr Intrinsic test(Op op, std::string_view name) {
  return {op, name, "", 1, ElementType::boolean, ElementType::value, false, false, {}};
}

constexpr Intrinsic kTable[] = {
    arithmetic(Op::add, "", "+", {"1", "1"}),
    arithmetic(Op::subtract, "", "-", {"1", "-1"}),
    arithmetic(Op::multiply, "", "*", {"y", "x"}),
    arithmetic(Op::divide, "", "/", {"1 / y", "-r / y"}, true),
    arithmetic(Op::remainder, "remainder", "%", {"1", "-floor_div(x, y)"}),
    {Op::negate, "neg", "-", 1, ElementType::value, ElementType::value, false, false, {"-1", ""}},
    comparison(Op::less, "<"),
    comparison(Op::less_equal, "<="),
    comparison(Op::greater, ">"),
    comparison(Op::greater_equal, ">="),
    comparison(Op::equal, "=="),
    comparison(Op::not_equal, "!="),
    logic(Op::logical_and, "&&", 2),
    logic(Op::logical_or, "||", 2),
    logic(Op::logical_not, "!", 1),
    bits(Op::bit_and, "&", 2),
    bits(Op::bit_or, "|", 2),
    bits(Op::bit_xor, "^", 2),
    bits(Op::bit_not, "~", 1),
    bits(Op::shift_left, "<<", 2),
    bits(Op::shift_right, ">>", 2),
    real(Op::exp, "exp", "r"),
    real(Op::exp2, "exp2", "r * 0.6931471805599453"),
    real(Op::expm1, "expm1", "r + 1"),
    real(Op::log, "log", "1 / x"),
    real(Op::log2, "log2", "1 / (x * 0.6931471805599453)"),
    real(Op::log10, "log10", "1 / (x * 2.302585092994046)"),
    real(Op::log1p, "log1p", "1 / (x + 1)"),
    real(Op::sqrt, "sqrt", "0.5 / r"),
    real(Op::rsqrt, "rsqrt", "-0.5 * (r * r * r)"),
    real(Op::sin, "sin", "cos(x)"),
    real(Op::cos, "cos", "-sin(x)"),
    real(Op::tan, "tan", "1 + r * r"),
    real(Op::asin, "asin", "rsqrt(1 - x * x)"),
    real(Op::acos, "acos", "-rsqrt(1 - x * x)"),
    real(Op::atan, "atan", "1 / (x * x + 1)"),
    real(Op::sinh, "sinh", "cosh(x)"),
    real(Op::cosh, "cosh", "sinh(x)"),
    real(Op::tanh, "tanh", "1 - r * r"),
    real(Op::asinh, "asinh", "rsqrt(x * x + 1)"),
    real(Op::acosh, "acosh", "rsqrt(x * x - 1)"),
    real(Op::atanh, "atanh", "1 / (1 - x * x)"),
    real(Op::erf, "erf", "1.1283791670955126 * exp(-(x * x))"),
    real(Op::erfc, "erfc", "-1.1283791670955126 * exp(-(x * x))"),
    real(Op::erfinv, "erfinv", "0.886226925452758 * exp(r * r)"),
    real(Op::lgamma, "lgamma", "digamma(x)"),
    real(Op::digamma, "digamma", "trigamma(x)"),
    real(Op::trigamma, "trigamma", ""),
    real(Op::sigmoid, "sigmoid", "(1 - r) * r"),
    real(Op::reciprocal, "reciprocal", "-(r * r)"),
    any(Op::floor, "floor", "0"),
    any(Op::ceil, "ceil", "0"),
    any(Op::round, "round", "0"),
    any(Op::trunc, "trunc", "0"),
    any(Op::abs, "abs", "sign(x)"),
    any(Op::sign, "sign", "0"),
    any(Op::square, "square", "2 * x"),
    any(Op::relu, "relu", "r > 0 ? 1 : 0"),
    arithmetic(Op::pow, "pow", "",
               {"y == 0 ? 0 : y * pow(x, y - 1)", "x == 0 && y >= 0 ? 0 : r * log(x)"}),
    arithmetic(Op::atan2, "atan2", "", {"y / (x * x + y * y)", "-x / (x * x + y * y)"}, true),
    arithmetic(Op::hypot, "hypot", "", {"x / r", "y / r"}),
    arithmetic(Op::fmod, "fmod", "", {"1", "-trunc_div(x, y)"}),
    arithmetic(Op::floor_div, "floor_div", "", {"0", "0"}),
    arithmetic(Op::trunc_div, "trunc_div", "", {"0", "0"}),
    arithmetic(Op::maximum, "max", "",
               {"x == y ? 0.5 : x < y ? 0 : 1", "x == y ? 0.5 : x > y ? 0 : 1"}),
    arithmetic(Op::minimum, "min", "",
               {"x == y ? 0.5 : x > y ? 0 : 1", "x == y ? 0.5 : x < y ? 0 : 1"}),
    arithmetic(Op::copysign, "copysign", "", {"x == 0 ? 0 : r / x", "0"}, true),
    test(Op::isnan, "isnan"),
    test(Op::isinf, "isinf"),
    test(Op::isfinite, "isfinite"),
};

constexpr size_t kFirst = static_cast<size_t>(Op::add);

// `select` is in ElementOp between the operators and the functions, but not in the table.
constexpr bool is_in_order() {
  size_t expected = kFirst;
  for (const Intrinsic& entry : kTable) {
    if (expected == static_cast<size_t>(Op::select)) ++expected;
    if (static_cast<size_t>(entry.op) != expected++) return false;
  }
  return expected == static_cast<size_t>(Op::count_);
}
static_assert(is_in_order(), "the table follows ElementOp");

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

std::string_view element_op_name(ElementOp op) {
  constexpr std::string_view kNames[] = {
      "argument",    "literal",    "has_value",   "string_equals", "to_value",  "to_boolean",
      "add",         "subtract",   "multiply",    "divide",        "remainder", "negate",
      "less",        "less_equal", "greater",     "greater_equal", "equal",     "not_equal",
      "logical_and", "logical_or", "logical_not", "bit_and",       "bit_or",    "bit_xor",
      "bit_not",     "shift_left", "shift_right", "select"};
  if (op == Op::maximum) return "maximum";
  if (op == Op::minimum) return "minimum";
  return op <= Op::select ? kNames[static_cast<size_t>(op)] : find_intrinsic(op)->name;
}

}  // namespace opweave::codegen

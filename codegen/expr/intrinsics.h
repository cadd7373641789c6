// The operations of pointwise expressions: names, types and derivatives, in one table.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// What a function of the table takes and gives.
enum class IntrinsicKind : uint8_t {
  number,  // numbers of any kind, and gives one
  real,    // numbers, and makes floats of them
  test,    // numbers, and gives a truth value
  logic,   // truth values
  bits,    // numbers of integral and boolean dtypes
};

// Where the first operand may be for a function to have a value and a derivative.
enum class IntrinsicDomain : uint8_t {
  real,
  positive,
  unit,       // between -1 and 1
  above_one,  // above 1
};

// Where a function of finite numbers gives a finite number.
enum class IntrinsicFinite : uint8_t {
  everywhere,
  positive,
  not_negative,
  above_minus_one,
  nonzero,       // the last operand
  within_one,    // -1 < x < 1
  up_to_one,     // -1 <= x <= 1
  from_one,      // x >= 1
  cosine,        // cos(x) is not 0
  no_pole,       // not at 0, -1, -2, ...
  last_no_pole,  // the last operand is not 0, -1, -2, ...
  power,         // as pow(x, y)
};

struct Intrinsic {
  ElementOp op = ElementOp::count_;
  std::string_view name;    // as a function in expressions; empty if it is written as a symbol only
  std::string_view symbol;  // as an operator; empty if there is none
  std::string_view target;  // in the vocabulary of targets
  std::string_view math;    // in formulas of the documentation: `arcsin`, `log_2`, `erf^-1`
  uint8_t arity = 1;
  ElementType result = ElementType::value;
  ElementType operand = ElementType::value;  // of all operands
  bool needs_float = false;
  bool bitwise = false;  // for integral and boolean dtypes only
  IntrinsicDomain domain = IntrinsicDomain::real;
  IntrinsicFinite finite = IntrinsicFinite::everywhere;
  // The derivative by each operand, in the expression language itself: `x` and `y` are the
  // operands, `r` is the result. Empty: there is none that this table could say.
  std::array<std::string_view, 2> derivatives = {};
};

// What a formula over tensors calls: `polygamma(1, x)`.
struct IntrinsicOperator {
  std::string_view name;
  std::string_view first;  // a number in front of the operands; empty if there is none
};
IntrinsicOperator operator_of(const Intrinsic& intrinsic);
// The derivatives where operands are complex numbers, by x and y and, of what is not holomorphic,
// by conj(x); each as in the table.
struct ComplexRules {
  bool exist = false;  // false: the function has no value there
  std::array<std::string_view, 2> derivatives = {};
  std::string_view by_conjugate;
};
ComplexRules complex_rules(const Intrinsic& intrinsic);
// Which operator a symbol between tensors stands for: `a + b` is `add(a, b)`. Empty if it has no
// meaning for them.
std::string_view operator_for_symbol(std::string_view symbol, size_t arity);

// In the order of ElementOp, from `add` on.
std::span<const Intrinsic> intrinsics();
// Null for leaves, conversions and `select`, which are not in the table.
const Intrinsic* find_intrinsic(ElementOp op);
const Intrinsic* find_intrinsic(std::string_view function_name);
const Intrinsic* find_intrinsic_symbol(std::string_view symbol, size_t arity);
// The names that may be called in an expression, `where` included.
std::vector<std::string_view> intrinsic_names();

}  // namespace opweave::codegen

// Types formulas over operators (`composite`, derivatives) and resolves every call in them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/formula_arena.h"
#include "codegen/expr/formula_call.h"
#include "codegen/expr/syntax.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// What formulas can call.
class FormulaEnvironment {
 public:
  virtual ~FormulaEnvironment() = default;
  // The overloads that mutate nothing; empty if there are none.
  virtual std::span<const FormulaCallable> overloads(std::string_view base_name) = 0;
  virtual std::vector<std::string_view> operator_names() const = 0;
  // How a call says what a symbol between two values would, or a name that is none, if it does;
  // else empty: `same(a, b)` for `==` between lists.
  virtual std::string_view instead_of(std::string_view, bool /*between_lists*/) const { return {}; }
};

// A value to which `let` has given a name: of a rule, or as a part of a composite.
struct FormulaLocal {
  std::string_view name;
  const FormulaNode* value = nullptr;  // null: it is wrong, which has been reported
};

// Which names a formula sees.
struct FormulaScope {
  const Schema* schema = nullptr;  // of the operator that the formula belongs to
  const Operator* op = nullptr;    // calling it from its own composite would never end
  bool is_derivative = false;      // grad, grads, result and grad_input_mask exist
  size_t inputs = 1;               // of a derivative: how many inputs the formula is for
  bool is_forward = false;         // self_t, self_p and result exist for every argument `self`
  bool is_complex = false;         // of a derivative: the operator takes complex numbers
  bool is_rule = false;            // of what a call requires and gives: elements are not known
  std::span<const FormulaLocal> locals = {};  // of a rule
  std::span<const FormulaLocal> parts = {};   // of a composite
};

// The formula as a value of the wanted type; as a tuple if several are wanted. Null if it is wrong,
// which has been reported.
const FormulaNode* check_formula(const SyntaxNode& syntax, const FormulaScope& scope,
                                 std::span<const Type> wanted, FormulaArena& arena,
                                 FormulaEnvironment& environment, DiagnosticSink& sink);

// The same where any type will do.
const FormulaNode* check_value(const SyntaxNode& syntax, const FormulaScope& scope,
                               FormulaArena& arena, FormulaEnvironment& environment,
                               DiagnosticSink& sink);

// The name in formulas of an output: its own, or `result`, `result0`, `result1`, ...
std::string result_name(const Schema& schema, size_t index);

}  // namespace opweave::codegen

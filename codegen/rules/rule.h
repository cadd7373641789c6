// What an operator requires of its arguments, and what its results look like before any kernel has
// run: the typed form of the keys `let`, `require` and `result`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/expr/formula.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// Text with values in it: `self must be a matrix, got {self.dim()}-D tensor`.
struct MessagePart {
  std::string text;
  const FormulaNode* value = nullptr;  // null: text alone
};

// Of which Python class an error is; RuntimeError unless the message begins with another.
enum class ErrorClass : uint8_t { runtime, type, value, index, not_implemented };
std::string_view error_class_name(ErrorClass error);  // `RuntimeError`
// All, in that order.
std::span<const std::string_view> error_class_names();

struct Requirement {
  const FormulaNode* condition = nullptr;
  ErrorClass error = ErrorClass::runtime;
  std::vector<MessagePart> message;
  Span span;  // of the condition
};

// One result.
struct OutputRule {
  const FormulaNode* sizes = nullptr;   // int[]
  const FormulaNode* dtype = nullptr;   // null: that of the first tensor
  const FormulaNode* device = nullptr;  // null: that of the first tensor
  const FormulaNode* strides =
      nullptr;                          // int[]; null: contiguous; of a view those of what it views
  const FormulaNode* offset = nullptr;  // int, of a view: its place in memory; null: likewise
  const FormulaNode* when = nullptr;    // bool: whether there is one; null: there is
};

struct Rule {
  std::vector<FormulaLocal> locals;
  std::vector<Requirement> requirements;
  std::vector<OutputRule> outputs;    // parallel to the returns; empty: nothing is described
  const FormulaNode* like = nullptr;  // results look like those of this formula over operators
  bool data = false;                  // the elements decide what the results look like

  bool describes_results() const { return data || like || !outputs.empty(); }
};

// The argument whose dtype and device results have unless their rule says otherwise: the first
// tensor that has to be given, or list of tensors. -1 if there is none.
int reference_tensor(const Schema& schema);

// Calls `visit` with every formula of a rule.
template <class Visit>
void for_each_formula(const Rule& rule, Visit visit) {
  for (const FormulaLocal& local : rule.locals) visit(*local.value);
  for (const Requirement& requirement : rule.requirements) {
    visit(*requirement.condition);
    for (const MessagePart& part : requirement.message) {
      if (part.value) visit(*part.value);
    }
  }
  for (const OutputRule& output : rule.outputs) {
    for (const FormulaNode* formula :
         {output.sizes, output.dtype, output.device, output.strides, output.offset, output.when}) {
      if (formula) visit(*formula);
    }
  }
  if (rule.like) visit(*rule.like);
}

}  // namespace opweave::codegen

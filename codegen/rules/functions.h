// The functions that rules can call: `reduced`, `window`, ... Their schemas are in functions.def.
#pragma once

#include <span>
#include <string_view>

#include "codegen/expr/formula_checker.h"

namespace opweave::codegen {

struct RuleFunction {
  Schema schema;
  std::string_view doc;
  bool symbolic = true;  // can be evaluated with unknown sizes
};

// In the order of help. Pointers into them stay valid.
std::span<const RuleFunction> rule_functions();
// The one with this schema.
const RuleFunction& rule_function(const Schema& schema);

// What rules can call: no operators.
class RuleEnvironment : public FormulaEnvironment {
 public:
  std::span<const FormulaCallable> overloads(std::string_view base_name) override;
  std::vector<std::string_view> operator_names() const override;
};

}  // namespace opweave::codegen

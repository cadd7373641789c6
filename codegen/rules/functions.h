// The functions that rules can call: `reduced`, `window`, ... Their schemas are in functions.def.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/expr/formula_checker.h"

namespace opweave::codegen {

// Where rule functions are beside the core's own: what other kinds of libraries bring along.
enum class RuleLibrary : uint8_t { stable, torch, jax };

struct RuleFunction {
  Schema schema;
  uint8_t libraries = 0;  // bits, in the order of RuleLibrary
  std::string_view doc;
  bool symbolic = true;      // can be evaluated with unknown sizes
  bool runtime = true;       // rules of kernels that fill results can call it
  bool over_symbols = true;  // has a form over symbols at run time, too
  bool symmetric = false;    // its arguments `a` and `b` may change places
  int divisor = -1;          // the argument that it divides by

  bool is_in(RuleLibrary library) const { return (libraries >> static_cast<int>(library)) & 1; }
};

// In the order of help. Pointers into them stay valid.
std::span<const RuleFunction> rule_functions();
// The one with this schema.
const RuleFunction& rule_function(const Schema& schema);

// What people write who do not know a rule function: a symbol, between lists or not, or the name of
// a function elsewhere.
struct WrittenElsewhere {
  std::string_view written;
  bool between_lists;
  std::string_view here;
};
std::span<const WrittenElsewhere> written_elsewhere();

// What rules can call: rule functions, and operators where there are any to call.
class RuleEnvironment : public FormulaEnvironment {
 public:
  explicit RuleEnvironment(FormulaEnvironment* operators = nullptr) : operators_(operators) {}

  bool has_operators() const { return operators_ != nullptr; }
  std::span<const FormulaCallable> overloads(std::string_view base_name) override;
  std::vector<std::string_view> operator_names() const override;
  std::string_view instead_of(std::string_view written, bool between_lists) const override;

 private:
  FormulaEnvironment* operators_;
  std::map<std::string, std::vector<FormulaCallable>, std::less<>> both_;  // by name
};

}  // namespace opweave::codegen

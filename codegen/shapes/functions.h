// Rule functions over sizes that may be unknown.
#pragma once

#include "codegen/rules/functions.h"
#include "codegen/shapes/value.h"

namespace opweave::codegen {

// Under which a shape holds, without repeats: `H == W`.
class Conditions {
 public:
  // NoShape with `message` where it does not hold whatever the names stand for.
  void require(const Condition& condition, const std::string& message);
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

// What a rule function gives. NoShape where it needs elements or numbers that are not known.
Value call_rule_function(const Schema& schema, const Values& arguments, Conditions& conditions);

}  // namespace opweave::codegen

// A sample call with names in the place of sizes, for the generator and for the runtime.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/model/declarations/operator.h"
#include "codegen/shapes/samples.h"
#include "runtime/rules/symbolic/call.h"

namespace opweave::codegen {

// Which sizes have one name: all others, or those that are the same number.
enum class Naming { kEach, kByNumber };

struct SymbolicQuery {
  Values values;                              // for codegen/shapes
  std::vector<symbolic::SymValue> arguments;  // for runtime/rules/symbolic
  bool complete = true;  // no argument is of a type that the runtime's rules do not take here
};

// `arguments` are numbers: those of 2 and more get names, and are what the names stand for.
SymbolicQuery symbolic_query(const Operator& op, const Values& arguments, Naming naming);

// What both say of a call.
struct Answers {
  std::vector<std::string> expected, given;     // results, as text
  std::vector<std::string> conditions, guards;  // under which they hold

  // Empty if there is none. Of a condition with several ways to hold the guards name the one that
  // the call went.
  std::string difference() const;
};

}  // namespace opweave::codegen

// What each rule is for, with an example that breaks it and the same mended. The one place where
// this is written: `opweave explain`, the SARIF rules and a test that runs every example read it.
#pragma once

#include <string>
#include <string_view>

#include "codegen/diagnostics/codes.h"

namespace opweave::codegen {

// The files of one example; those that it does not need are empty. The known targets are `cpu` and
// `cuda`.
struct Example {
  std::string_view ops, derivatives = {}, target = {}, selection = {};
  bool missing = false;  // there is no file at all
};

struct Explanation {
  Code code;
  std::string_view why;
  Example bad, good;
  bool warns = false;  // and is no error
};

const Explanation& explanation(Code code);
// The rule, why it is there, and the examples.
std::string explain(Code code);
// One line for each code.
std::string explain_all();

}  // namespace opweave::codegen

// What no package for another framework can have, and how refusals say it: the checkers of emitters
// begin with these.
#pragma once

#include <string>
#include <string_view>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/rules/functions.h"

namespace opweave::codegen {

// A framework, as refusals name it.
struct Framework {
  std::string_view name;  // "PyTorch"
  std::string_view emit;  // "torch", of `--emit=torch`
  Code code;
  RuleLibrary library;  // whose functions rules may call
};

class ExtensionChecker {
 public:
  ExtensionChecker(const Framework& framework, const Operator& op, DiagnosticSink& sink)
      : op_(op), framework_(framework), sink_(sink) {}

 protected:
  void check_results();
  void check_expression();
  void check_conditions();
  // What a kernel's rule says of its results, and the functions that it calls.
  void check_rule();
  void check_type(const Argument& argument);

  void refuse(Span where, const std::string& feature);

  const Operator& op_;

 private:
  void check_functions(const FormulaNode& node);

  const Framework& framework_;
  DiagnosticSink& sink_;
};

}  // namespace opweave::codegen

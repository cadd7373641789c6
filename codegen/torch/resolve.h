// Whether the names in a formula exist.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/torch/cpp_names.h"
#include "codegen/torch/cpp_syntax.h"
#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

// What a formula may name as a value.
struct FormulaScope {
  const NativeFunction* function = nullptr;
  bool is_forward = false;

  bool contains(std::string_view name) const;
  std::vector<std::string> names() const;  // for suggestions
};

class Resolver {
 public:
  Resolver(const NativeFunctions& functions, const CppNames& headers, DiagnosticSink& sink)
      : functions_(functions), headers_(headers), sink_(sink) {}

  void resolve(const CppNode& formula, const FormulaScope& scope);
  // Functions that are no operators, while there was no header to look them up in.
  const std::set<std::string_view>& unchecked() const { return unchecked_; }

 private:
  void walk(const CppNode& node);
  void walk_call(const CppNode& node);
  void walk_index(const CppNode& node);
  void walk_lambda(const CppNode& node);
  void check_value(const CppName& name);
  void check_function(const CppName& name);
  void check_qualified(const CppName& name);
  void check_type(const CppType& type);
  void check_templates(const CppName& name);
  void check_method(const CppNode& member);
  bool is_operator(std::string_view name) const;
  bool is_known(const CppName& name) const;

  const NativeFunctions& functions_;
  const CppNames& headers_;
  DiagnosticSink& sink_;
  const FormulaScope* scope_ = nullptr;
  std::vector<std::string_view> locals_;  // parameters of lambdas
  std::set<std::string_view> unchecked_;
};

}  // namespace opweave::codegen::torch

// What an entry of PyTorch's derivatives.yaml has to keep, beyond formulas whose names exist.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/torch/derivatives.h"
#include "codegen/torch/groups.h"

namespace opweave::codegen::torch {

class DerivativeRules {
 public:
  DerivativeRules(const NativeFunctions& functions, const std::vector<FormGroup>& groups,
                  DiagnosticSink& sink);

  // All entries first: a form with an entry of its own is not made from another one's.
  void add(const NativeDerivative& entry);
  // Of an entry without other mistakes; reports the first thing that is wrong.
  bool check(const NativeDerivative& entry) const;
  // Operators on lists have the gradient of the operator that they apply to each element.
  void check_lists() const;

 private:
  // Operators that the entry is for: the forms of the one that it names.
  std::vector<const NativeFunction*> related(const NativeFunction& function) const;

  bool has_generated(const NativeFunction& function) const;
  bool has_other_form(const NativeFunction& function) const;
  // Null if there is none.
  const std::string* generated_functional(const NativeFunction& function) const;

  DiagnosticSink& sink_;
  std::unordered_map<std::string_view, std::vector<const NativeFunction*>> by_base_;
  std::unordered_map<const NativeFunction*, const FormGroup*> groups_;
  std::set<std::string_view> with_entry_, bases_with_entry_;
};

}  // namespace opweave::codegen::torch

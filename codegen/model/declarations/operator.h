// The model of operators: everything that emitters need to know. An operator is made of parts, of
// which each is made once, by the pass that is named with it; load.cc runs the passes in this
// order. Emitters see `const Operator&`: nothing of it changes behind the model stage.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/model/declarations/computation.h"
#include "codegen/model/declarations/dtypes.h"
#include "codegen/model/declarations/effects.h"
#include "codegen/model/declarations/elements.h"
#include "codegen/model/declarations/face.h"
#include "codegen/model/declarations/forms.h"
#include "codegen/model/declarations/formulas.h"
#include "codegen/model/declarations/gradient.h"
#include "codegen/model/declarations/name.h"
#include "codegen/model/declarations/origin.h"
#include "codegen/model/declarations/part.h"
#include "codegen/model/declarations/policies.h"
#include "codegen/model/declarations/selected.h"
#include "codegen/model/declarations/tests.h"
#include "codegen/rules/rule.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

struct Lowered;

struct Operator {
  Operator(Schema schema, Origin origin);

  // What it is from the beginning.
  const Schema schema;
  const Name name;
  const Origin origin;
  const Effects effects;

  // What its entry says (operators/builder.h). Derived forms take it from the functional form.
  Part<Computation> computation;
  Part<Forms> forms;
  Part<Face> face;
  Part<Policies> policies;
  Part<Tests> tests;

  // What it computes (operators/expressions.h).
  Part<Elements> elements;
  Part<DTypes> dtypes;
  Part<Formulas> formulas;

  // What a call requires and what its results look like (rules/rule_checker.h). Null: its kernels
  // see to that themselves. In-place and out forms that are derived have that of the functional
  // form.
  Part<const Rule*> rule;

  Part<Gradient> gradient;       // gradients/gradients.h
  Part<Selected> selected;       // selection/selection.h
  Part<const Lowered*> lowered;  // what emitters print of the above: lowered/lowered.h

  // An internal backward operator made from another's expression.
  bool is_generated() const { return origin.gradient_of != nullptr; }
  bool is_view() const { return !effects.views.empty(); }
  bool is_expr() const { return elements->expr != nullptr; }
  // Its kernels are generated from an expression that folds.
  bool is_fold() const { return computation->folds; }
  bool is_emitted() const { return !origin.imported && !selected->left_out; }
  bool has_target(std::string_view target) const { return computation->has_target(target); }
  // One function serves all targets: autograd differentiates through it (`composite`), or it runs
  // below autograd (`every_target`, and `view`, which is printed from the rule).
  bool is_handwritten_composite() const { return computation->is_handwritten_composite(); }
  // By what it calls, of whose gradients its own is made.
  bool is_differentiated_through() const {
    return computation->implementation == Implementation::composite || is_handwritten_composite();
  }
  bool serves_every_target() const { return has_target("every_target") || is_view_of_rule(); }
  bool is_view_of_rule() const { return has_target("view"); }
  // Its kernel is made of calls of other operators, whoever wrote it.
  bool calls_operators() const {
    return formulas->composite != nullptr || is_handwritten_composite() ||
           has_target("every_target");
  }
  bool has_hardware_kernel() const { return computation->has_hardware_kernel(); }
  // Written in place without a gradient: some of what was there may stay, and nobody knows what its
  // derivative is. (What an expression gives is constant where it has no gradient.)
  bool loses_gradient() const;
  // Whether every call of a handwritten kernel of it checks conditions first.
  bool has_conditions() const { return rule != nullptr && !rule->requirements.empty(); }
  // Whether calls evaluate what its rule says of results: before a kernel for single targets runs,
  // or in place of one, for a view.
  bool evaluates_results() const {
    return has_hardware_kernel() || (is_view_of_rule() && effects.mutated.empty());
  }
  // Whether its kernels fill results that have been made by its rule.
  bool fills_results() const {
    return rule != nullptr && !rule->outputs.empty() && has_hardware_kernel();
  }
  // Whether its out form is derived: it runs the operator's kernel on the tensors to write.
  bool has_derived_out() const {
    return forms->out != nullptr &&
           forms->out->computation->implementation == Implementation::derived;
  }
  // The indices of tensor and tensor list arguments, in order.
  std::vector<uint16_t> tensor_arguments() const;
};

// The name of the tensor into which result `index` is written: `out`, the result's own, or `out0`.
std::string out_name(const Schema& schema, size_t index);

// A value that has elements or is the same for all of them.
inline bool has_elements(const Type& type) {
  const bool is_number = type.base == BaseType::scalar || type.base == BaseType::integer ||
                         type.base == BaseType::floating || type.base == BaseType::boolean;
  return !type.list && (is_number || type.base == BaseType::tensor);
}

// All operators of one base name, in the order of their definition.
struct OperatorFamily {
  std::string base_name;
  std::vector<const Operator*> overloads;
};

}  // namespace opweave::codegen

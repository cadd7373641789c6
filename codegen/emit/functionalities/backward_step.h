// What the C++ of backward steps has in common, whoever runs them: how formulas name what is kept,
// conditions, places of edges.
#pragma once

#include <functional>
#include <string>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {

// How an output spells what steps read.
struct StepSpelling {
  // A kept value as the argument of a call; `passed_value` if it is not said.
  std::function<std::string(const BackwardPass::Kept&)> value = {};
  // How a call that gives an element of kept sizes begins.
  std::string_view element = "element_at(";
  // A property of what is not kept; empty: it is asked of the tensor itself.
  std::function<std::string(const FormulaNode&, const FormulaNames&)> property = {};
};

// The leaves of a step's formula. The pass and the step live as long as the names.
FormulaNames step_names(const Operator& op, const BackwardPass::Step& step,
                        const StepSpelling& spelling);

// The variable of a kept value: of an optional list an optional view, as calls take it.
std::string passed_value(const BackwardPass::Kept& kept);

// The gradient of a result, or zeros in its place: see BackwardPass::Step::filled.
std::string filled_gradient(uint16_t result);

// Whether the step has a gradient to run for: "(grads[0].defined() || grads[1].defined())".
std::string has_gradient(const Operator& op, const BackwardPass::Step& step);

// "a || b", in parentheses if there are several: what `wanted` says of each argument of a step.
std::string any_wanted(const BackwardPass::Step& step,
                       const std::function<std::string(uint16_t)>& wanted);
// "a, b": which of its gradients are asked for, as an array of the size $n$.
std::string mask_statement(const BackwardPass::Step& step,
                           const std::function<std::string(uint16_t)>& wanted);

// The place of the first edge of an input: "2 + tensors_count_". `count` says how many edges a list
// has. With the number of inputs: how many edges there are.
std::string edge_of(const BackwardPass& pass, size_t input,
                    const std::function<std::string(uint16_t)>& count);

}  // namespace opweave::codegen

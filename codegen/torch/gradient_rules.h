// What the formulas for one dispatch key of an entry ask of one another, and of the operator.
#pragma once

#include <optional>
#include <string_view>

#include "codegen/torch/derivatives.h"

namespace opweave::codegen::torch {

struct GradientBlock {
  const NativeDerivative& entry;
  std::string_view dispatch_key;
  DiagnosticSink& sink;
};

// Reports the first thing that is wrong.
bool check_gradients(const GradientBlock& block);

// A gradient formula: neither a forward derivative nor `non_differentiable`.
bool is_gradient(const NativeFormula& formula);
// Whether the formula is for the argument: `self, other: ...`.
bool names_argument(const NativeFormula& formula, std::string_view name);
// Where a word stands in a text, with something else than letters, digits and underscores around
// it.
std::optional<Span> find_word(const LocatedText& text, std::string_view word);
std::optional<Span> find_text(const LocatedText& text, std::string_view part);

}  // namespace opweave::codegen::torch

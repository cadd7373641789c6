// Formulas that keep more alive than they would have to.
#pragma once

#include <string>
#include <vector>

#include "codegen/lint/kept.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

struct Finding {
  const Operator* op = nullptr;
  std::string tensor;   // what is kept
  std::string message;  // why it would not have to be
  std::string rewrite;  // the formulas to write instead, if they are known
  std::string allowed;  // the reason that the entry gives for keeping it
  Span span;
};

// In the order of the operators.
std::vector<Finding> find_kept_too_long(const Model& model);

// For people: the findings, and with `all` what every operator keeps.
std::string lint_text(const Model& model, bool all);
// A document with the findings and what every operator keeps.
std::string lint_json(const Model& model);

// What became of every formula that could be compared with the derivative of an expression.
std::string agreement_text(const Model& model);
// Of those that are equal only where both are finite, or but for an end of what floats hold.
std::string partial_agreement_text(const Model& model);

}  // namespace opweave::codegen

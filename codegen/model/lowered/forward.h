// What a forward rule needs, decided once for all outputs: the sums that tangents are, what their
// terms read, which inputs have tangents and which results get some.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/model/declarations/derivative.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/forward/forward_terms.h"

namespace opweave::codegen {

// The tangent of one result: the terms of which a tangent is there, added up. In terms that are
// gradients' formulas (ForwardWay::elementwise) the tangent of their one argument stands for the
// gradient of the result.
struct TangentSum {
  uint16_t output = 0;
  std::vector<ForwardFormula::Term> terms;
  const FormulaNode* written = nullptr;  // the whole, as the entry gives it; null for gradients

  bool reads_argument(uint16_t argument) const;
};

struct ForwardPass {
  ForwardWay way = ForwardWay::none;
  // Of ForwardWay::formula and elementwise; none where all tangents are zero. Those of the
  // functional form for an in-place form that shares its derivative.
  std::vector<TangentSum> sums;
  bool by_functional = false;     // its sums are those of its functional form
  std::vector<uint16_t> inputs;   // arguments with tangents
  std::vector<uint16_t> outputs;  // results that get some
  // Sums read what the call writes, or two backward passes do: it is kept from before the call.
  bool reads_written = false;

  // The terms that are written for tangents, and are no gradients' formulas.
  std::vector<const FormulaNode*> formulas() const;
};

ForwardPass lower_forward(const Operator& op);

bool reads_argument(const FormulaNode& node, uint16_t argument);

}  // namespace opweave::codegen

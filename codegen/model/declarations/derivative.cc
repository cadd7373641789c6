// The small questions that derivatives answer themselves.
#include "codegen/model/declarations/derivative.h"

#include <algorithm>

namespace opweave::codegen {

const DerivativeFormula* Derivative::formula_of(uint16_t argument) const {
  for (const DerivativeFormula& formula : formulas) {
    if (std::find(formula.inputs.begin(), formula.inputs.end(), argument) != formula.inputs.end()) {
      return &formula;
    }
  }
  return nullptr;
}

Property saved_property(Property property) {
  switch (property) {
    case Property::size:
    case Property::dim:
    case Property::numel:
      return Property::sizes;
    case Property::stride:
      return Property::strides;
    default:
      return property;
  }
}

}  // namespace opweave::codegen

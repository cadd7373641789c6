// Formulas over operators as data.
#pragma once

#include <functional>

#include "codegen/data/json.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen::data {

// What else is said of a node: from what is kept of a call it is answered, if it is. Then nobody
// asks what it is of.
using NodeNotes = std::function<bool(const FormulaNode&, Json&)>;

// `{"nodes": [...]}`: each behind its operands, which it names by their places; the last one is the
// value. Equal calls that are certain to be computed are one node, as the lowered model says it.
Json formula_data(const FormulaNode& formula, const NodeNotes& notes = {});

}  // namespace opweave::codegen::data

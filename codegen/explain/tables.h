// The tables of explanations, one for each hundred of codes.
#pragma once

#include <span>

#include "codegen/explain/explain.h"

namespace opweave::codegen {

std::span<const Explanation> file_explanations();
std::span<const Explanation> schema_explanations();
std::span<const Explanation> expression_explanations();
std::span<const Explanation> operator_explanations();
std::span<const Explanation> derivative_explanations();
std::span<const Explanation> selection_explanations();
std::span<const Explanation> extension_explanations();

}  // namespace opweave::codegen

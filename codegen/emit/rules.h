// By which rules operators run on batches, for those who tell of it.
#pragma once

#include <string_view>

#include "codegen/model/operator.h"

namespace opweave::codegen {

// The name of the BatchRule; empty for an operator that is left to those it is made of.
std::string_view batch_rule(const Operator& op);

}  // namespace opweave::codegen

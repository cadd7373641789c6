// Numbers that mean nothing where they stand: shifts by them are undefined, quotients have no
// value.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// What is wrong with an operation of these operands; nothing where they are no numbers.
std::optional<std::string> meaningless_number(ElementOp op,
                                              std::span<const ElementNode* const> operands);
// The same of any operation in a tree.
std::optional<std::string> meaningless_number(const ElementNode& root);

}  // namespace opweave::codegen

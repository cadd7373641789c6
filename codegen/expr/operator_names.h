// Which operator a symbol between tensors stands for: `a + b` is `add(a, b)`.
#pragma once

#include <cstddef>
#include <string_view>

namespace opweave::codegen {

// The base name; empty if the symbol has no meaning for tensors.
std::string_view operator_for_symbol(std::string_view symbol, size_t arity);

}  // namespace opweave::codegen

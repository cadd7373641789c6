// One operator of a library: its kernels and rules, from the table.
#pragma once

#include <string>
#include <string_view>

#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

// Returns its full name, which `prefix` ("mine::") begins. RuntimeError, and there is no such
// operator, where the table is none that can be.
std::string define(std::string_view prefix, const OwOperator& table);
// Takes it back; threads may be on their way to it.
void undefine(std::string_view full_name);

}  // namespace opweave::stable

// An operator as text: what its callers see, and what they do not.
#pragma once

#include <string>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Everything that callers can depend on, in one line. Two operators with the
// same face are interchangeable.
std::string face(const Operator& op);
// How it computes and how it is differentiated: free to change.
std::string inside(const Operator& op);

}  // namespace opweave::codegen

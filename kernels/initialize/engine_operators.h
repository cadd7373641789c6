// What autograd gets from the generated code.
#pragma once

namespace opweave {

void hand_operators_to_autograd();

}  // namespace opweave

// The size of tensors that results are written to.
#pragma once

#include <string_view>

#include "runtime/core/tensor.h"

namespace opweave {

// Gives `out` the size of a result. Where it has elements that is a mistake more often than not:
// the program is warned.
void resize_out(Tensor& out, IntList sizes);

// Who tells the program; without one nobody does.
using WarningHandler = void (*)(std::string_view text);
void set_warning_handler(WarningHandler handler);

}  // namespace opweave

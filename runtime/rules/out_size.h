// The size of tensors that results are written to.
#pragma once

#include <string_view>

#include "runtime/core/tensor/tensor.h"

namespace opweave {

// Gives `out` the size of a result. Where it has elements that is a mistake more often than not:
// the program is warned.
// Whether it had another one: then its elements lie as the caller wishes.
bool resize_out(Tensor& out, IntList sizes);
// The same to a result that lies so; `out` does as well if it had another size. Strides are dense;
// contiguous where there are none.
void resize_out(Tensor& out, IntList sizes, IntList strides);

// Who tells the program; without one nobody does.
using WarningHandler = void (*)(std::string_view text);
void set_warning_handler(WarningHandler handler);
void warn_program(std::string_view text);

}  // namespace opweave

// The C++ stack of a thread as text, for errors.
#pragma once

#include <string>

namespace opweave {

// Whether errors shall say where in C++ they were thrown: TORCH_SHOW_CPP_STACKTRACES, PyTorch's
// variable, is 1 in the environment of the process when the first error is thrown.
bool shows_cpp_stack();

// One line for each frame, the most recent first, without the `skipped` innermost ones: the
// function, the place in it, and the file it was loaded from. Empty where nothing can be told.
std::string cpp_stack(int skipped = 0);

}  // namespace opweave

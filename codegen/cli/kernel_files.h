// Handwritten kernels on their way into an extension of PyTorch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/emit.h"

namespace opweave::codegen {

// The text of what `places` name, each a folder or a file of kernels, in C++ for the CPU; "cuda=…"
// are those for CUDA, wherever they are, and so is a file of CUDA. Null, with the reason in
// `error`, when one cannot be read or two would be one file.
std::optional<std::vector<EmittedFile>> kernel_files(const std::vector<std::string>& places,
                                                     std::string& error);

}  // namespace opweave::codegen

// Handwritten kernels on their way into an extension of PyTorch.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/emit/output/emit.h"

namespace opweave::codegen {

// A file of kernels, or a header of theirs.
struct KernelFile {
  std::string path;   // as it was named
  std::string place;  // in the package for PyTorch or JAX
  std::string text;
};

// What `places` name, each a folder or a file of kernels, in C++ for the CPU; "cuda=…" are those
// for CUDA, wherever they are, and so is a file of CUDA. Those for one kind of hardware lie to each
// other as they did, so that they include what is in folders above and below. Null, with the reason
// in `error`, when one cannot be read or two would be one file.
std::optional<std::vector<KernelFile>> kernel_files(const std::vector<std::string>& places,
                                                    std::string& error);

// The file in the extension: its text, of which compilers speak where it was.
EmittedFile emitted(const KernelFile& file);

}  // namespace opweave::codegen

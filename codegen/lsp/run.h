// `opweave lsp`: a server over two files, the standard input and output of a process.
#pragma once

#include <string>

namespace opweave::codegen::lsp {

// Until the client says exit or goes away. The exit status. `core` is the file of the operators
// that formulas of a library may call where no folder above it has one; empty: there is none.
int run_server(int input, int output, const std::string& core = "");

}  // namespace opweave::codegen::lsp

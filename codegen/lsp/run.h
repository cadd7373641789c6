// `opweave lsp`: a server over two files, the standard input and output of a process.
#pragma once

namespace opweave::codegen::lsp {

// Until the client says exit or goes away. The exit status.
int run_server(int input, int output);

}  // namespace opweave::codegen::lsp

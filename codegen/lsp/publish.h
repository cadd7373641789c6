// Diagnostics as the protocol writes them, and the fixes that come with them.
#pragma once

#include "codegen/lsp/rpc.h"
#include "codegen/lsp/workspace.h"

namespace opweave::codegen::lsp {

// The parameters of textDocument/publishDiagnostics for every file that was checked, by path; with
// an empty list where nothing is wrong.
std::map<std::string, Json> diagnostics_by_file(const Workspace& workspace);

// "Did you mean" as code actions for the part of the document between two lines.
Json code_actions(const Workspace& workspace, const std::string& path, Range range);

}  // namespace opweave::codegen::lsp

// The requests about documents: from parameters to results.
#pragma once

#include <string_view>

#include "codegen/lsp/rpc.h"
#include "codegen/lsp/workspace.h"

namespace opweave::codegen::lsp {

// What the server can do, for `initialize`.
Json capabilities();

// Null if there is no such request.
using Feature = Json (*)(const Workspace& workspace, const Json& params);
Feature find_feature(std::string_view method);

}  // namespace opweave::codegen::lsp

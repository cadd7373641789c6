// Places as the protocol writes them.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/lsp/cursor.h"
#include "codegen/lsp/lines.h"
#include "codegen/lsp/places.h"
#include "codegen/lsp/rpc.h"

namespace opweave::codegen::lsp {

Json range_json(const Lines& lines, Range range);
Json location_json(const Workspace& workspace, const Location& location);
Json locations_json(const Workspace& workspace, const std::vector<Location>& locations);
Location location_of(const Span& span);

// The URI of a file: that of the open document, or made from the path.
std::string uri_of(const Workspace& workspace, const std::string& path);

}  // namespace opweave::codegen::lsp

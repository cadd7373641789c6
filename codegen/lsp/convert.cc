// Bytes to lines and characters.
#include "codegen/lsp/convert.h"

#include "codegen/lsp/uri.h"

namespace opweave::codegen::lsp {
namespace {

Json place_json(Place place) { return {{"line", place.line}, {"character", place.character}}; }

}  // namespace

Json range_json(const Lines& lines, Range range) {
  return {{"start", place_json(lines.place(range.begin))},
          {"end", place_json(lines.place(range.end))}};
}

Json location_json(const Workspace& workspace, const Location& location) {
  const std::string text = current_text(workspace.documents, location.path).value_or("");
  return {{"uri", uri_of(workspace, location.path)},
          {"range", range_json(Lines(text), location.range)}};
}

Json locations_json(const Workspace& workspace, const std::vector<Location>& locations) {
  Json list = Json::array();
  for (const Location& location : locations) list.push_back(location_json(workspace, location));
  return list;
}

Location location_of(const Span& span) { return {span.source->path(), {span.begin, span.end}}; }

std::string uri_of(const Workspace& workspace, const std::string& path) {
  const Document* document = workspace.documents.find(path);
  return document != nullptr ? document->uri : uri_of_path(path);
}

}  // namespace opweave::codegen::lsp

// The table of requests.
#include "codegen/lsp/features.h"

#include <utility>

#include "codegen/lsp/completion.h"
#include "codegen/lsp/convert.h"
#include "codegen/lsp/hover.h"
#include "codegen/lsp/navigation.h"
#include "codegen/lsp/publish.h"
#include "codegen/lsp/symbols.h"
#include "codegen/lsp/uri.h"

namespace opweave::codegen::lsp {
namespace {

constexpr int kIncremental = 2;

View view_of(const Workspace& workspace, const Json& params) {
  const std::string path = path_of_uri(text_member(member(params, "textDocument"), "uri"));
  const Document* document = workspace.documents.find(path);
  if (document == nullptr)
    throw RpcError{RpcCode::invalid_params, "this document is not open: " + path};
  const Analysis* analysis = workspace.analysis(path);
  return {workspace,
          path,
          document->text,
          outline_of(document->text),
          workspace.model(path),
          analysis != nullptr && analysis->model != nullptr};
}

uint32_t offset_in(const View& view, const Json& place) {
  return Lines(view.text).offset({number_member(place, "line"), number_member(place, "character")});
}

Json hover(const Workspace& workspace, const Json& params) {
  const View view = view_of(workspace, params);
  const Cursor cursor = cursor_at(view, offset_in(view, member(params, "position")));
  const std::string text = hover_text(view, cursor);
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}},
          {"range", range_json(Lines(view.text), cursor.range)}};
}

// A request for places by the word at a position.
template <auto find>
Json places(const Workspace& workspace, const Json& params) {
  const View view = view_of(workspace, params);
  const Cursor cursor = cursor_at(view, offset_in(view, member(params, "position")));
  return locations_json(workspace, find(view, cursor));
}

Json references_of(const Workspace& workspace, const Json& params) {
  const View view = view_of(workspace, params);
  const Cursor cursor = cursor_at(view, offset_in(view, member(params, "position")));
  const Json& with = member(member(params, "context"), "includeDeclaration");
  return locations_json(workspace, references(view, cursor, with == true));
}

Json complete(const Workspace& workspace, const Json& params) {
  const View view = view_of(workspace, params);
  return {{"isIncomplete", false},
          {"items", completions(view, offset_in(view, member(params, "position")))}};
}

Json symbols(const Workspace& workspace, const Json& params) {
  return document_symbols(view_of(workspace, params));
}

Json actions(const Workspace& workspace, const Json& params) {
  const View view = view_of(workspace, params);
  const Json& range = member(params, "range");
  return code_actions(
      workspace, view.path,
      {offset_in(view, member(range, "start")), offset_in(view, member(range, "end"))});
}

constexpr std::pair<std::string_view, Feature> kFeatures[] = {
    {"textDocument/hover", hover},
    {"textDocument/definition", places<definitions>},
    {"textDocument/declaration", places<declarations>},
    {"textDocument/implementation", places<implementations>},
    {"textDocument/references", references_of},
    {"textDocument/completion", complete},
    {"textDocument/documentSymbol", symbols},
    {"textDocument/codeAction", actions},
};

}  // namespace

Json capabilities() {
  return {{"textDocumentSync",
           {{"openClose", true}, {"change", kIncremental}, {"save", {{"includeText", false}}}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"declarationProvider", true},
          {"implementationProvider", true},
          {"referencesProvider", true},
          {"completionProvider", {{"triggerCharacters", {"."}}}},
          {"documentSymbolProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}}};
}

Feature find_feature(std::string_view method) {
  for (const auto& [name, feature] : kFeatures) {
    if (name == method) return feature;
  }
  return nullptr;
}

}  // namespace opweave::codegen::lsp

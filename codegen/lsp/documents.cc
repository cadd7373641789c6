// Opening, editing, closing.
#include "codegen/lsp/documents.h"

#include "codegen/files/files.h"
#include "codegen/lsp/lines.h"
#include "codegen/lsp/uri.h"

namespace opweave::codegen::lsp {
namespace {

Place place_member(const Json& range, const char* name) {
  const Json& place = member(range, name);
  return {number_member(place, "line"), number_member(place, "character")};
}

int64_t version_of(const Json& document) {
  const Json& version = member(document, "version");
  if (!version.is_number_integer()) throw RpcError{RpcCode::invalid_params, "no version"};
  return version.get<int64_t>();
}

void apply(const Json& change, std::string& text) {
  std::string inserted = text_member(change, "text");
  if (!change.contains("range")) {
    text = std::move(inserted);
    return;
  }
  const Json& range = member(change, "range");
  const Lines lines(text);
  const uint32_t begin = lines.offset(place_member(range, "start"));
  const uint32_t end = lines.offset(place_member(range, "end"));
  if (end < begin) throw RpcError{RpcCode::invalid_params, "a range ends before it begins"};
  text.replace(begin, end - begin, inserted);
}

}  // namespace

void Documents::open(const Json& params) {
  const Json& document = member(params, "textDocument");
  Document opened{text_member(document, "uri"), text_member(document, "text"),
                  version_of(document)};
  documents_[path_of_uri(opened.uri)] = std::move(opened);
}

bool Documents::change(const Json& params) {
  const Json& identifier = member(params, "textDocument");
  const auto found = documents_.find(path_of_uri(text_member(identifier, "uri")));
  const int64_t version = version_of(identifier);
  if (found == documents_.end() || version <= found->second.version) return false;
  const Json& changes = member(params, "contentChanges");
  if (!changes.is_array()) throw RpcError{RpcCode::invalid_params, "no list of changes"};
  // All or nothing, so that a bad change does not leave half an edit.
  std::string text = found->second.text;
  for (const Json& change : changes) apply(change, text);
  found->second.text = std::move(text);
  found->second.version = version;
  return true;
}

void Documents::close(const Json& params) {
  documents_.erase(path_of_uri(text_member(member(params, "textDocument"), "uri")));
}

const Document* Documents::find(const std::string& path) const {
  const auto found = documents_.find(path);
  return found == documents_.end() ? nullptr : &found->second;
}

std::optional<std::string> current_text(const Documents& documents, const std::string& path) {
  if (const Document* document = documents.find(path)) return document->text;
  std::string ignored;
  return read_file(path, ignored);
}

}  // namespace opweave::codegen::lsp

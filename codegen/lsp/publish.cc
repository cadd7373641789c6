// What the checker says, for editors.
#include "codegen/lsp/publish.h"

#include <fmt/format.h>

#include "codegen/diagnostics/render.h"
#include "codegen/lsp/convert.h"

namespace opweave::codegen::lsp {
namespace {

constexpr int kError = 1, kWarning = 2;

// Sources are made anew for each run: their lines are counted once.
class LinesOf {
 public:
  const Lines& operator()(const Source& source) {
    return lines_.try_emplace(&source, source.text()).first->second;
  }

 private:
  std::map<const Source*, Lines> lines_;
};

Range range_of(const Span& span) { return {span.begin, span.end}; }

Json related(const Workspace& workspace, const Diagnostic& d, LinesOf& lines) {
  Json list = Json::array();
  for (const Note& note : d.notes) {
    if (!note.span) continue;
    const Source& source = *note.span.source;
    list.push_back({{"message", note.message},
                    {"location",
                     {{"uri", uri_of(workspace, source.path())},
                      {"range", range_json(lines(source), range_of(note.span))}}}});
  }
  return list;
}

// Notes without a place belong to the message.
std::string message_of(const Diagnostic& d) {
  std::string text = full_message(d);
  for (const Note& note : d.notes) {
    if (!note.span) text += "\n" + note.message;
  }
  return text;
}

Json diagnostic_json(const Workspace& workspace, const Diagnostic& d, LinesOf& lines) {
  Json json = {{"range", range_json(lines(*d.span.source), range_of(d.span))},
               {"severity", d.severity == Severity::error ? kError : kWarning},
               {"code", code_name(d.code)},
               {"source", "opweave"},
               {"message", message_of(d)}};
  if (Json notes = related(workspace, d, lines); !notes.empty())
    json["relatedInformation"] = std::move(notes);
  return json;
}

Json parameters(const Workspace& workspace, const std::string& path) {
  Json json = {{"uri", uri_of(workspace, path)}, {"diagnostics", Json::array()}};
  const Document* document = workspace.documents.find(path);
  if (document != nullptr) json["version"] = document->version;
  return json;
}

Json action_json(const Workspace& workspace, const std::string& path, const Diagnostic& d,
                 LinesOf& lines) {
  const Json edit = {{"range", range_json(lines(*d.span.source), range_of(d.span))},
                     {"newText", d.suggestion}};
  return {{"title", fmt::format("Write '{}'", d.suggestion)},
          {"kind", "quickfix"},
          {"isPreferred", true},
          {"diagnostics", Json::array({diagnostic_json(workspace, d, lines)})},
          {"edit", {{"changes", {{uri_of(workspace, path), Json::array({edit})}}}}}};
}

}  // namespace

std::map<std::string, Json> diagnostics_by_file(const Workspace& workspace) {
  std::map<std::string, Json> files;
  LinesOf lines;
  for (const Analysis* analysis : workspace.analyses()) {
    for (const Source& source : analysis->sources->all())
      files.try_emplace(source.path(), parameters(workspace, source.path()));
    for (const Diagnostic& d : analysis->sink.all()) {
      if (!d.span) continue;
      Json& list = files[d.span.source->path()]["diagnostics"];
      Json json = diagnostic_json(workspace, d, lines);
      // A file that a library imports is checked once more for it.
      if (std::find(list.begin(), list.end(), json) == list.end()) list.push_back(std::move(json));
    }
  }
  return files;
}

Json code_actions(const Workspace& workspace, const std::string& path, Range range) {
  Json actions = Json::array();
  const Analysis* analysis = workspace.analysis(path);
  if (analysis == nullptr) return actions;
  LinesOf lines;
  for (const Diagnostic& d : analysis->sink.all()) {
    const bool here = d.span && d.span.source->path() == path && d.span.begin <= range.end &&
                      range.begin <= d.span.end;
    if (here && !d.suggestion.empty()) actions.push_back(action_json(workspace, path, d, lines));
  }
  return actions;
}

}  // namespace opweave::codegen::lsp

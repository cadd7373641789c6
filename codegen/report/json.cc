// The JSON form.
#include <nlohmann/json.hpp>

#include "codegen/report/report.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::ordered_json;

// Lines and columns from one, columns in bytes; `offset` and `length` are bytes of the file.
Json location(const Span& span) {
  if (!span) return nullptr;
  const Position begin = span.source->position(span.begin);
  const Position end = span.source->position(span.end);
  return {{"file", span.source->path()},    {"line", begin.line},       {"column", begin.column},
          {"end_line", end.line},           {"end_column", end.column}, {"offset", span.begin},
          {"length", span.end - span.begin}};
}

Json to_json(const Diagnostic& d) {
  Json notes = Json::array();
  for (const Note& note : d.notes) {
    notes.push_back({{"message", note.message}, {"location", location(note.span)}});
  }
  return {{"code", code_name(d.code)},
          {"rule", code_title(d.code)},
          {"severity", d.severity == Severity::error ? "error" : "warning"},
          {"message", d.message},
          {"suggestion", d.suggestion.empty() ? Json(nullptr) : Json(d.suggestion)},
          {"location", location(d.span)},
          {"notes", notes}};
}

}  // namespace

std::string json_report(const DiagnosticSink& sink) {
  Json diagnostics = Json::array();
  for (const Diagnostic& d : sink.all()) diagnostics.push_back(to_json(d));
  const Json report = {{"version", 1},
                       {"tool", "opweave"},
                       {"errors", sink.error_count()},
                       {"warnings", sink.warning_count()},
                       {"diagnostics", diagnostics}};
  // What is not UTF-8, in a path or a damaged file, is replaced.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opweave::codegen

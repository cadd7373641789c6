// The SARIF form.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "codegen/diagnostics/render.h"
#include "codegen/diagnostics/utf8.h"
#include "codegen/explain/explain.h"
#include "codegen/report/percent.h"
#include "codegen/report/report.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

// A path as a relative or file URI.
std::string uri_of(std::string_view path) {
  return (path.starts_with('/') ? "file://" : "") + percent_encoded(path);
}

// Columns are code points, from one (`columnKind` says so).
uint32_t column_of(const Source& source, const Position& at) {
  const std::string_view before = source.line(at.line).substr(0, at.column - 1);
  return static_cast<uint32_t>(count_code_points(before)) + 1;
}

Json region(const Span& span) {
  const Source& source = *span.source;
  const Position begin = source.position(span.begin), end = source.position(span.end);
  return {{"startLine", begin.line},
          {"startColumn", column_of(source, begin)},
          {"endLine", end.line},
          {"endColumn", column_of(source, end)}};
}

Json location(const Span& span) {
  return {
      {"physicalLocation",
       {{"artifactLocation", {{"uri", uri_of(span.source->path())}}}, {"region", region(span)}}}};
}

// Notes with a place become related locations, the others belong to the message.
Json related_locations(const Diagnostic& d) {
  Json related = Json::array();
  for (const Note& note : d.notes) {
    if (!note.span) continue;
    Json place = location(note.span);
    place["id"] = related.size() + 1;
    place["message"] = {{"text", note.message}};
    related.push_back(place);
  }
  return related;
}

std::string message_of(const Diagnostic& d) {
  std::string text = full_message(d);
  for (const Note& note : d.notes) {
    if (!note.span) text += "\n" + note.message;
  }
  return text;
}

// "Did you mean" as a change that an editor can make.
Json fix(const Diagnostic& d) {
  Json replacement = {{"deletedRegion", region(d.span)},
                      {"insertedContent", {{"text", d.suggestion}}}};
  Json change = {{"artifactLocation", {{"uri", uri_of(d.span.source->path())}}},
                 {"replacements", Json::array({replacement})}};
  return {{"description", {{"text", fmt::format("write '{}'", d.suggestion)}}},
          {"artifactChanges", Json::array({change})}};
}

Json result(const Diagnostic& d, size_t rule) {
  Json out = {{"ruleId", code_name(d.code)},
              {"ruleIndex", rule},
              {"level", d.severity == Severity::error ? "error" : "warning"},
              {"message", {{"text", message_of(d)}}},
              {"locations", Json::array()}};
  if (d.span) out["locations"].push_back(location(d.span));
  const Json related = related_locations(d);
  if (!related.empty()) out["relatedLocations"] = related;
  if (d.span && !d.suggestion.empty()) out["fixes"] = Json::array({fix(d)});
  return out;
}

Json rule(Code code) {
  return {{"id", code_name(code)},
          {"shortDescription", {{"text", code_title(code)}}},
          {"fullDescription", {{"text", explanation(code).why}}},
          {"help", {{"text", explain(code)}}},
          {"defaultConfiguration", {{"level", "error"}}}};
}

}  // namespace

std::string sarif_report(const DiagnosticSink& sink) {
  Json rules = Json::array(), results = Json::array();
  for (Code code : all_codes()) rules.push_back(rule(code));
  for (const Diagnostic& d : sink.all()) {
    const auto codes = all_codes();
    const auto index = std::find(codes.begin(), codes.end(), d.code) - codes.begin();
    results.push_back(result(d, static_cast<size_t>(index)));
  }
  Json run = {{"tool", {{"driver", {{"name", "opweave"}, {"rules", rules}}}}},
              {"columnKind", "unicodeCodePoints"},
              {"invocations", Json::array({{{"executionSuccessful", true}}})},
              {"results", results}};
  const Json report = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opweave::codegen

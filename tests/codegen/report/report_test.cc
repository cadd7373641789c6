// The JSON and SARIF forms of diagnostics.
#include "codegen/report/report.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/codegen/corpus.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::json;

TEST_CASE("the JSON form says in fields what the text form says") {
  Sources sources;
  const Source* source = sources.add("ops.yaml", "- one\n- f\u00FCnc: f(Tenosr x)\n");
  DiagnosticSink sink;
  sink.error(Code::unknown_type, {source, 17, 23}, "unknown type 'Tenosr'")
      .suggest("Tensor")
      .note({source, 2, 5}, "somewhere else")
      .note({}, "nowhere");
  const Json report = Json::parse(json_report(sink));
  const Json expected = Json::parse(R"({
    "version": 1, "tool": "opweave", "errors": 1, "warnings": 0,
    "diagnostics": [{
      "code": "OW0102", "rule": "a schema names known types", "severity": "error",
      "message": "unknown type 'Tenosr'", "suggestion": "Tensor",
      "location": {"file": "ops.yaml", "line": 2, "column": 12, "end_line": 2, "end_column": 18,
                   "offset": 17, "length": 6},
      "notes": [
        {"message": "somewhere else",
         "location": {"file": "ops.yaml", "line": 1, "column": 3, "end_line": 1, "end_column": 6,
                      "offset": 2, "length": 3}},
        {"message": "nowhere", "location": null}]}]})");
  CHECK(report == expected);
}

TEST_CASE("nothing wrong is a document too") {
  const DiagnosticSink sink;
  CHECK(Json::parse(json_report(sink))["diagnostics"] == Json::array());
  CHECK(Json::parse(sarif_report(sink))["runs"][0]["results"] == Json::array());
}

// What SARIF 2.1.0 requires of the objects that are written, by the names of its schema.
class SarifChecker {
 public:
  explicit SarifChecker(const Json& log) {
    require(log, {"version", "runs"});
    CHECK(log["version"] == "2.1.0");
    CHECK(log["$schema"].get<std::string>().ends_with("/sarif-schema-2.1.0.json"));
    REQUIRE(log["runs"].size() == 1);
    check_run(log["runs"][0]);
  }

 private:
  static void require(const Json& object, const std::vector<const char*>& properties) {
    REQUIRE(object.is_object());
    for (const char* property : properties) {
      CAPTURE(property);
      CHECK(object.contains(property));
    }
  }

  void check_run(const Json& run) {
    require(run, {"tool"});
    require(run["tool"], {"driver"});
    const Json& driver = run["tool"]["driver"];
    require(driver, {"name"});
    std::set<std::string> ids;
    for (const Json& rule : driver["rules"]) {
      require(rule, {"id"});
      for (const char* text : {"shortDescription", "fullDescription", "help"})
        check_text(rule[text]);
      CHECK(ids.insert(rule["id"]).second);
    }
    CHECK(run["columnKind"] == "unicodeCodePoints");
    for (const Json& invocation : run["invocations"]) {
      require(invocation, {"executionSuccessful"});
      CHECK(invocation["executionSuccessful"].is_boolean());
    }
    for (const Json& result : run["results"]) check_result(result, driver["rules"]);
  }

  void check_text(const Json& message) {
    require(message, {"text"});
    CHECK_FALSE(message["text"].get<std::string>().empty());
  }

  void check_result(const Json& result, const Json& rules) {
    require(result, {"message"});
    check_text(result["message"]);
    CHECK((result["level"] == "error" || result["level"] == "warning"));
    CHECK(rules.at(result["ruleIndex"].get<size_t>())["id"] == result["ruleId"]);
    for (const Json& location : result["locations"]) check_location(location);
    std::set<int> ids;
    for (const Json& related : result.value("relatedLocations", Json::array())) {
      check_location(related);
      check_text(related["message"]);
      CHECK(ids.insert(related["id"].get<int>()).second);
    }
    for (const Json& fix : result.value("fixes", Json::array())) check_fix(fix);
  }

  void check_location(const Json& location) {
    require(location, {"physicalLocation"});
    const Json& place = location["physicalLocation"];
    require(place, {"artifactLocation", "region"});
    check_uri(place["artifactLocation"]);
    check_region(place["region"]);
  }

  void check_uri(const Json& artifact) {
    require(artifact, {"uri"});
    CHECK(artifact["uri"].get<std::string>().find_first_of(" \\\"<>") == std::string::npos);
  }

  void check_region(const Json& region) {
    require(region, {"startLine"});
    for (const auto& [name, number] : region.items()) CHECK(number.get<int>() >= 1);
    const bool one_line = region["startLine"] == region["endLine"];
    CHECK(region["startLine"] <= region["endLine"]);
    CHECK((!one_line || region["startColumn"] <= region["endColumn"]));
  }

  void check_fix(const Json& fix) {
    require(fix, {"artifactChanges"});
    CHECK_FALSE(fix["artifactChanges"].empty());
    for (const Json& change : fix["artifactChanges"]) {
      require(change, {"artifactLocation", "replacements"});
      check_uri(change["artifactLocation"]);
      CHECK_FALSE(change["replacements"].empty());
      for (const Json& replacement : change["replacements"]) {
        require(replacement, {"deletedRegion"});
        check_region(replacement["deletedRegion"]);
        check_text(replacement["insertedContent"]);
      }
    }
  }
};

TEST_CASE("the SARIF form of every bad input has what SARIF requires") {
  for (const auto& folder : corpus_cases()) {
    CAPTURE(folder.filename().string());
    const CorpusRun run(folder);
    const Json log = Json::parse(sarif_report(run.sink));
    SarifChecker checker(log);
    CHECK(log["runs"][0]["results"].size() == run.sink.all().size());
    CHECK(Json::parse(json_report(run.sink))["errors"] == run.sink.error_count());
  }
}

TEST_CASE("SARIF counts code points, and paths are URIs") {
  Sources sources;
  const Source* source = sources.add("/a b/\u00E9.yaml", "\u00E9\u6F22 Tenosr");
  DiagnosticSink sink;
  sink.error(Code::unknown_type, {source, 6, 12}, "unknown").suggest("Tensor");
  const Json result = Json::parse(sarif_report(sink))["runs"][0]["results"][0];
  const Json& place = result["locations"][0]["physicalLocation"];
  CHECK(place["artifactLocation"]["uri"] == "file:///a%20b/%C3%A9.yaml");
  CHECK(place["region"]["startColumn"] == 4);
  CHECK(place["region"]["endColumn"] == 10);
  CHECK(result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] ==
        "Tensor");
}

TEST_CASE("notes without a place are part of SARIF's message") {
  DiagnosticSink sink;
  sink.error(Code::unknown_type, {}, "what").note({}, "why");
  const Json result = Json::parse(sarif_report(sink))["runs"][0]["results"][0];
  CHECK(result["message"]["text"] == "what\nwhy");
  CHECK(result["locations"].empty());
}

}  // namespace
}  // namespace opweave::codegen

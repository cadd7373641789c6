// JSON Schema from the tables of keys. What the schemas take and refuse is tested with a validator,
// in tests/codegen/json_schema.
#include "codegen/json_schema/json_schema.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "codegen/json_schema/patterns.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::json;

Json schema_of(const KeyTable& table, bool list = true) {
  return Json::parse(json_schema({"test.json", "Test", &table, list}));
}

TEST_CASE("a key added to the table appears") {
  static constexpr std::string_view kWords[] = {"red", "green"};
  static constexpr Key kKeys[] = {
      {.name = "func", .shape = Shape::signature, .doc = "F.", .presence = Presence::required},
      {.name = "colour", .shape = Shape::word, .doc = "Its colour.", .words = kWords}};
  const Json entry = schema_of({kKeys})["items"];
  CHECK(entry["properties"]["colour"] ==
        Json{{"enum", {"red", "green"}}, {"description", "Its colour."}});
  CHECK(entry["required"] == Json{"func"});
  CHECK(entry["additionalProperties"] == false);
}

TEST_CASE("every key of the tables appears with its doc") {
  for (const SchemaFile& file : schema_files()) {
    const Json schema = Json::parse(json_schema(file));
    const Json& items = file.list ? schema["items"] : schema;
    const Json& entry = file.other ? items["else"] : items;
    CHECK(schema["$schema"] == "http://json-schema.org/draft-07/schema#");
    CHECK(entry["properties"].size() == file.keys->keys.size());
    for (const Key& key : file.keys->keys) {
      CAPTURE(key.name);
      CHECK(entry["properties"][std::string(key.name)]["description"] == key.doc);
      CHECK(key.doc.ends_with('.'));
    }
    if (file.other == nullptr) continue;
    CHECK(items["if"]["required"] == Json{"object"});
    CHECK(items["then"]["properties"].size() == file.other->keys.size());
    CHECK(items["then"]["required"] == Json{"object", "cpp", "header"});
  }
}

TEST_CASE("the keys of entries are in the checker's words") {
  const Json entry = schema_of(operator_keys())["items"];
  CHECK(entry["oneOf"].size() == 3);
  CHECK(entry["properties"]["tags"]["anyOf"][0]["items"]["enum"] ==
        Json{"nondeterministic", "random", "data_dependent", "copy", "contiguous", "expanded"});
  const Json derivative = schema_of(derivative_keys())["items"];
  CHECK(derivative["patternProperties"].size() == 1);
  CHECK_FALSE(derivative.contains("oneOf"));
}

TEST_CASE("the pattern of schemas is their form") {
  const std::regex pattern(signature_pattern(), std::regex::ECMAScript);
  for (const char* good :
       {"f() -> Tensor", "add_.Tensor(Tensor(a!) self, *, Scalar alpha=1) -> Tensor(a!)",
        "g(Tensor?[] xs, int[2]? d=[0, 1], str s='a, b') -> (Tensor v, Tensor i)",
        "h(Tensor x) -> ()", "j(Declared? d=None, *, Tensor x) -> Declared",
        "i(SymInt[1] n, float e=1e-05, MemoryFormat? m=None) -> Tensor(a)[]"}) {
    CAPTURE(good);
    CHECK(std::regex_match(good, pattern));
  }
  for (const char* bad : {"f(tensor self) -> Tensor", "f(Tensor self)", "f(Tensor) -> Tensor",
                          "f(Tensor self,int n) -> Tensor", "f -> Tensor", "1f() -> Tensor",
                          "f(Tensor self) -> Tensor rest more", "f(Tensor self -> Tensor"}) {
    CAPTURE(bad);
    CHECK_FALSE(std::regex_match(bad, pattern));
  }
}

TEST_CASE("the files of the repository are current") {
  for (const SchemaFile& file : schema_files()) {
    std::ifstream in("schemas/" + std::string(file.path), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    CAPTURE(file.path);
    INFO("run: opweave schema --out schemas");
    CHECK((text.str() == json_schema(file)));
  }
}

}  // namespace
}  // namespace opweave::codegen

// From tables of keys to JSON Schema.
#include "codegen/json_schema/json_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "codegen/json_schema/patterns.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::ordered_json;

Json strings(std::span<const std::string_view> words) {
  Json list = Json::array();
  for (std::string_view word : words) list.push_back(word);
  return list;
}

// Whatever YAML makes of an unquoted value: `doc: 5` is a number for it.
Json scalar() { return {{"type", Json::array({"string", "number", "boolean"})}, {"minLength", 1}}; }

// A name, alone or as an element of a list.
Json one_word(const Key& key) {
  if (!key.words.empty()) return {{"enum", strings(key.words)}};
  return {{"type", "string"}, {"pattern", "^" + name_pattern(key.names) + "$"}};
}

// A list, or one string with commas.
Json several_words(const Key& key) {
  Json list = {{"type", "array"}, {"items", one_word(key)}};
  if (key.presence == Presence::computes) list["minItems"] = 1;
  if (key.words.empty()) list["uniqueItems"] = true;
  const std::string pattern = key.words.empty() ? name_pattern(key.names) : any_of(key.words);
  return {{"anyOf", Json::array({list, {{"type", "string"}, {"pattern", comma_list(pattern)}}})}};
}

Json by_name(const Key& key) {
  const Json map = {{"type", "object"}, {"additionalProperties", scalar()}};
  return key.words.empty() ? map : Json{{"anyOf", Json::array({one_word(key), map})}};
}

Json sample(const Key& key) {
  const Json value = {{"type", Json::array({"string", "number", "boolean", "null"})}};
  const Json list = {{"type", "array"}, {"items", value}};
  return {{"anyOf", Json::array({{{"enum", strings(key.words)}}, value, list})}};
}

Json value_of(const Key& key, Shape shape);

// What `alone` says, or a mapping with one key.
Json or_fields(const Key& key, Json alone) {
  if (key.fields.empty()) return alone;
  Json properties = Json::object();
  for (const Key& field : key.fields) {
    properties[field.name] = value_of(field, field.shape);
    properties[field.name]["description"] = field.doc;
  }
  // Formulas are ways of which there is one; words may be given for each.
  const size_t most = key.fields.front().shape == Shape::word ? key.fields.size() : 1;
  const Json map = {{"type", "object"},
                    {"properties", properties},
                    {"additionalProperties", false},
                    {"minProperties", 1},
                    {"maxProperties", most}};
  return {{"anyOf", Json::array({std::move(alone), map})}};
}

Json text(const Key& key) { return key.names == Names::any ? scalar() : one_word(key); }

Json by_argument(Json value) {
  return {{"type", "object"},
          {"propertyNames", {{"pattern", "^" + name_pattern(Names::arguments) + "$"}}},
          {"additionalProperties", std::move(value)}};
}

// An argument of a call: any value, but what looks like a drawn tensor has to be one.
Json call_value(const Key& key) {
  const Json drawn = {{"type", "string"}, {"pattern", drawn_pattern(key.words)}};
  const Json other = {{"type", "string"}, {"pattern", "^[^(]*$"}};
  const Json plain = {{"type", Json::array({"number", "boolean", "null", "array"})}};
  return {{"anyOf", Json::array({drawn, other, plain})}};
}

Json samples(const Key& key) {
  const Json calls = {{"type", "array"}, {"items", by_argument(call_value(key))}, {"minItems", 1}};
  return {{"anyOf", Json::array({by_argument(sample(key)), calls})}};
}

// An expression, or a list with one for each size; or a mapping of what a result looks like.
Json output(const Key& key) {
  const Json sizes = {{"anyOf", Json::array({scalar(), {{"type", "array"}, {"items", scalar()}}})}};
  Json properties = Json::object();
  for (const Key& field : key.fields) {
    properties[field.name] = field.name == "sizes" ? sizes : scalar();
    properties[field.name]["description"] = field.doc;
  }
  const Json map = {
      {"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  return {{"anyOf", Json::array({sizes, map})}};
}

// Of one result, or of several by their names.
Json result(const Key& key) {
  const Json several = {{"type", "object"}, {"additionalProperties", output(key)}};
  return {{"anyOf", Json::array({output(key), several})}};
}

// Of `over`.
Json dims() {
  const Json listed = {{"type", "array"}, {"items", scalar()}, {"minItems", 1}};
  const Json one = {{"anyOf", Json::array({scalar(), listed})}};
  const Json named = {{"type", "object"},
                      {"additionalProperties", one},
                      {"minProperties", 1},
                      {"maxProperties", 1}};
  return {{"anyOf", Json::array({scalar(), listed, named})}};
}

Json value_of(const Key& key, Shape shape) {
  switch (shape) {
    case Shape::text:
      return text(key);
    case Shape::signature:
      return {{"type", "string"}, {"pattern", signature_pattern()}};
    case Shape::formula:
      return or_fields(key, scalar());
    case Shape::formulas:
      return {{"anyOf", Json::array({scalar(), by_name({})})}};
    case Shape::dims:
      return dims();
    case Shape::boolean:
      return {{"type", "boolean"}};
    case Shape::word:
      return or_fields(key, one_word(key));
    case Shape::words:
      return several_words(key);
    case Shape::booleans:
      return {{"type", "array"}, {"items", {{"type", "boolean"}}}};
    case Shape::by_argument:
      return by_argument(value_of(key, key.element));
    case Shape::by_name:
      return by_name(key);
    case Shape::result:
      return result(key);
    case Shape::samples:
      return samples(key);
  }
  return {};
}

Json described(const Key& key) {
  Json value = value_of(key, key.shape);
  value["description"] = key.doc;
  return value;
}

// Exactly one of the keys that say how an operator computes.
Json one_implementation(const KeyTable& table) {
  Json choices = Json::array();
  for (const Key& key : table.keys) {
    if (key.presence == Presence::computes)
      choices.push_back({{"required", Json::array({key.name})}});
  }
  return choices;
}

Json entry(const KeyTable& table) {
  Json properties = Json::object(), required = Json::array();
  for (const Key& key : table.keys) {
    properties[key.name] = described(key);
    if (key.presence == Presence::required) required.push_back(key.name);
  }
  Json object = {{"type", "object"}, {"properties", properties}, {"required", required}};
  if (table.other != nullptr) {
    // Patterns count for the keys of the table as well, unless they leave them out.
    const std::string names =
        "^(?!" + any_of(table.names()) + "$)" + comma_list(name_pattern(table.other->names));
    object["patternProperties"] = {{names, described(*table.other)}};
  }
  object["additionalProperties"] = false;
  if (const Json choices = one_implementation(table); !choices.empty()) object["oneOf"] = choices;
  return object;
}

// An entry of the one kind or of the other, which its first key tells.
Json entries(const SchemaFile& file) {
  if (file.other == nullptr) return entry(*file.keys);
  const Json of_other = {{"required", Json::array({file.other->keys[0].name})}};
  return {{"if", of_other}, {"then", entry(*file.other)}, {"else", entry(*file.keys)}};
}

}  // namespace

std::span<const SchemaFile> schema_files() {
  static const SchemaFile kFiles[] = {
      {"ops.schema.json", "Operators of Opweave", &operator_keys(), true, &object_keys()},
      {"derivatives.schema.json", "Derivatives of Opweave's operators", &derivative_keys()},
      {"target.schema.json", "A hardware target of Opweave", &target_keys(), false}};
  return kFiles;
}

std::string json_schema(const SchemaFile& file) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", file.title},
                 {"$comment", "Printed by `opweave schema` from codegen/model/entries/keys.def."}};
  if (file.list) {
    schema.update({{"type", "array"}, {"items", entries(file)}});
  } else {
    schema.update(entry(*file.keys));
  }
  return schema.dump(2) + "\n";
}

}  // namespace opweave::codegen

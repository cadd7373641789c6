// Reads declarations of types of objects.
#include "codegen/model/entries/object_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/keys.h"
#include "codegen/syntax/keywords.h"
#include "codegen/syntax/yaml_places.h"
#include "schema/object_types.h"
#include "schema/python_text.h"
#include "schema/type.h"

namespace opweave::codegen {
namespace {

// `counting::Counter`.
bool is_qualified_name(std::string_view text) {
  while (true) {
    const size_t end = text.find("::");
    const std::string_view name = text.substr(0, end);
    if (!is_identifier(name) || is_cpp_keyword(name)) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

// `counting/counter.h`.
bool is_relative_path(std::string_view text) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";
  const bool leaves = fmt::format("/{}/", text).find("/../") != std::string::npos;
  return !text.empty() && text[0] != '/' && text.back() != '/' && !leaves &&
         text.find_first_not_of(kLetters) == std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(DiagnosticSink& sink) : sink_(sink), fields_(sink) {}

  // Nothing is returned only after a report.
  std::optional<ObjectDeclaration> read(const YamlNode& node, bool imported) {
    declaration_ = {.imported = imported};
    fields_.set_owner("");
    const size_t errors_before = sink_.error_count();
    for (const YamlNode::Entry& field : node.entries) {
      if (field.key.text == "object") read_name(field.key, *field.value);
    }
    for (const YamlNode::Entry& field : node.entries) read_field(field.key, *field.value);
    for (const Key& key : object_keys().keys) require(key, node);
    if (sink_.error_count() > errors_before) return {};
    return declaration_;
  }

 private:
  void read_name(const LocatedText& key, const YamlNode& value) {
    const std::optional<LocatedText> name = fields_.text(key, value);
    if (!name) return;
    declaration_.name = name->text;
    fields_.set_owner(declaration_.name);
    if (is_type_name(name->text)) return;
    sink_
        .error(Code::bad_value, name->whole(),
               fmt::format("'{}' cannot be the name of a type of objects", name->text))
        .note({}, "letters, digits and '_', a capital first, and no name of a type that there is");
  }

  // One that schemas, C++ and Python can spell.
  static bool is_type_name(std::string_view name) {
    const bool capital = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
    const std::optional<schema::BaseType> known = schema::base_type_from_name(name);
    return capital && is_identifier(name) && !schema::is_python_keyword(name) &&
           (!known || *known > schema::BaseType::object);
  }

  void read_field(const LocatedText& key, const YamlNode& value) {
    if (key.text == "object") return;
    if (object_keys().find(key.text) == nullptr) {
      return fields_.unknown_key(key, object_keys().names());
    }
    const std::optional<LocatedText> text = fields_.text(key, value);
    if (!text) return;
    if (key.text == "cpp") check_cpp(*text);
    if (key.text == "header") check_header(*text);
    std::string& field = key.text == "cpp"      ? declaration_.cpp
                         : key.text == "header" ? declaration_.header
                         : key.text == "python" ? declaration_.python
                                                : declaration_.doc;
    field = text->text;
    if (key.text == "python" && !is_class_path(text->text)) {
      sink_
          .error(Code::bad_value, text->whole(),
                 fmt::format("'{}' is not where Python finds a class", text->text))
          .note({}, fmt::format("a module and the type's name: 'package.{}'", declaration_.name));
    }
  }

  // "package.module.Name", with the name that schemas use.
  bool is_class_path(std::string_view path) const {
    const size_t dot = path.rfind('.');
    if (dot == std::string_view::npos || path.substr(dot + 1) != declaration_.name) return false;
    for (std::string_view rest = path.substr(0, dot); !rest.empty();) {
      const size_t end = std::min(rest.find('.'), rest.size());
      const std::string_view part = rest.substr(0, end);
      if (!is_identifier(part) || schema::is_python_keyword(part) || end + 1 == rest.size())
        return false;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return dot > 0;
  }

  // Both stand in generated C++ as they are.
  void check_cpp(const LocatedText& name) {
    if (is_qualified_name(name.text)) return;
    sink_
        .error(Code::bad_value, name.whole(),
               fmt::format("'{}' cannot be the type of C++ of '{}'", name.text, declaration_.name))
        .note({}, "names joined by '::', as in 'counting::Counter'");
  }

  void check_header(const LocatedText& path) {
    if (is_relative_path(path.text)) return;
    sink_
        .error(Code::bad_value, path.whole(),
               fmt::format("'{}' cannot be the header of '{}'", path.text, declaration_.name))
        .note({},
              "a path as '#include' has it, of letters, digits and '_-+./', which does not "
              "leave its folder by '..'");
  }

  void require(const Key& key, const YamlNode& node) {
    const auto given = [&](const YamlNode::Entry& field) { return field.key.text == key.name; };
    if (key.presence != Presence::required || std::ranges::any_of(node.entries, given)) return;
    sink_.error(Code::missing_key, extent(node),
                fmt::format("the type '{}' has no '{}'", declaration_.name, key.name));
  }

  DiagnosticSink& sink_;
  Fields fields_;
  ObjectDeclaration declaration_;
};

}  // namespace

bool is_object_entry(const YamlNode& entry) {
  return entry.is_map() && std::ranges::any_of(entry.entries, [](const YamlNode::Entry& field) {
           return field.key.text == "object";
         });
}

void read_object_entries(const YamlNode& root, bool imported,
                         std::vector<ObjectDeclaration>& declared, DiagnosticSink& sink) {
  if (!root.is_sequence()) return;  // said where operators are read
  Reader reader(sink);
  for (const YamlNode* item : root.items) {
    if (!is_object_entry(*item)) continue;
    std::optional<ObjectDeclaration> type = reader.read(*item, imported);
    if (!type) continue;
    if (std::ranges::count(declared, type->name, &ObjectDeclaration::name) > 0) {
      sink.error(Code::duplicate_operator, extent(*item),
                 fmt::format("the type '{}' is declared twice", type->name));
      continue;
    }
    schema::declare_object_type({.name = type->name,
                                 .cpp = "::" + type->cpp,
                                 .python = type->name,
                                 .header = type->header});
    declared.push_back(*std::move(type));
  }
}

}  // namespace opweave::codegen

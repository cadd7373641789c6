// Reads derivatives.yaml.
#include "codegen/model/entries/derivative_entry.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/keys.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {
namespace {

class DerivativeReader {
 public:
  explicit DerivativeReader(DiagnosticSink& sink) : sink_(sink), fields_(sink) {}

  std::optional<DerivativeEntry> read(const YamlNode& node) {
    DerivativeEntry entry;
    size_t errors_before = sink_.error_count();
    fields_.set_owner(owner(node));
    for (const YamlNode::Entry& field : node.entries) {
      (this->*reader_of(field.key.text))(field.key, *field.value, entry);
    }
    entry.damaged = sink_.error_count() > errors_before;
    if (entry.name.source != nullptr) return entry;
    if (has_key(node, "name")) return {};
    sink_.error(Code::missing_key, extent(node),
                "this entry has no 'name': the operator it is for");
    return {};
  }

 private:
  static std::string owner(const YamlNode& node) {
    for (const YamlNode::Entry& field : node.entries) {
      if (field.key.text == "name" && field.value->is_scalar())
        return std::string(field.value->text.text);
    }
    return "";
  }

  using Reader = void (DerivativeReader::*)(const LocatedText& key, const YamlNode& value,
                                            DerivativeEntry& entry);
  // Every key that is not in the table names arguments.
  static Reader reader_of(std::string_view key) {
    // In the order of derivative_keys().
    static constexpr Reader kReaders[] = {
#define OPWEAVE_DERIVATIVE_KEY(key, ...) &DerivativeReader::read_##key,
#include "codegen/model/entries/keys.def"
    };
    const KeyTable& table = derivative_keys();
    const Key* known = table.find(key);
    return known == table.other ? &DerivativeReader::read_line
                                : kReaders[known - table.keys.data()];
  }

  static bool has_key(const YamlNode& node, std::string_view name) {
    return std::ranges::any_of(node.entries,
                               [&](const auto& field) { return field.key.text == name; });
  }

  void read_name(const LocatedText& key, const YamlNode& value, DerivativeEntry& entry) {
    if (const std::optional<LocatedText> name = fields_.text(key, value)) entry.name = *name;
  }

  void read_keeps(const LocatedText& key, const YamlNode& value, DerivativeEntry& entry) {
    if (const std::optional<LocatedText> reason = fields_.text(key, value))
      entry.keeps = std::string(reason->text);
  }

  void read_line(const LocatedText& key, const YamlNode& value, DerivativeEntry& entry) {
    std::optional<LocatedText> formula = fields_.text(key, value);
    if (formula && fields_.check_commas(key, fmt::format("the key '{}'", key.text))) {
      entry.lines.push_back({split_words(key), *formula});
    }
  }

  void read_output_differentiability(const LocatedText& key, const YamlNode& value,
                                     DerivativeEntry& entry) {
    entry.output_differentiability_span = key.whole();
    if (!value.is_sequence()) return fields_.wrong_kind(key, value, "a list of true and false");
    std::vector<bool> outputs;
    for (const YamlNode* item : value.items) {
      std::optional<bool> output = fields_.boolean(key, *item);
      if (!output) return;
      outputs.push_back(*output);
    }
    entry.output_differentiability = std::move(outputs);
  }

  DiagnosticSink& sink_;
  Fields fields_;
};

}  // namespace

std::vector<DerivativeEntry> read_derivative_entries(const YamlNode& root, const Source& source,
                                                     DiagnosticSink& sink) {
  std::vector<DerivativeEntry> entries;
  if (root.is_null()) return entries;
  if (!root.is_sequence()) {
    sink.error(
        Code::wrong_kind, extent(root),
        fmt::format("{} must hold a list of derivatives, not {}", source.path(), describe(root)));
    return entries;
  }
  DerivativeReader reader(sink);
  for (const YamlNode* item : root.items) {
    if (item->is_map()) {
      std::optional<DerivativeEntry> entry = reader.read(*item);
      if (entry) entries.push_back(std::move(*entry));
    } else {
      sink.error(Code::wrong_kind, extent(*item),
                 fmt::format("an entry must be a mapping that begins with 'name:', not {}",
                             describe(*item)));
    }
  }
  return entries;
}

}  // namespace opweave::codegen

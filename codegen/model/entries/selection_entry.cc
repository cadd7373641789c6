// Reads a selection.
#include "codegen/model/entries/selection_entry.h"

#include <fmt/format.h>

#include "codegen/model/entries/entry.h"
#include "codegen/model/entries/fields.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {
namespace {

class SelectionReader {
 public:
  explicit SelectionReader(DiagnosticSink& sink) : sink_(sink), fields_(sink) {}

  std::optional<SelectionEntry> read(const YamlNode& root, const Source& source) {
    if (!root.is_map()) {
      sink_.error(Code::wrong_kind, root.is_null() ? Span{&source, 0, 0} : extent(root),
                  fmt::format("{} must hold a mapping with 'operators', not {}", source.path(),
                              describe(root)));
      return {};
    }
    const size_t errors_before = sink_.error_count();
    bool has_operators = false;
    for (const YamlNode::Entry& field : root.entries) {
      has_operators |= field.key.text == "operators";
      read_field(field.key, *field.value);
    }
    if (sink_.error_count() > errors_before) return {};
    if (has_operators) return std::move(selection_);
    sink_.error(Code::missing_key, extent(root), "this selection has no 'operators'")
        .note({}, "list the names of operators, or write 'operators: all'");
    return {};
  }

 private:
  void read_field(const LocatedText& key, const YamlNode& value) {
    if (key.text == "operators") {
      read_operators(key, value);
    } else if (key.text == "dtypes") {
      selection_.dtypes = read_dtype_set(fields_, key, value);
    } else if (key.text == "gradients") {
      selection_.gradients = fields_.boolean(key, value).value_or(true);
    } else {
      fields_.unknown_key(key, {"operators", "dtypes", "gradients"});
    }
  }

  void read_operators(const LocatedText& key, const YamlNode& value) {
    if (value.is_scalar() && value.text.text == "all") {
      selection_.all = true;
      return;
    }
    if (!value.is_sequence()) {
      return fields_.wrong_kind(key, value, "a list of operators, or 'all'");
    }
    for (const YamlNode* item : value.items) {
      if (item->is_scalar()) {
        selection_.operators.push_back({item->text, {}});
      } else if (item->is_map()) {
        read_operator(*item);
      } else {
        fields_.wrong_kind(key, *item, "a list of names or mappings");
      }
    }
  }

  void read_operator(const YamlNode& item) {
    SelectedName selected;
    bool has_name = false;
    for (const YamlNode::Entry& field : item.entries) {
      if (field.key.text == "name") {
        const std::optional<LocatedText> name = fields_.text(field.key, *field.value);
        if (!name) return;
        selected.name = *name;
        has_name = true;
        fields_.set_owner(std::string(name->text));
      } else if (field.key.text == "dtypes") {
        selected.dtypes = read_dtype_set(fields_, field.key, *field.value);
      } else {
        fields_.unknown_key(field.key, {"name", "dtypes"});
      }
    }
    fields_.set_owner("");
    if (has_name) {
      selection_.operators.push_back(selected);
    } else {
      sink_.error(Code::missing_key, extent(item), "this entry has no 'name' of an operator");
    }
  }

  DiagnosticSink& sink_;
  Fields fields_;
  SelectionEntry selection_;
};

}  // namespace

std::optional<SelectionEntry> read_selection(const YamlNode& root, const Source& source,
                                             DiagnosticSink& sink) {
  return SelectionReader(sink).read(root, source);
}

}  // namespace opweave::codegen

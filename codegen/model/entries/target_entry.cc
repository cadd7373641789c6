// Reads a target's YAML file.
#include "codegen/model/entries/target_entry.h"

#include <fmt/format.h>

#include "codegen/model/declarations/kernel_words.h"
#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/keys.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {
namespace {

std::string kernel_words() {
  std::string words;
  for (const KernelWord& word : kKernelWords)
    words += fmt::format("{}'{}'", words.empty() ? "" : ", ", word.name);
  return words;
}

void check_name(const LocatedText& name, DiagnosticSink& sink) {
  if (is_target_name(name.text) && find_kernel_word(name.text) == nullptr) return;
  sink.error(Code::bad_value, name.whole(),
             fmt::format("'{}' cannot be the name of a target", name.text))
      .note({}, fmt::format("lower-case letters, digits and '_'; taken are: {}", kernel_words()));
}

}  // namespace

std::optional<TargetEntry> read_target_entry(const YamlNode& root, const Source& source,
                                             DiagnosticSink& sink) {
  if (!root.is_map()) {
    sink.error(Code::wrong_kind, root.is_null() ? Span{&source, 0, 0} : extent(root),
               fmt::format("{} must hold a mapping with the 'name' of a target, not {}",
                           source.path(), describe(root)));
    return {};
  }
  TargetEntry target;
  bool has_name = false;
  Fields fields(sink);
  for (const YamlNode::Entry& field : root.entries) {
    if (field.key.text == "name" || field.key.text == "doc") {
      const std::optional<LocatedText> text = fields.text(field.key, *field.value);
      if (!text) return {};
      if (field.key.text == "doc") {
        target.doc = text->text;
      } else {
        target.name = *text;
        fields.set_owner(std::string(text->text));
        has_name = true;
        check_name(*text, sink);
      }
    } else if (field.key.text == "kernels") {
      target.kernels = fields.words(field.key, *field.value).value_or(std::vector<LocatedText>());
    } else {
      fields.unknown_key(field.key, target_keys().names());
    }
  }
  if (has_name) return target;
  sink.error(Code::missing_key, extent(root),
             "this file has no 'name': the target that it is about");
  return {};
}

}  // namespace opweave::codegen

// Reads a target's YAML file.
#include "codegen/model/entries/target_entry.h"

#include <fmt/format.h>

#include "codegen/model/entries/fields.h"
#include "codegen/model/entries/kernel_words.h"
#include "codegen/model/entries/keys.h"
#include "codegen/model/operators/python_names.h"
#include "codegen/syntax/yaml_places.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

std::string kernel_words() {
  std::string words;
  for (const KernelWord& word : kKernelWords)
    words += fmt::format("{}'{}'", words.empty() ? "" : ", ", word.name);
  return words;
}

// `opweave.NAME` is the target's module, `tensor.is_NAME` asks for it: what stands in their place,
// and is not of a target that Python knows by name.
std::string taken_by(std::string_view name) {
  if (schema::is_python_keyword(name)) return fmt::format("'{}' is a keyword of Python", name);
  const std::string question = fmt::format("is_{}", name);
  const std::string_view module = python_meaning(kPackageScope, name);
  const std::string_view asked = python_meaning(kMethodScope, question);
  const bool known = module == "a module" && asked == "an attribute of tensors";
  if (!module.empty() && !known)
    return fmt::format("{}.{} in Python is {}", kPackageScope, name, module);
  if (asked == "a method" || asked == "a state of tensors")
    return fmt::format("Tensor.{} in Python is {}", question, asked);
  return "";
}

void check_name(const LocatedText& name, DiagnosticSink& sink) {
  if (is_target_name(name.text) && find_kernel_word(name.text) == nullptr) {
    if (const std::string why = taken_by(name.text); !why.empty()) {
      sink.error(Code::names_collide, name.whole(),
                 fmt::format("'{}' cannot be the name of a target: {}", name.text, why));
    }
    return;
  }
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

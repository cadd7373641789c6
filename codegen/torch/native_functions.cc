// Reads native_functions.yaml.
#include "codegen/torch/native_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/entries/fields.h"

namespace opweave::codegen::torch {
namespace {

// The keys that torchgen's model knows.
const std::vector<std::string_view> kKeys = {"func",
                                             "autogen",
                                             "category_override",
                                             "cpp_no_default_args",
                                             "device_check",
                                             "device_guard",
                                             "dispatch",
                                             "manual_cpp_binding",
                                             "manual_kernel_registration",
                                             "precomputed",
                                             "python_module",
                                             "structured",
                                             "structured_delegate",
                                             "structured_inherits",
                                             "tags",
                                             "ufunc_inner_loop",
                                             "use_const_ref_for_mutable_tensors",
                                             "variants"};

class FunctionReader {
 public:
  FunctionReader(NativeFunctions& functions, DiagnosticSink& sink)
      : functions_(functions), sink_(sink), fields_(sink) {}

  void read(const YamlNode& node) {
    NativeFunction function;
    bool has_schema = false;
    for (const YamlNode::Entry& field : node.entries) {
      if (field.key.text == "func") {
        if (!read_schema(field, function)) return;
        has_schema = true;
      } else {
        read_field(field.key, *field.value, function);
      }
    }
    if (!has_schema) {
      const Span span = node.entries.empty() ? node.span : node.entries[0].key.whole();
      sink_.error(Code::missing_key, span, "this entry has no 'func': the schema of the operator");
      return;
    }
    add(std::move(function));
  }

 private:
  bool read_schema(const YamlNode::Entry& field, NativeFunction& function) {
    const auto text = fields_.text(field.key, *field.value);
    if (!text) return false;
    auto schema = parse_schema(*text, sink_);
    if (!schema) return false;
    function.schema = std::move(*schema);
    function.full_name = function.schema.full_name();
    return true;
  }

  void add(NativeFunction function) {
    const Span span = function.schema.name_span;
    const std::string name = function.full_name;
    if (functions_.add(std::move(function))) return;
    sink_.error(Code::duplicate_operator, span, fmt::format("'{}' is defined twice", name))
        .note(functions_.find(name)->schema.name_span, "first defined here");
  }

  void read_field(const LocatedText& key, const YamlNode& value, NativeFunction& function) {
    if (std::ranges::find(kKeys, key.text) == kKeys.end()) {
      fields_.unknown_key(key, kKeys);
    } else if (key.text == "variants") {
      const auto words = names(key, value);
      function.is_method = std::ranges::find(words, "method") != words.end();
    } else if (key.text == "autogen") {
      for (const std::string_view name : names(key, value)) functions_.add_generated(name);
    } else if (key.text == "tags") {
      function.tags = names(key, value);
    } else if (key.text == "python_module") {
      if (const auto text = fields_.text(key, value)) function.python_module = text->text;
    } else if (key.text.starts_with("structured")) {
      function.is_structured = true;
    } else if (key.text == "dispatch") {
      read_dispatch(key, value, function);
    }
  }

  std::vector<std::string_view> names(const LocatedText& key, const YamlNode& value) {
    std::vector<std::string_view> names;
    if (const auto words = fields_.words(key, value)) {
      for (const LocatedText& word : *words) names.push_back(word.text);
    }
    return names;
  }

  void read_dispatch(const LocatedText& key, const YamlNode& value, NativeFunction& function) {
    if (!value.is_map()) {
      sink_.error(Code::wrong_kind, value.is_null() ? key.whole() : value.span,
                  fmt::format("'dispatch' must be a mapping of kernels, not {}", kind_name(value)));
      return;
    }
    for (const YamlNode::Entry& kernel : value.entries) {
      for (const LocatedText& word : split_words(kernel.key))
        function.dispatch_keys.push_back(word.text);
    }
  }

  NativeFunctions& functions_;
  DiagnosticSink& sink_;
  Fields fields_;
};

}  // namespace

const NativeFunction* NativeFunctions::find(std::string_view full_name) const {
  const auto found = by_name_.find(full_name);
  return found == by_name_.end() ? nullptr : found->second;
}

bool NativeFunctions::add(NativeFunction function) {
  if (by_name_.contains(function.full_name)) return false;
  const NativeFunction& kept = functions_.emplace_back(std::move(function));
  by_name_.emplace(kept.full_name, &kept);
  base_names_.insert(kept.schema.base_name);
  if (kept.is_method) methods_.insert(kept.schema.base_name);
  return true;
}

void NativeFunctions::add_generated(std::string_view full_name) {
  generated_.insert(full_name);
  base_names_.insert(full_name.substr(0, full_name.find('.')));
}

NativeFunctions read_native_functions(const YamlNode& root, const Source& source,
                                      DiagnosticSink& sink) {
  NativeFunctions functions;
  FunctionReader reader(functions, sink);
  for (const YamlNode* entry : entries_of(root, source, "func", sink)) reader.read(*entry);
  return functions;
}

std::vector<const YamlNode*> entries_of(const YamlNode& root, const Source& source,
                                        std::string_view first_key, DiagnosticSink& sink) {
  if (!root.is_sequence()) {
    const Span span = root.span ? root.span : Span{&source, 0, 0};
    sink.error(
        root.is_null() ? Code::empty_file : Code::wrong_kind, span,
        fmt::format("{} must hold a list of entries, not {}", source.path(), kind_name(root)));
    return {};
  }
  std::vector<const YamlNode*> entries;
  for (const YamlNode* item : root.items) {
    if (item->is_map()) {
      entries.push_back(item);
    } else {
      sink.error(Code::wrong_kind, item->span,
                 fmt::format("an entry must be a mapping that begins with '{}:', not {}", first_key,
                             kind_name(*item)));
    }
  }
  return entries;
}

}  // namespace opweave::codegen::torch

// The table of PyTorch's operators, and what each of them says of itself.
#include "codegen/torch/native_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/torch/entry_values.h"
#include "codegen/torch/exemptions.h"
#include "codegen/torch/function_reader.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kImplicit = "CompositeImplicitAutograd";
constexpr std::string_view kNested = "CompositeImplicitAutogradNestedTensor";

bool may_be_anything(const Type& type) {
  return type.alias && std::ranges::find(type.alias->after, "*") != type.alias->after.end();
}

}  // namespace

bool NativeFunction::has_tag(std::string_view tag) const {
  return std::ranges::find(tags, tag) != tags.end();
}

const NativeKernel* NativeFunction::kernel_of(std::string_view key) const {
  const auto found = std::ranges::find_if(
      kernels, [&](const NativeKernel& kernel) { return kernel.key.text == key; });
  return found == kernels.end() ? nullptr : &*found;
}

bool NativeFunction::is_implicit() const {
  if (kernel_of(kImplicit)) return true;
  return !has_dispatch && !in_structured_group() && !has_loops;
}

bool NativeFunction::is_abstract() const {
  if (delegate || has_loops) return true;
  if (!has_dispatch) return !is_implicit();
  return kernels.empty() || std::ranges::any_of(kernels, [](const NativeKernel& kernel) {
           return kernel.key.text != kImplicit && kernel.key.text != kNested;
         });
}

bool NativeFunction::is_view() const {
  const bool returns_view = std::ranges::any_of(
      schema.returns, [](const Return& r) { return r.type.alias && !r.type.alias->write; });
  if (returns_view) return true;
  if (has_tag("inplace_view") && !is_exempt(Exemption::resizes, full_name)) return true;
  return std::ranges::any_of(schema.arguments,
                             [](const Argument& a) { return may_be_anything(a.type); });
}

Span NativeFunction::place(std::string_view key) const {
  for (const YamlNode::Entry& field : node->entries) {
    if (field.key.text == key) return field.key.whole();
  }
  return schema.name_span;
}

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
                                      const std::vector<std::string_view>& tags,
                                      DiagnosticSink& sink) {
  NativeFunctions functions;
  FunctionReader reader(functions, tags, sink);
  for (const YamlNode* entry : entries_of(root, source, "func", sink)) reader.read(*entry);
  return functions;
}

std::vector<std::string_view> known_tags() {
  return {
#define OPWEAVE_TORCH_TAG(name) #name,
#include "codegen/torch/words.def"
  };
}

std::vector<std::string_view> read_tags(const YamlNode& root, const Source& source,
                                        DiagnosticSink& sink) {
  std::vector<std::string_view> tags;
  EntryValues values(sink);
  for (const YamlNode* entry : entries_of(root, source, "tag", sink)) {
    bool is_named = false, is_described = false;
    for (const YamlNode::Entry& field : entry->entries) {
      if (field.key.text == "tag") {
        if (const auto tag = values.text(field.key, *field.value, "name"))
          tags.push_back(tag->text);
      }
      is_named |= field.key.text == "tag";
      is_described |=
          field.key.text == "desc" && !(field.value->is_scalar() && field.value->text.text.empty());
    }
    if (is_named && is_described) continue;
    sink.error(Code::missing_key, entry->span,
               is_named ? "this tag has no 'desc': what it means"
                        : "this entry has no 'tag': the name of the tag");
  }
  return tags;
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

// The keys of native_functions.yaml.
#include "codegen/torch/function_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/fields.h"
#include "codegen/syntax/yaml_places.h"
#include "codegen/torch/dispatch_table.h"
#include "codegen/torch/entry_rules.h"
#include "codegen/torch/inner_loops.h"
#include "codegen/torch/precomputed.h"
#include "codegen/torch/schema_rules.h"
#include "codegen/torch/yaml_kinds.h"

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

const YamlNode::Entry* find_key(const YamlNode& node, std::string_view key) {
  const auto found = std::ranges::find_if(
      node.entries, [&](const YamlNode::Entry& field) { return field.key.text == key; });
  return found == node.entries.end() ? nullptr : &*found;
}

}  // namespace

void FunctionReader::read(const YamlNode& node) {
  values_.set_owner("");
  const YamlNode::Entry* schema = find_key(node, "func");
  if (!schema || schema->value->is_null()) {
    const Span span = node.entries.empty() ? node.span : node.entries[0].key.whole();
    sink_.error(Code::missing_key, span, "this entry has no 'func': the schema of the operator");
    return;
  }
  NativeFunction function;
  function.node = &node;
  if (!read_schema(schema->key, *schema->value, function)) return;
  values_.set_owner(function.full_name);
  const size_t before = sink_.error_count();
  understand(function);
  for (const YamlNode::Entry& field : node.entries) {
    if (&field != schema) read_field(field.key, *field.value, function);
  }
  if (function.is_sound && sink_.error_count() == before) check_entry(function, sink_);
  function.is_sound &= sink_.error_count() == before;
  add(std::move(function));
}

bool FunctionReader::read_schema(const LocatedText& key, const YamlNode& value,
                                 NativeFunction& function) {
  auto text = values_.text(key, value, "f(Tensor self) -> Tensor");
  if (!text || !read_namespace(*text, function)) return false;
  auto schema = parse_schema(*text, sink_);
  if (!schema) return false;
  function.schema = std::move(*schema);
  function.full_name = function.schema.full_name();
  return true;
}

// `mine::f(...)`: one namespace, in front of the schema.
bool FunctionReader::read_namespace(LocatedText& text, NativeFunction& function) {
  function.name_space = "aten";
  const std::string_view name = text.text.substr(0, text.text.find('('));
  const size_t end = name.find("::");
  if (end == std::string_view::npos) return true;
  if (const size_t last = name.rfind("::"); last != end) {
    sink_
        .error(Code::schema_syntax, slice(text, 0, last).whole(),
               "an operator is in one namespace, not several")
        .suggest(std::string(name.substr(0, end)));
    return false;
  }
  if (end > 0) function.name_space = name.substr(0, end);
  text = slice(text, end + 2, text.text.size() - end - 2);
  return true;
}

void FunctionReader::understand(NativeFunction& function) {
  const Schema& schema = function.schema;
  NameProblem problem;
  auto name = parse_operator_name(schema.base_name, schema.overload_name, problem);
  if (!name) {
    auto& diagnostic = sink_.error(Code::bad_schema_name, schema.name_span, problem.message);
    if (!problem.advice.empty()) diagnostic.note({}, problem.advice);
    return;
  }
  function.name = std::move(*name);
  function.parts.emplace(schema);
  function.is_sound = check_schema(schema, *function.parts, function.name, sink_);
  if (!function.is_sound) return;
  function.kind = kind_of(*function.parts, function.name);
  const auto of = [&](SignatureOf what) {
    return signature(schema, *function.parts, function.name, what);
  };
  function.signature = of(SignatureOf::forms);
  function.view_signature = of(SignatureOf::views);
}

void FunctionReader::add(NativeFunction function) {
  const Span span = function.schema.name_span;
  const std::string name = function.full_name;
  if (functions_.add(std::move(function))) return;
  sink_.error(Code::duplicate_operator, span, fmt::format("'{}' is defined twice", name))
      .note(functions_.find(name)->schema.name_span, "first defined here");
}

void FunctionReader::read_field(const LocatedText& key, const YamlNode& value,
                                NativeFunction& function) {
  if (std::ranges::find(kKeys, key.text) == kKeys.end()) {
    sink_.error(Code::unknown_key, key.whole(), fmt::format("unknown key '{}'", key.text))
        .suggest(closest(key.text, kKeys))
        .note({}, fmt::format("the keys are: {}", fmt::join(kKeys, ", ")));
  } else if (!read_truth(key, value, function) && !read_word(key, value, function)) {
    read_table(key, value, function);
  }
}

// Keys whose value is True or False. Whether the key is one.
bool FunctionReader::read_truth(const LocatedText& key, const YamlNode& value,
                                NativeFunction& function) {
  bool ignored = false;
  bool* target = key.text == "structured"                          ? &function.structured
                 : key.text == "manual_cpp_binding"                ? &function.manual_cpp
                 : key.text == "manual_kernel_registration"        ? &function.manual_registration
                 : key.text == "device_guard"                      ? &function.device_guard
                 : key.text == "use_const_ref_for_mutable_tensors" ? &ignored
                                                                   : nullptr;
  if (!target) return false;
  *target = values_.boolean(key, value).value_or(false);
  if (key.text == "structured") function.is_structured |= *target;
  if (ignored && function.is_sound && !function.parts->out.empty()) {
    values_.bad_value(key, value, "cannot be True for what writes into out arguments")
        .note({}, "leave the key out");
  }
  return true;
}

// Keys whose value is one text, and may be nothing. Whether the key is one.
bool FunctionReader::read_word(const LocatedText& key, const YamlNode& value,
                               NativeFunction& function) {
  constexpr std::string_view kTexts[] = {"structured_delegate", "structured_inherits",
                                         "python_module", "category_override", "device_check"};
  if (std::ranges::find(kTexts, key.text) == std::end(kTexts)) return false;
  if (yaml_kind(value) == YamlKind::nothing) return true;
  if (key.text == "device_check") {
    read_check(key, value, function);
  } else if (key.text == "structured_delegate") {
    read_delegate(key, value, function);
  } else if (key.text == "structured_inherits") {
    function.inherits = true;
    const auto text = values_.text(key, value, "TensorIteratorBase");
    if (text && text->text.find("::") != std::string_view::npos) {
      values_.bad_value(key, value, "is in a namespace: it is that of the operator")
          .suggest(std::string(text->text.substr(text->text.rfind("::") + 2)));
    }
  } else if (key.text == "python_module") {
    function.in_module = true;
    if (const auto text = values_.text(key, value, "nn")) function.python_module = text->text;
  } else if (const auto text = values_.text(key, value, "factory")) {
    function.category = text->text;
  }
  return true;
}

bool FunctionReader::read_table(const LocatedText& key, const YamlNode& value,
                                NativeFunction& function) {
  if (key.text == "variants") {
    read_variants(key, value, function);
  } else if (key.text == "autogen") {
    read_autogen(key, value, function);
  } else if (key.text == "tags") {
    read_tags(key, value, function);
  } else if (key.text == "dispatch") {
    read_dispatch(key, value, values_, function);
  } else if (key.text == "precomputed") {
    read_precomputed(key, value, values_, function);
  } else if (key.text == "ufunc_inner_loop") {
    read_inner_loops(key, value, values_, function);
  } else {
    read_defaults(key, value, function);
  }
  return true;
}

void FunctionReader::read_variants(const LocatedText& key, const YamlNode& value,
                                   NativeFunction& function) {
  constexpr std::string_view kVariants[] = {"function", "method"};
  const auto words = values_.words(key, value, kVariants);
  if (!words) return;
  const auto has = [&](std::string_view word) {
    return std::ranges::find(*words, word, &LocatedText::text) != words->end();
  };
  function.is_function = has("function");
  function.is_method = has("method");
}

void FunctionReader::read_tags(const LocatedText& key, const YamlNode& value,
                               NativeFunction& function) {
  const bool is_one = yaml_kind(value) == YamlKind::text;
  const auto tags = is_one ? std::vector{value.text} : values_.texts(key, value, "core");
  if (!tags) return;
  for (const LocatedText& tag : *tags) {
    const bool known = std::ranges::find(tags_, tag.text) != tags_.end();
    if (known && tag.text != "generated") {
      function.tags.push_back(tag.text);
    } else if (known) {
      values_.bad_value(key, value, "has 'generated', which the generator gives itself");
    } else if (tag.text.find(',') != std::string_view::npos) {
      values_.bad_value(key, value, "has several tags in one text")
          .note({}, fmt::format("write it as: tags: [{}]", tag.text));
    } else {
      values_.bad_word(key.text, tag, tags_);
    }
  }
}

void FunctionReader::read_autogen(const LocatedText& key, const YamlNode& value,
                                  NativeFunction& function) {
  const auto text = values_.text(key, value, "f.out");
  if (!text || text->text.empty()) return;
  for (const LocatedText& name : split_at(*text, ", ")) {
    if (!check_name(key.text, name)) continue;
    functions_.add_generated(name.text);
    function.autogen.push_back(name);
  }
}

void FunctionReader::read_delegate(const LocatedText& key, const YamlNode& value,
                                   NativeFunction& function) {
  const auto text = values_.text(key, value, "f.out");
  if (!text) return;
  function.is_structured = true;
  if (const size_t at = text->text.rfind("::"); at != std::string_view::npos) {
    values_.bad_value(key, value, "is in a namespace: it is that of the operator")
        .suggest(std::string(text->text.substr(at + 2)));
  } else if (check_name(key.text, *text)) {
    function.delegate = *text;
  }
}

bool FunctionReader::check_name(std::string_view key, const LocatedText& name) {
  NameProblem problem;
  if (parse_operator_name(name.text, problem)) return true;
  auto& diagnostic = sink_.error(Code::bad_value, place_of(name),
                                 fmt::format("{}: {}", values_.named(key), problem.message));
  if (!problem.advice.empty()) diagnostic.note({}, problem.advice);
  return false;
}

void FunctionReader::read_check(const LocatedText& key, const YamlNode& value,
                                NativeFunction& function) {
  constexpr std::string_view kChecks[] = {"NoCheck", "ExactSame"};
  const auto text = values_.text(key, value, kChecks[0]);
  if (!text) return;
  function.device_check = text->text != kChecks[0];
  if (std::ranges::find(kChecks, text->text) == std::end(kChecks))
    values_.bad_word(key.text, *text, kChecks);
}

// Arguments without a default in C++: they have one in the schema.
void FunctionReader::read_defaults(const LocatedText& key, const YamlNode& value,
                                   const NativeFunction& function) {
  const auto names = values_.texts(key, value, "dim");
  if (!names) return;
  std::vector<std::string_view> allowed;
  for (const Argument& argument : function.schema.arguments) {
    if (argument.default_value) allowed.push_back(argument.name);
  }
  for (const LocatedText& name : *names) {
    if (name.text == "options" && function.parts && !function.parts->options.empty()) {
      values_.bad_value(key, value, "names 'options', which C++ calls dtype, layout and so on")
          .note({}, "give the argument another name");
      continue;
    }
    if (std::ranges::find(allowed, name.text) != allowed.end()) continue;
    const bool is_argument = function.schema.find_argument(name.text) >= 0;
    sink_
        .error(is_argument ? Code::bad_value : Code::unknown_argument, place_of(name),
               fmt::format("{} names '{}', which {}", values_.named(key.text), name.text,
                           is_argument ? "has no default" : "is no argument"))
        .suggest(closest(name.text, allowed))
        .note({}, fmt::format("arguments with a default: {}", fmt::join(allowed, ", ")));
  }
}

}  // namespace opweave::codegen::torch

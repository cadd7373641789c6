// Reads and checks inner loops.
#include "codegen/torch/inner_loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/entries/fields.h"
#include "codegen/torch/yaml_kinds.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kExample = "Generic: f (AllAndComplex)";
constexpr std::string_view kGeneric = "Generic", kScalarOnly = "ScalarOnly";
constexpr std::string_view kBackends[] = {"CPU", "CUDA"};
// Loops over one of two tensors, the other being a number.
constexpr std::string_view kBinary[] = {"CUDAFunctorOnSelf", "CUDAFunctorOnOther"};

const std::vector<std::string_view>& loop_keys() {
  static const std::vector<std::string_view> kKeys = {
#define OPWEAVE_TORCH_LOOP(name) #name,
#include "codegen/torch/words.def"
  };
  return kKeys;
}

const std::vector<std::string_view>& dtypes() {
  static const std::vector<std::string_view> kNames = {
#define OPWEAVE_TORCH_DTYPE(name) #name,
#include "codegen/torch/words.def"
  };
  return kNames;
}

bool is_dtype(std::string_view name) { return std::ranges::find(dtypes(), name) != dtypes().end(); }

// `name (Dtype, Dtype)`
void read_loop(const LocatedText& key, const LocatedText& text, EntryValues& values,
               NativeFunction& function) {
  const size_t blank = text.text.find(' ');
  const bool in_parentheses = blank != std::string_view::npos && text.text.size() > blank + 2 &&
                              text.text[blank + 1] == '(' && text.text.ends_with(')');
  if (!in_parentheses) {
    values.sink()
        .error(Code::bad_value, place_of(text),
               fmt::format("{} cannot be '{}'", values.named(key.text), text.text))
        .note({}, fmt::format("it is a name and dtypes in parentheses: '{}'", kExample));
    return;
  }
  for (const LocatedText& dtype :
       split_at(slice(text, blank + 2, text.text.size() - blank - 3), ", ")) {
    if (!is_dtype(dtype.text)) values.bad_word(key.text, dtype, dtypes());
  }
  function.loops.push_back(slice(text, 0, blank));
  function.loop_keys.push_back(key);
}

class LoopRules {
 public:
  LoopRules(const NativeFunction& function, DiagnosticSink& sink)
      : function_(function), sink_(sink) {}

  bool check() const {
    if (!function_.structured) {
      return fail(function_.place("ufunc_inner_loop"), "has an inner loop and is not structured",
                  "move the loop to the out form, with 'structured: True'");
    }
    for (const std::string_view key : kBackends) {
      if (const NativeKernel* kernel = function_.kernel_of(key)) {
        return fail(kernel->key.whole(), fmt::format("has an inner loop and a kernel for {}", key),
                    "leave one of the two out: the kernel is made of the loop");
      }
    }
    return check_names() && check_operands() && check_types();
  }

 private:
  bool fail(Span span, const std::string& message, const std::string& advice) const {
    sink_
        .error(Code::conflicting_statements, span,
               fmt::format("'{}' {}", function_.full_name, message))
        .note({}, advice);
    return false;
  }

  const LocatedText* loop_of(std::string_view key) const {
    for (size_t i = 0; i < function_.loops.size(); ++i) {
      if (function_.loop_keys[i].text == key) return &function_.loops[i];
    }
    return nullptr;
  }

  bool check_names() const {
    const LocatedText* generic = loop_of(kGeneric);
    const LocatedText* scalar = loop_of(kScalarOnly);
    if (!generic && !scalar) {
      return fail(function_.place("ufunc_inner_loop"),
                  fmt::format("has no loop for {} or {}", kGeneric, kScalarOnly),
                  fmt::format("add one, such as: {}", kExample));
    }
    if (!generic || !scalar || generic->text == scalar->text) return true;
    return fail(scalar->whole(),
                fmt::format("has loops of two names for {} and {}", kGeneric, kScalarOnly),
                fmt::format("write: {}", generic->text));
  }

  bool check_operands() const {
    const auto inputs = function_.parts->inputs();
    const auto tensors = std::ranges::count_if(
        inputs, [](const Argument* argument) { return argument->type.is_tensor_like(); });
    if (tensors == 2) return true;
    for (const LocatedText& key : function_.loop_keys) {
      if (std::ranges::find(kBinary, key.text) == std::end(kBinary)) continue;
      return fail(key.whole(), fmt::format("has {} tensors, and a loop for one of two", tensors),
                  "leave the loop out");
    }
    return true;
  }

  bool check_types() const {
    for (const Argument* argument : function_.parts->inputs()) {
      const Type& type = argument->type;
      const bool fits = !type.list && (!type.optional || type.base > BaseType::scalar);
      if (fits) continue;
      return fail(argument->span,
                  fmt::format("has an inner loop, and '{}' is no tensor or number", argument->name),
                  "write a kernel in 'dispatch'");
    }
    return true;
  }

  const NativeFunction& function_;
  DiagnosticSink& sink_;
};

}  // namespace

void read_inner_loops(const LocatedText& key, const YamlNode& value, EntryValues& values,
                      NativeFunction& function) {
  function.has_loops = !value.is_map() || !value.entries.empty();
  if (yaml_kind(value) == YamlKind::text) {
    LocatedText generic = key;
    generic.text = kGeneric;
    read_loop(key, value.text, values, function);
    if (!function.loop_keys.empty()) function.loop_keys.back() = generic;
    return;
  }
  if (!value.is_map()) {
    values.wrong_kind(key, value, "a mapping of loops, or one loop",
                      fmt::format("write it as: ufunc_inner_loop: {{{}}}", kExample));
    return;
  }
  for (const YamlNode::Entry& loop : value.entries) {
    if (std::ranges::find(loop_keys(), loop.key.text) == loop_keys().end()) {
      values.bad_word(key.text, loop.key, loop_keys());
    } else if (const auto text = values.text(loop.key, *loop.value, "f (AllAndComplex)")) {
      read_loop(loop.key, *text, values, function);
    }
  }
}

bool check_inner_loops(const NativeFunction& function, DiagnosticSink& sink) {
  return !function.has_loops || LoopRules(function, sink).check();
}

}  // namespace opweave::codegen::torch

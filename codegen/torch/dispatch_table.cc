// Reads and checks tables of kernels.
#include "codegen/torch/dispatch_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/torch/yaml_kinds.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kExample = "CompositeExplicitAutograd";
constexpr std::string_view kComposites[] = {
    "CompositeImplicitAutograd", "CompositeImplicitAutogradNestedTensor",
    "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"};
// Backends whose kernels a structured out form has, and its other forms do not.
constexpr std::string_view kStructured[] = {"CPU", "CUDA", "MPS", "XPU", "MTIA"};

const std::vector<std::string_view>& dispatch_keys() {
  static const std::vector<std::string_view> kKeys = {
#define OPWEAVE_TORCH_DISPATCH_KEY(name) #name,
#include "codegen/torch/words.def"
  };
  return kKeys;
}

// PyTorch's generator puts `native` within the namespaces of a kernel, and opens three at most.
constexpr size_t kNamespaces = 2;

// Without namespaces.
std::string_view function_of(std::string_view kernel) {
  const size_t end = kernel.rfind("::");
  return end == std::string_view::npos ? kernel : kernel.substr(end + 2);
}

void read_kernel(const LocatedText& key, const YamlNode& value, EntryValues& values,
                 NativeFunction& function) {
  const std::string name = function.schema.base_name + "_kernel";
  if (plain_kind(key.text) != YamlKind::text) {
    values.bad_word("dispatch", key, dispatch_keys());
    return;
  }
  const auto kernel = values.text(key, value, name);
  if (!kernel) return;
  LocatedText space = *kernel;
  space.text = namespace_of(kernel->text);
  if (const auto names = split_at(space, "::"); names.size() > kNamespaces) {
    const size_t kept =
        static_cast<size_t>(names[names.size() - kNamespaces].text.data() - kernel->text.data());
    values.bad_value(key, value, "is in more than two namespaces")
        .suggest(std::string(kernel->text.substr(kept)));
  }
  for (const LocatedText& piece : split_at(key, ",")) {
    const LocatedText word = trimmed(piece);
    if (std::ranges::find(dispatch_keys(), word.text) == dispatch_keys().end()) {
      values.bad_word("dispatch", word.text.empty() ? key : word, dispatch_keys());
      continue;
    }
    function.dispatch_keys.push_back(word.text);
    function.kernels.push_back({word, *kernel});
  }
}

class DispatchRules {
 public:
  DispatchRules(const NativeFunction& function, DiagnosticSink& sink)
      : function_(function), sink_(sink) {}

  bool check() const {
    if (!function_.has_dispatch) return check_factory();
    return check_registration() && check_idle() && check_composites() && check_delegate() &&
           check_structured() && check_namespaces() && check_symint();
  }

 private:
  bool fail(Span span, const std::string& message, const std::string& advice) const {
    sink_.error(Code::conflicting_statements, span, message).note({}, advice);
    return false;
  }

  // What makes new tensors cannot be decomposed.
  bool check_factory() const {
    if (function_.in_structured_group()) return true;
    const std::string name = function_.name.without_overload();
    const bool makes_new = name.starts_with("new_") || name.ends_with("_like") ||
                           (!function_.parts->options.empty() && !function_.parts->has_tensor());
    if (!makes_new) return true;
    sink_
        .error(Code::no_implementation, function_.schema.name_span,
               fmt::format("'{}' makes new tensors and has no kernel", function_.full_name))
        .note({}, fmt::format("write: dispatch: {{{}: {}}}", kExample, kernel_name()));
    return false;
  }

  bool check_registration() const {
    return !function_.manual_registration ||
           fail(function_.place("dispatch"),
                fmt::format("'{}' has kernels here, and 'manual_kernel_registration'",
                            function_.full_name),
                "leave one of the two out");
  }

  // Without a table the implicit kernel is the function of the operator's name.
  std::string kernel_name() const {
    return function_.name.without_overload() + (function_.parts->out.empty() ? "" : "_out");
  }

  bool check_idle() const {
    if (function_.kernels.size() != 1) return true;
    const NativeKernel& only = function_.kernels[0];
    if (only.key.text != kComposites[0]) return true;
    if (only.kernel.text == kernel_name()) {
      return fail(function_.place("dispatch"),
                  fmt::format("'dispatch' of '{}' says what is so without it", function_.full_name),
                  "leave the key out");
    }
    const bool renamed = function_of(only.kernel.text).find("_symint") != std::string_view::npos;
    if (renamed || function_.delegate) return true;
    return fail(only.kernel.whole(),
                fmt::format("the only kernel of '{}' has to be called like the operator: '{}'",
                            function_.full_name, kernel_name()),
                fmt::format("call it '{}', and leave 'dispatch' out", kernel_name()));
  }

  bool check_composites() const {
    std::vector<const NativeKernel*> found;
    for (const std::string_view key : kComposites) {
      if (const NativeKernel* kernel = function_.kernel_of(key)) found.push_back(kernel);
    }
    const bool nested = function_.is_nested_implicit();
    const bool non_functional = function_.kernel_of(kComposites[3]) != nullptr;
    if (found.size() <= 1 || (found.size() == 2 && nested && !non_functional)) return true;
    const auto later = std::ranges::max(
        found, {}, [](const NativeKernel* kernel) { return kernel->key.file_offset(0); });
    return fail(later->key.whole(),
                fmt::format("'{}' has several composite kernels, of which one is for all",
                            function_.full_name),
                "keep one: CompositeExplicitAutograd if its gradient is in derivatives.yaml, "
                "CompositeImplicitAutograd if it is differentiated through");
  }

  bool check_delegate() const {
    if (!function_.delegate) return true;
    for (const std::string_view key : kStructured) {
      const NativeKernel* kernel = function_.kernel_of(key);
      if (!kernel) continue;
      return fail(kernel->key.whole(),
                  fmt::format("'{}' has a kernel for {}, which is that of '{}'",
                              function_.full_name, key, function_.delegate->text),
                  "leave the kernel out, or the delegate");
    }
    return true;
  }

  bool check_structured() const {
    if (!function_.structured) return true;
    for (const std::string_view key :
         {std::string_view("Meta"), kComposites[0], kComposites[1], kComposites[3]}) {
      const NativeKernel* kernel = function_.kernel_of(key);
      if (!kernel) continue;
      return fail(kernel->key.whole(),
                  fmt::format("'{}' is structured, and its kernel for {} is written by hand",
                              function_.full_name, key),
                  key == "Meta" ? "leave it out: it is generated"
                                : "a structured operator has kernels for backends alone");
    }
    return true;
  }

  bool check_namespaces() const {
    const auto other = std::ranges::find_if(function_.kernels, [&](const NativeKernel& kernel) {
      return namespace_of(kernel.kernel.text) != namespace_of(function_.kernels[0].kernel.text);
    });
    if (other == function_.kernels.end()) return true;
    return fail(other->kernel.whole(),
                fmt::format("the kernels of '{}' are in several namespaces", function_.full_name),
                fmt::format("'{}' is in '{}'", function_.kernels[0].kernel.text,
                            namespace_of(function_.kernels[0].kernel.text)));
  }

  bool check_symint() const {
    if (function_.structured) return true;
    for (const NativeKernel& kernel : function_.kernels) {
      if (function_of(kernel.kernel.text).find("_symint") == std::string_view::npos) continue;
      if (function_.parts->has_symint()) continue;
      return fail(kernel.kernel.whole(),
                  fmt::format("'{}' takes symbolic sizes, and '{}' has none", kernel.kernel.text,
                              function_.full_name),
                  "call the kernel something without '_symint', or write SymInt in the schema");
    }
    return true;
  }

  const NativeFunction& function_;
  DiagnosticSink& sink_;
};

}  // namespace

std::string_view namespace_of(std::string_view kernel) {
  const size_t end = kernel.rfind("::");
  return end == std::string_view::npos || end == 0 ? kDefaultNamespace : kernel.substr(0, end);
}

void read_dispatch(const LocatedText& key, const YamlNode& value, EntryValues& values,
                   NativeFunction& function) {
  if (yaml_kind(value) == YamlKind::nothing) return;
  if (!value.is_map()) {
    values.wrong_kind(
        key, value, "a mapping of kernels",
        fmt::format("write it as: dispatch: {{{}: {}}}", kExample, function.schema.base_name));
    return;
  }
  function.has_dispatch = true;
  for (const YamlNode::Entry& kernel : value.entries)
    read_kernel(kernel.key, *kernel.value, values, function);
}

bool check_dispatch(const NativeFunction& function, DiagnosticSink& sink) {
  return DispatchRules(function, sink).check();
}

}  // namespace opweave::codegen::torch

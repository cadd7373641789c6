// Reads and checks inner loops.
#include "codegen/torch/inner_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "codegen/model/entries/fields.h"
#include "codegen/torch/dispatch_table.h"
#include "codegen/torch/yaml_kinds.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kExample = "Generic: f (AllAndComplex)";
constexpr std::string_view kBackends[] = {"CPU", "CUDA"};
// Keys that stand for all loops of a backend, unless these have keys of their own.
constexpr std::string_view kGeneric = "Generic", kScalarOnly = "ScalarOnly";
constexpr std::string_view kElements = "CPUScalar", kVectors = "CPUVector",
                           kFunctor = "CUDAFunctor";
// Loops over one of two tensors, the other being a number, and what that is called.
struct BinaryLoop {
  std::string_view key, number;
};
constexpr BinaryLoop kBinary[] = {{"CUDAFunctorOnOther", "self"}, {"CUDAFunctorOnSelf", "other"}};

// Names of several dtypes, which are dtypes or such names themselves.
struct DtypeClass {
  std::string_view name;
  std::vector<std::string_view> members;
};

const std::vector<DtypeClass>& dtype_classes() {
  static const std::vector<DtypeClass> kClasses = {
      {"Integral", {"Byte", "Char", "Int", "Long", "Short"}},
      {"Floating", {"Float", "Double"}},
      {"Complex", {"ComplexFloat", "ComplexDouble"}},
      {"All", {"Integral", "Floating"}},
      {"AllAndComplex", {"All", "Complex"}},
      {"FloatingAndComplex", {"Floating", "Complex"}},
  };
  return kClasses;
}

void add_dtypes(std::string_view name, std::set<std::string_view>& found) {
  const auto& classes = dtype_classes();
  const auto several = std::ranges::find(classes, name, &DtypeClass::name);
  if (several == classes.end()) {
    found.insert(name);
    return;
  }
  for (const std::string_view member : several->members) add_dtypes(member, found);
}

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
  NativeLoop loop{key, slice(text, 0, blank), {}};
  for (const LocatedText& dtype :
       split_at(slice(text, blank + 2, text.text.size() - blank - 3), ", ")) {
    if (!is_dtype(dtype.text)) values.bad_word(key.text, dtype, dtypes());
    add_dtypes(dtype.text, loop.dtypes);
  }
  function.loops.push_back(std::move(loop));
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
    return check_namespaces() && check_keys() && check_names() && check_types() &&
           check_operands() && check_dtypes() && check_precomputed();
  }

 private:
  bool fail(Span span, const std::string& message, const std::string& advice) const {
    sink_
        .error(Code::conflicting_statements, span,
               fmt::format("'{}' {}", function_.full_name, message))
        .note({}, advice);
    return false;
  }

  const NativeLoop* loop_of(std::string_view key) const {
    const auto found = std::ranges::find(function_.loops, key,
                                         [](const NativeLoop& loop) { return loop.key.text; });
    return found == function_.loops.end() ? nullptr : &*found;
  }

  // Dtypes of the loop with this key, or of those that stand for it.
  std::set<std::string_view> dtypes_of(std::string_view key) const {
    if (const NativeLoop* loop = loop_of(key)) return loop->dtypes;
    return dtypes_of_all({kScalarOnly, kGeneric});
  }

  std::set<std::string_view> dtypes_of_all(std::initializer_list<std::string_view> keys) const {
    std::set<std::string_view> found;
    for (const std::string_view key : keys) {
      if (const NativeLoop* loop = loop_of(key))
        found.insert(loop->dtypes.begin(), loop->dtypes.end());
    }
    return found;
  }

  std::vector<const Argument*> tensors() const {
    std::vector<const Argument*> found;
    for (const Argument* argument : function_.parts->inputs()) {
      if (argument->type.is_tensor_like()) found.push_back(argument);
    }
    return found;
  }

  bool is_binary() const { return tensors().size() == 2; }

  // Keys of what is made for CUDA.
  std::vector<std::string_view> functors() const {
    std::vector<std::string_view> keys = {kFunctor};
    if (!is_binary()) return keys;
    for (const BinaryLoop& loop : kBinary) keys.push_back(loop.key);
    return keys;
  }

  // The first of them that has no loop of its own; nothing if all have.
  std::optional<std::string_view> functor_to_make() const {
    for (const std::string_view key : functors()) {
      if (!loop_of(key)) return key;
    }
    return {};
  }

  // Kernels that are made of loops are in the namespace of those that say none.
  bool check_namespaces() const {
    for (const NativeKernel& kernel : function_.kernels) {
      if (namespace_of(kernel.kernel.text) == kDefaultNamespace) continue;
      return fail(kernel.kernel.whole(),
                  "has an inner loop, and a kernel in another namespace than those made of it",
                  "leave the namespace out");
    }
    return true;
  }

  bool check_keys() const {
    const auto missing = functor_to_make();
    if (!missing || loop_of(kGeneric) || loop_of(kScalarOnly)) return true;
    return fail(function_.place("ufunc_inner_loop"),
                fmt::format("has no loop for {}, {} or {}", *missing, kGeneric, kScalarOnly),
                fmt::format("add one, such as: {}", kExample));
  }

  bool check_names() const {
    const NativeLoop* generic = loop_of(kGeneric);
    const NativeLoop* scalar = loop_of(kScalarOnly);
    if (!generic || !scalar || generic->name.text == scalar->name.text || !functor_to_make())
      return true;
    return fail(scalar->name.whole(),
                fmt::format("has loops of two names for {} and {}", kGeneric, kScalarOnly),
                fmt::format("write: {}", generic->name.text));
  }

  // A loop of the CPU gets what it can make elements of; on CUDA it gets values as they are.
  bool check_types() const {
    const bool on_cpu = std::ranges::any_of(function_.loops, [](const NativeLoop& loop) {
      return !loop.key.text.starts_with(kFunctor);
    });
    for (const Argument* argument : function_.parts->inputs()) {
      const Type& type = argument->type;
      const bool is_number = type.base == BaseType::tensor || type.base == BaseType::scalar;
      const bool is_element = is_number && !type.list && !type.optional;
      if (is_element || (!on_cpu && !is_number && is_value(type))) continue;
      return fail(argument->span,
                  fmt::format("has an inner loop, and '{}' is no Tensor or Scalar", argument->name),
                  "write a kernel in 'dispatch'");
    }
    return true;
  }

  // What C++ holds without a reference to something else.
  static bool is_value(const Type& type) {
    if (!type.list) return true;
    return type.base == BaseType::boolean && !type.symbolic && !type.element_optional;
  }

  // Of two tensors each may be a number instead, and the kernel takes it by its name.
  bool check_operands() const {
    const std::vector<const Argument*> found = tensors();
    if (found.size() != std::size(kBinary)) return check_no_binary(found.size());
    for (size_t i = 0; i < found.size(); ++i) {
      const std::string_view wanted = kBinary[i].number;
      if (found[i]->name == wanted) continue;
      return fail(found[i]->name_span,
                  fmt::format("has an inner loop of two tensors, and one of them is called '{}'",
                              found[i]->name),
                  fmt::format("call it '{}'", wanted));
    }
    return true;
  }

  bool check_no_binary(size_t tensors) const {
    for (const BinaryLoop& binary : kBinary) {
      const NativeLoop* loop = loop_of(binary.key);
      if (!loop) continue;
      return fail(loop->key.whole(),
                  fmt::format("has {} tensors, and a loop for one of two", tensors),
                  "leave the loop out");
    }
    return true;
  }

  // Some loops are beside another one, which does what they cannot.
  bool check_dtypes() const {
    if (const NativeLoop* vectors = loop_of(kVectors)) {
      const auto elements = dtypes_of_all({kElements, kScalarOnly, kGeneric});
      if (!check_covered(*vectors, vectors->dtypes, elements, kElements)) return false;
    }
    if (!is_binary()) return true;
    for (const BinaryLoop& binary : kBinary) {
      const NativeLoop* loop = loop_of(binary.key);
      if (!loop) loop = loop_of(kFunctor);
      // Otherwise both are made of the same loops.
      if (loop && !check_covered(*loop, dtypes_of(binary.key), dtypes_of(kFunctor), kFunctor))
        return false;
    }
    return true;
  }

  bool check_covered(const NativeLoop& shown, const std::set<std::string_view>& wanted,
                     const std::set<std::string_view>& given, std::string_view key) const {
    const auto left = std::ranges::find_if(
        wanted, [&](std::string_view dtype) { return !given.contains(dtype); });
    if (left == wanted.end()) return true;
    return fail(shown.key.whole(), fmt::format("has no loop for {} of {}", key, *left),
                fmt::format("add {} to those of {}, or leave it out of the others", *left, key));
  }

  // Loops get the arguments of the operator, and kernels hand theirs to them.
  bool check_precomputed() const {
    for (const Argument* argument : function_.parts->inputs()) {
      if (argument->type.is_tensor_like() || !function_.replaced.contains(argument->name)) continue;
      if (std::ranges::any_of(function_.precomputed, [&](const schema::Argument& other) {
            return other.name == argument->name && is_one_type(other.type, argument->type);
          }))
        continue;
      return fail(function_.place("precomputed"),
                  fmt::format("has an inner loop that gets '{}', which 'precomputed' replaces",
                              argument->name),
                  "leave the line out");
    }
    return true;
  }

  // In C++, where kernels get numbers for symbols.
  static bool is_one_type(Type a, Type b) {
    a.symbolic = b.symbolic = false;
    return a == b;
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
    if (!function.loops.empty()) function.loops.back().key = generic;
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

// Types, defaults and overloads of functions.
#include "codegen/torch/python_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kModules[] = {"nn", "fft", "linalg", "nested", "sparse", "special"};
// What a function of Python may return, as types of a schema.
constexpr std::string_view kResults[] = {
    "",
    "Tensor",
    "Tensor, Tensor",
    "Tensor, Tensor, Tensor",
    "Tensor, Tensor, Tensor, Tensor",
    "Tensor, Tensor, Tensor, Tensor, Tensor",
    "Tensor, Tensor, Tensor, Tensor, Tensor, Tensor",
    "Tensor, Tensor, Tensor, int",
    "Tensor, Tensor, float, int",
    "Tensor, Tensor, Tensor, Tensor, int",
    "Tensor, Tensor, float, Tensor, int",
    "float, int",
    "Tensor, Tensor[]",
    "Tensor[]",
    "Tensor, Tensor, Tensor, Tensor, SymInt, SymInt, Tensor, Tensor, Tensor",
    "Scalar",
    "bool",
    "int",
    "QScheme",
    "float",
    "ScalarType",
    "Stream"};

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

bool is_written_by_hand(std::string_view name) {
  constexpr std::string_view kPatterns[] = {
#define OPWEAVE_TORCH_NO_PYTHON(pattern) pattern,
#include "codegen/torch/python_skips.def"
#undef OPWEAVE_TORCH_NO_PYTHON
  };
  return std::ranges::any_of(kPatterns, [&](std::string_view p) { return fits(p, name); });
}

bool has_python(const NativeFunction& function) {
  const auto module = std::ranges::find(kModules, function.python_module);
  if (function.in_module && module == std::end(kModules)) return false;
  const std::string name = function.schema.base_name + (function.parts->out.empty() ? "" : "_out");
  return !is_written_by_hand(name);
}

// Whether Python's function takes what new tensors are made with: dtype, layout, device and
// pin_memory.
bool makes_tensors(const NativeFunction& function) {
  const std::string_view category = function.category;
  const std::string name = function.name.without_overload();
  const bool gives_tensor = std::ranges::any_of(
      function.schema.returns, [](const Return& r) { return r.type.is_tensor_like(); });
  const bool is_new = category == "new" || category == "like" || name.starts_with("new_") ||
                      (name.ends_with("_like") && function.parts->out.empty());
  return category != "dummy" &&
         (is_new || category == "factory" || (gives_tensor && !function.parts->has_tensor()));
}

Type without_alias(Type type) {
  type.alias.reset();
  return type;
}

bool is_readable(const Type& type) {
  switch (type.base) {
    case BaseType::tensor:
      return !type.list || !type.element_optional || !type.size;
    case BaseType::scalar:
    case BaseType::integer:
    case BaseType::floating:
      return !type.element_optional;
    case BaseType::boolean:
      return !type.list && !type.symbolic;
    case BaseType::object:
      return type.optional && !type.list;
    case BaseType::string:
    case BaseType::scalar_type:
    case BaseType::layout:
    case BaseType::device:
    case BaseType::memory_format:
    case BaseType::device_index:
      return !type.list;
    case BaseType::stream:
    case BaseType::storage:
      return !type.list && !type.optional;
    default:
      return false;
  }
}

class FunctionRules {
 public:
  FunctionRules(const NativeFunction& function, DiagnosticSink& sink)
      : function_(function), parts_(*function.parts), sink_(sink) {}

  bool check() const {
    if (!check_results() || !check_defaults()) return false;
    return !has_python(function_) ||
           (check_names() && check_arguments() && check_returned() && check_options());
  }

 private:
  bool fail(Code code, Span span, const std::string& message, const std::string& advice) const {
    sink_.error(code, span, fmt::format("'{}' {}", function_.full_name, message)).note({}, advice);
    return false;
  }

  bool check_results() const {
    for (const Return& result : function_.schema.returns) {
      const Type& type = result.type;
      if (type.list && (type.size || (type.base == BaseType::boolean && !type.size))) {
        return fail(Code::unknown_type, result.span, "returns a list of fixed length, or of bools",
                    "write: Tensor[]");
      }
      if (type.list && type.is_mutated())
        return fail(Code::unwritable_argument, result.span, "returns a list that it writes",
                    "write: -> ()");
      if (!type.optional || (type.base == BaseType::tensor && !type.list)) continue;
      return fail(Code::unknown_type, result.span, "returns what may be none, and is no tensor",
                  fmt::format("write: {}", base_type_name(type.base)));
    }
    return true;
  }

  bool check_defaults() const {
    for (const Argument& argument : function_.schema.arguments) {
      if (!argument.default_value || !argument.type.list || argument.type.size) continue;
      const Constant::Kind kind = argument.default_value->kind;
      if (kind == Constant::Kind::list) continue;
      if (kind == Constant::Kind::none && argument.type.optional) continue;
      return fail(Code::bad_default, argument.default_span,
                  fmt::format("takes a list as '{}', whose default is none", argument.name),
                  fmt::format("write: [{}]", argument.default_value->text));
    }
    return true;
  }

  bool check_names() const {
    for (const Argument& argument : function_.schema.arguments) {
      if (argument.name != "requires_grad") continue;
      return fail(Code::reserved_name, argument.name_span,
                  "has an argument 'requires_grad', which functions of Python have themselves",
                  "give the argument another name");
    }
    const auto named = [](const Return& r) { return !r.name.empty(); };
    const auto& returns = function_.schema.returns;
    const auto count = std::ranges::count_if(returns, named);
    if (count == 0 || count == std::ssize(returns) || returns.size() < 2) return true;
    const auto other = std::ranges::find_if_not(returns, named);
    return fail(Code::schema_syntax, other->span, "names some results, and others not",
                "name all of them, or none");
  }

  bool check_arguments() const {
    for (const Argument& argument : function_.schema.arguments) {
      if (argument.keyword_only && argument.type.is_mutated()) continue;
      const auto& options = parts_.options;
      if (std::ranges::find(options, &argument) != options.end()) continue;
      if (is_readable(argument.type)) continue;
      return fail(Code::unknown_type, argument.type_span,
                  fmt::format("takes '{}' of type '{}', which functions of Python cannot read",
                              argument.name, print(without_alias(argument.type))),
                  "take another type, or give the operator a name that ends in '_backward' if "
                  "only formulas call it");
    }
    return true;
  }

  bool check_returned() const {
    std::string types;
    for (const Return& result : function_.schema.returns)
      types += (types.empty() ? "" : ", ") + print(without_alias(result.type));
    if (std::ranges::find(kResults, types) != std::end(kResults)) return true;
    const auto& returns = function_.schema.returns;
    return fail(Code::unknown_type, returns[0].span,
                fmt::format("returns ({}), which functions of Python cannot", types),
                "they return up to six tensors, a list of tensors, or one number");
  }

  // What makes tensors takes dtype, layout, device and pin_memory, and nothing else does.
  bool check_options() const {
    const bool makes = makes_tensors(function_);
    if (makes == !parts_.options.empty() || (makes && !parts_.out.empty())) return true;
    if (makes) {
      return fail(Code::wrong_form, function_.schema.name_span,
                  "makes new tensors, and does not take dtype, layout, device and pin_memory",
                  "write: *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                  "bool? pin_memory=None; or: category_override: dummy");
    }
    return fail(Code::wrong_form, parts_.options[0]->span,
                "takes dtype, layout, device and pin_memory, and makes no new tensor",
                "write: category_override: new");
  }

  const NativeFunction& function_;
  const SchemaParts& parts_;
  DiagnosticSink& sink_;
};

// Functions of one name, in one module.
class Overloads {
 public:
  explicit Overloads(DiagnosticSink& sink) : sink_(sink) {}

  void add(const NativeFunction& function) {
    if (!has_python(function)) return;
    if (!function.parts->out.empty()) {
      outs_.push_back(&function);
      return;
    }
    const bool in_module = function.in_module;
    for (const bool method : {false, true}) {
      if (method ? !function.is_method || in_module : !function.is_function && !in_module) continue;
      const std::string name = key(function, method, makes_tensors(function));
      const auto [first, is_new] = bases_.emplace(name, &function);
      if (is_new || !repeated_.emplace(&function, first->second).second) continue;
      repeated(*first->second, function);
    }
  }

  // What is generated has no functions of Python, but where the generator made them by mistake once
  // and keeps them: of copies of views.
  void add_generated(const FormGroup& group) {
    if (!group.generated_from || !group.generated_from->has_tag("view_copy")) return;
    for (size_t i = 0; i < group.generated.size(); ++i) {
      const bool is_out = group.generated_kinds[i] == SchemaKind::out;
      const std::string& name = group.generated_schemas[i].base_name;
      if (is_written_by_hand(name + (is_out ? "_out" : ""))) continue;
      const bool is_new = name.starts_with("new_") || (!is_out && name.ends_with("_like"));
      const bool makes = is_new || !group.generated_from->parts->has_tensor();
      const std::string wanted = key("", name, *group.generated_from, false, makes);
      if (is_out) {
        generated_outs_.push_back({group.generated_from, &group.generated[i], wanted});
      } else if (const auto [first, added] = bases_.emplace(wanted, group.generated_from); !added) {
        repeated(*first->second, *group.generated_from);
      }
    }
  }

  void check() {
    check_generated();
    for (const NativeFunction* out : outs_) {
      const bool makes = makes_tensors(*out);
      if (bases_.contains(key(*out, false, makes))) continue;
      if (const auto other = bases_.find(key(*out, false, !makes)); other != bases_.end()) {
        makes_otherwise(*out, *other->second);
        continue;
      }
      sink_
          .error(Code::forms_disagree, out->schema.name_span,
                 fmt::format("Python's '{}' with 'out' has no function without it",
                             out->name.without_overload()))
          .note({},
                "add one with the same arguments and 'variants: function', in the same "
                "'python_module'; one that is generated does not count");
    }
  }

 private:
  struct GeneratedOut {
    const NativeFunction* base;
    const std::string* name;
    std::string key;  // of the function whose `out` it is
  };

  static std::string key(const NativeFunction& function, bool method, bool makes) {
    return key(function.python_module, function.name.without_overload(), function, method, makes);
  }

  static std::string key(std::string_view module, std::string_view name,
                         const NativeFunction& function, bool method, bool makes) {
    const std::string_view arguments = function.signature;
    return fmt::format(
        "{}|{}|{}|{}|{}", method ? "method" : "", makes ? "new" : "", module, name,
        arguments.substr(arguments.find('('), arguments.rfind(" -> ") - arguments.find('(')));
  }

  void check_generated() {
    for (const GeneratedOut& out : generated_outs_) {
      if (bases_.contains(out.key)) continue;
      sink_
          .error(Code::forms_disagree, out.base->place("autogen"),
                 fmt::format("'{}', which is generated and has the tag view_copy, is a function of "
                             "Python, and has none without 'out'",
                             *out.name))
          .note({}, fmt::format("leave '{}' out, or the tag, or give the operator another name, "
                                "'variants: function' and no 'python_module'",
                                *out.name));
    }
  }

  // Then one takes dtype and device in Python, and the other does not.
  void makes_otherwise(const NativeFunction& out, const NativeFunction& base) {
    const auto place = [](const NativeFunction& function) {
      return function.category.empty() ? function.schema.name_span
                                       : function.place("category_override");
    };
    sink_
        .error(Code::conflicting_statements, place(out.category.empty() ? base : out),
               fmt::format("of '{}' and '{}' one makes new tensors, and the other does not",
                           out.full_name, base.full_name))
        .note({}, "give both the same 'category_override', or none");
  }

  void repeated(const NativeFunction& first, const NativeFunction& second) {
    sink_
        .error(Code::ambiguous_overloads, second.schema.name_span,
               fmt::format("'{}' has the arguments of '{}', and the same name in Python",
                           second.full_name, first.full_name))
        .note(first.schema.name_span, "the first is here");
  }

  DiagnosticSink& sink_;
  std::map<std::string, const NativeFunction*> bases_;
  std::map<const NativeFunction*, const NativeFunction*> repeated_;
  std::vector<const NativeFunction*> outs_;
  std::vector<GeneratedOut> generated_outs_;
};

}  // namespace

void check_functions(const std::vector<FormGroup>& groups, DiagnosticSink& sink) {
  Overloads overloads(sink);
  for (const FormGroup& group : groups) {
    const auto is_right = [&](const NativeFunction* f) { return FunctionRules(*f, sink).check(); };
    // What one form has wrong the others have as well.
    if (!std::ranges::all_of(group.members, is_right)) continue;
    for (const NativeFunction* function : group.members) overloads.add(*function);
    overloads.add_generated(group);
  }
  overloads.check();
}

}  // namespace opweave::codegen::torch

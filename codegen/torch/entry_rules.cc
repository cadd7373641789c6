// Rules within one entry.
#include "codegen/torch/entry_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/torch/dispatch_table.h"
#include "codegen/torch/exemptions.h"
#include "codegen/torch/inner_loops.h"
#include "codegen/torch/yaml_kinds.h"
#include "schema/python_text.h"

namespace opweave::codegen::torch {
namespace {

class EntryRules {
 public:
  EntryRules(const NativeFunction& function, DiagnosticSink& sink)
      : function_(function), sink_(sink) {}

  bool check() const {
    return check_variants() && check_structured() && check_delegate() && check_structured_keys() &&
           check_foreach() && check_seeded() && check_keywords() && check_truth_lists() &&
           check_view_tag() && check_dispatch(function_, sink_) &&
           check_inner_loops(function_, sink_);
  }

 private:
  bool fail(Code code, Span span, const std::string& message, const std::string& advice) const {
    sink_.error(code, span, fmt::format("'{}' {}", function_.full_name, message)).note({}, advice);
    return false;
  }
  bool fail(std::string_view key, const std::string& message, const std::string& advice) const {
    return fail(Code::conflicting_statements, function_.place(key), message, advice);
  }

  bool check_variants() const {
    if (!function_.parts->out.empty() && (function_.is_method || !function_.is_function)) {
      return fail("variants", "writes into out arguments, and is a method",
                  "write: variants: function");
    }
    if (!function_.is_method) return true;
    if (function_.in_module) {
      return fail("variants",
                  fmt::format("is a method, and in the module '{}'", function_.python_module),
                  "write: variants: function");
    }
    const Argument* self = function_.parts->self;
    if (!self) {
      return fail("variants", "is a method, and has no argument called 'self'",
                  "write: variants: function");
    }
    return (self->type.is_tensor() && !self->type.optional) ||
           fail("variants", "is a method, and its 'self' is no tensor",
                "write: variants: function");
  }

  bool check_structured() const {
    if (!function_.structured) return true;
    if (function_.kind != SchemaKind::out) {
      return fail("structured", "is structured, and no out form",
                  "'structured' stands in the out form, 'structured_delegate' in the others");
    }
    if (function_.delegate) {
      return fail("structured_delegate", "is structured, and has a delegate",
                  "leave one of the two out");
    }
    return function_.device_guard || fail("device_guard", "is structured, and has no device guard",
                                          "leave the key out: structured kernels have a guard");
  }

  bool check_delegate() const {
    if (!function_.delegate) return true;
    if (function_.kind == SchemaKind::out) {
      return fail("structured_delegate", "is an out form, and has a delegate",
                  "write: structured: True");
    }
    if (function_.kind == SchemaKind::writing) {
      return fail("structured_delegate", "writes other arguments than 'self', and has a delegate",
                  "write a kernel in 'dispatch'");
    }
    if (!function_.parts->options.empty()) {
      return fail("structured_delegate", "has dtype, layout, device and pin_memory, and a delegate",
                  "structured operators cannot have them yet: write a kernel in 'dispatch'");
    }
    return function_.device_guard || fail("device_guard", "has a delegate, and no device guard",
                                          "leave the key out: structured kernels have a guard");
  }

  bool check_structured_keys() const {
    if (function_.structured) return true;
    for (const std::string_view key : {"structured_inherits", "precomputed"}) {
      const bool given = key == "precomputed" ? function_.has_precomputed : function_.inherits;
      if (given) {
        return fail(key, fmt::format("has '{}', and is not structured", key),
                    "move the key to the out form, with 'structured: True'");
      }
    }
    return true;
  }

  bool check_foreach() const {
    if (!function_.full_name.starts_with("_foreach") || !function_.device_check) return true;
    return fail("device_check", "takes tensors of several devices, whose devices are compared",
                "write: device_check: NoCheck");
  }

  // Names and arguments tell what draws random numbers.
  bool check_seeded() const {
    const std::string& name = function_.full_name;
    const auto contains = [](std::string_view text, std::string_view part) {
      return text.find(part) != std::string_view::npos;
    };
    const auto& arguments = function_.schema.arguments;
    const bool has_dropout =
        contains(name, "dropout") || std::ranges::any_of(arguments, [&](const Argument& a) {
          return contains(a.name, "dropout");
        });
    const bool has_generator = std::ranges::any_of(
        function_.parts->inputs(), [](const Argument* a) { return a->type.object == "Generator"; });
    const bool is_random = (contains(name, "rand") && !contains(name, "_philox_")) ||
                           has_generator ||
                           (has_dropout && !contains(name, "backward") &&
                            !is_exempt(Exemption::not_seeded, function_.name.without_overload()));
    if (!is_random || function_.has_tag("nondeterministic_seeded")) return true;
    return fail("tags",
                fmt::format("draws random numbers by {}, and has no tag that says so",
                            has_generator ? "its generator" : "its name"),
                "write: tags: nondeterministic_seeded");
  }

  bool check_keywords() const {
    for (const Argument& argument : function_.schema.arguments) {
      const std::string both = fmt::format("{} {}", function_.full_name, argument.name);
      if (!schema::is_python_keyword(argument.name) || is_exempt(Exemption::keyword, both))
        continue;
      return fail(Code::reserved_name, argument.name_span,
                  fmt::format("has an argument '{}', which is a keyword of Python", argument.name),
                  fmt::format("write: {}_", argument.name));
    }
    return true;
  }

  bool check_truth_lists() const {
    for (const Argument& argument : function_.schema.arguments) {
      const Type& type = argument.type;
      if (type.base != BaseType::boolean || !type.list || type.size) continue;
      return fail(
          Code::unknown_type, argument.type_span,
          fmt::format("takes truth values in '{}', and does not say how many", argument.name),
          "write: bool[2]");
    }
    return true;
  }

  bool check_view_tag() const {
    if (!function_.has_tag("inplace_view") || function_.name.in_place) return true;
    return fail("tags", "is tagged as a view that works in place, and does not work in place",
                "leave the tag out, or give the operator an underscore");
  }

  const NativeFunction& function_;
  DiagnosticSink& sink_;
};

}  // namespace

bool check_entry(const NativeFunction& function, DiagnosticSink& sink) {
  return EntryRules(function, sink).check();
}

}  // namespace opweave::codegen::torch

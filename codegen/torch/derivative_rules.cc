// The rules of entries of derivatives.yaml.
#include "codegen/torch/derivative_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/torch/exemptions.h"
#include "codegen/torch/gradient_rules.h"

namespace opweave::codegen::torch {
namespace {

std::string bare_signature(const NativeFunction& function) {
  return signature(function.schema, *function.parts, function.name, SignatureOf::gradients);
}

class EntryRules {
 public:
  EntryRules(const NativeDerivative& entry, const std::vector<const NativeFunction*>& related,
             bool has_generated, DiagnosticSink& sink)
      : entry_(entry),
        function_(*entry.function),
        related_(related),
        has_generated_(has_generated),
        sink_(sink) {}

  bool check() const {
    if (!check_name() || !check_arguments() || !check_outputs()) return false;
    std::vector<std::string_view> keys;
    for (const NativeFormula& formula : entry_.formulas) {
      if (std::ranges::find(keys, formula.dispatch_key) == keys.end())
        keys.push_back(formula.dispatch_key);
    }
    for (const std::string_view key : keys) {
      if (!check_gradients({entry_, key, sink_})) return false;
    }
    return !has_gradient() || (check_forms() && check_saved());
  }

 private:
  bool fail(Code code, Span span, const std::string& message, const std::string& advice) const {
    sink_.error(code, span, message).note({}, advice);
    return false;
  }

  bool has_gradient() const { return std::ranges::any_of(entry_.formulas, is_gradient); }

  // The entry is for what neither writes nor is called so by its overload.
  bool check_name() const {
    if (function_.name.overload.find("functional") == std::string::npos) return true;
    return fail(Code::derived_form, entry_.function->schema.name_span,
                fmt::format("'{}' has an entry in derivatives.yaml, and an overload called "
                            "'functional'",
                            function_.full_name),
                "give the overload another name");
  }

  bool check_arguments() const {
    for (const Argument& argument : function_.schema.arguments) {
      if (argument.name != "grad_input_mask" && argument.name != "result") continue;
      return fail(Code::reserved_name, argument.name_span,
                  fmt::format("'{}' has a derivative, and an argument '{}', which formulas call "
                              "something else",
                              function_.full_name, argument.name),
                  "give the argument another name");
    }
    return true;
  }

  bool check_outputs() const {
    if (!entry_.outputs || std::ranges::find(*entry_.outputs, false) == entry_.outputs->end())
      return true;
    for (const NativeFunction* form : related_) {
      if (form->kind != SchemaKind::in_place) continue;
      return fail(
          Code::conflicting_statements, entry_.outputs_key.whole(),
          fmt::format("'{}' works in place, and what it writes has no gradient", form->full_name),
          "leave 'output_differentiability' out");
    }
    return true;
  }

  // A form with a gradient is one that some backend does.
  bool check_forms() const {
    const NativeFormula& first = *std::ranges::find_if(entry_.formulas, is_gradient);
    for (const NativeFunction* form : related_) {
      if (form->manual_registration) {
        return fail(Code::conflicting_statements, form->place("manual_kernel_registration"),
                    fmt::format("'{}' has a gradient, and is registered by hand", form->full_name),
                    "leave the key out, and write its kernels in 'dispatch'");
      }
      if (form->is_abstract()) continue;
      return fail(
          Code::conflicting_statements, first.key.whole(),
          fmt::format("'{}' has a gradient here, and is differentiated through", form->full_name),
          fmt::format("write in its entry: dispatch: {{CompositeExplicitAutograd: {}}}",
                      form->name.without_overload()));
    }
    return true;
  }

  // What a gradient keeps of `self` is no more there after a form in place.
  bool check_saved() const {
    const auto works_in_place = [](const NativeFunction* f) {
      return f->kind == SchemaKind::in_place;
    };
    const bool in_place = std::ranges::any_of(related_, works_in_place);
    for (const NativeFormula& formula : entry_.formulas) {
      if (has_generated_ && is_gradient(formula)) {
        if (const auto span = find_word(formula.text, "self")) {
          return fail(
              Code::conflicting_statements, *span,
              fmt::format("'{}' writes 'self', of which the gradient of its functional form "
                          "is made",
                          function_.full_name),
              "write the entry for a functional form, or use 'result'");
        }
      }
      if (!in_place || formula.is_forward || !names_argument(formula, "self")) continue;
      if (const auto span = find_text(formula.text, "self.sym_strides()")) {
        return fail(Code::conflicting_statements, *span,
                    fmt::format("strides of 'self' are not there any more for the in-place form of "
                                "'{}'",
                                function_.full_name),
                    "use 'sym_sizes', or write an entry for the in-place form");
      }
    }
    return true;
  }

  const NativeDerivative& entry_;
  const NativeFunction& function_;
  const std::vector<const NativeFunction*>& related_;
  bool has_generated_;
  DiagnosticSink& sink_;
};

}  // namespace

DerivativeRules::DerivativeRules(const NativeFunctions& functions,
                                 const std::vector<FormGroup>& groups, DiagnosticSink& sink)
    : sink_(sink) {
  for (const NativeFunction& function : functions.all()) {
    if (function.is_sound) by_base_[function.name.base].push_back(&function);
  }
  for (const FormGroup& group : groups) {
    for (const NativeFunction* function : group.members) groups_.emplace(function, &group);
  }
}

std::vector<const NativeFunction*> DerivativeRules::related(const NativeFunction& function) const {
  std::vector<const NativeFunction*> found;
  const std::string common = bare_signature(function);
  const auto family = by_base_.find(function.name.base);
  if (family == by_base_.end()) return {&function};
  for (const NativeFunction* other : family->second) {
    // An entry for a form that writes is for that form; one for an out form for the functional form
    // as well, after which it is called.
    const bool wider = function.kind == SchemaKind::functional ||
                       (function.kind == SchemaKind::out && other->kind == SchemaKind::functional);
    const bool shares = other == &function || (wider && !with_entry_.contains(other->full_name));
    if (shares && bare_signature(*other) == common) found.push_back(other);
  }
  return found;
}

void DerivativeRules::add(const NativeDerivative& entry) {
  with_entry_.insert(entry.function->full_name);
  bases_with_entry_.insert(entry.function->name.base);
}

void DerivativeRules::check_lists() const {
  constexpr std::string_view kEach = "_foreach_";
  for (const auto& [base, family] : by_base_) {
    if (!base.starts_with(kEach) || bases_with_entry_.contains(base.substr(kEach.size()))) continue;
    for (const NativeFunction* function : family) {
      if (!function->name.in_place || !function->is_abstract()) continue;
      if (with_entry_.contains(function->full_name) ||
          is_exempt(Exemption::each_alone, function->full_name))
        continue;
      sink_
          .error(Code::missing_derivative, function->schema.name_span,
                 fmt::format("'{}' works in place on lists, and '{}' has no derivative",
                             function->full_name, base.substr(kEach.size())))
          .note({}, "its gradient is made of that: add an entry to derivatives.yaml");
    }
  }
}

bool DerivativeRules::check(const NativeDerivative& entry) const {
  if (!entry.function->is_sound) return true;
  const std::vector<const NativeFunction*> forms = related(*entry.function);
  return EntryRules(entry, forms, has_generated(*entry.function), sink_).check();
}

// Whether a functional form is generated, whose gradient is that of this form.
bool DerivativeRules::has_generated(const NativeFunction& function) const {
  const auto found = groups_.find(&function);
  if (found == groups_.end() || function.kind == SchemaKind::functional) return false;
  const FormGroup& group = *found->second;
  for (size_t i = 0; i < group.generated.size(); ++i) {
    if (group.generated_kinds[i] == SchemaKind::functional)
      return !with_entry_.contains(group.generated[i]);
  }
  return false;
}

}  // namespace opweave::codegen::torch

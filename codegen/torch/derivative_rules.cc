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

// But for overloads.
bool is_of_one_name(std::string_view full_name, const NativeFunction& function) {
  return full_name.substr(0, full_name.find('.')) == function.name.without_overload();
}

class EntryRules {
 public:
  EntryRules(const NativeDerivative& entry, const std::vector<const NativeFunction*>& related,
             bool has_generated, bool has_other_form, DiagnosticSink& sink)
      : entry_(entry),
        function_(*entry.function),
        related_(related),
        has_generated_(has_generated),
        has_other_form_(has_other_form),
        sink_(sink) {}

  bool check() const {
    if (!check_name() || !check_form() || !check_arguments() || !check_outputs()) return false;
    std::vector<std::string_view> keys;
    for (const NativeFormula& formula : entry_.formulas) {
      if (std::ranges::find(keys, formula.dispatch_key) == keys.end())
        keys.push_back(formula.dispatch_key);
    }
    for (const std::string_view key : keys) {
      if (!check_gradients({entry_, key, sink_})) return false;
    }
    return !has_gradient() || (check_constant() && check_forms() && check_saved());
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

  // Formulas are those of a form that has no `out`.
  bool check_form() const {
    if (has_other_form_ || function_.parts->out.empty()) return true;
    return fail(Code::forms_disagree, function_.schema.name_span,
                fmt::format("'{}' has an entry in derivatives.yaml, and no form without 'out' "
                            "whose gradient it could be",
                            function_.full_name),
                "leave the entry out, or add a functional form with the same arguments");
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

  // Operators that the generator gives no gradient, whatever their entry says.
  bool check_constant() const {
    const NativeFormula& first = *std::ranges::find_if(entry_.formulas, is_gradient);
    for (const NativeFunction* form : related_) {
      const auto is_constant = [](const std::string& name) {
        return is_exempt(Exemption::constant, name);
      };
      if (form->schema.returns.empty() ||
          (!is_constant(form->name.base) && !is_constant(form->name.without_overload())))
        continue;
      return fail(Code::derivative_conflict, first.key.whole(),
                  fmt::format("'{}' has a gradient, and PyTorch makes none for operators of its "
                              "name",
                              form->full_name),
                  fmt::format("write: {}: non_differentiable; or give the operator another name",
                              first.key.text));
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
  bool has_generated_, has_other_form_;
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
  return EntryRules(entry, forms, has_generated(*entry.function), has_other_form(*entry.function),
                    sink_)
      .check();
}

// Whether a functional form is generated, whose gradient is that of this form.
bool DerivativeRules::has_generated(const NativeFunction& function) const {
  const std::string* generated = generated_functional(function);
  if (!generated || function.kind == SchemaKind::functional) return false;
  // An entry for an out form is one for the form of its name, of which nothing is written.
  return !with_entry_.contains(*generated) &&
         (function.kind != SchemaKind::out || !is_of_one_name(*generated, function));
}

// Whether there is one without `out` that has the name and the arguments of the function.
bool DerivativeRules::has_other_form(const NativeFunction& function) const {
  const auto family = by_base_.find(function.name.base);
  if (family == by_base_.end()) return false;
  const bool in_file = std::ranges::any_of(family->second, [&](const NativeFunction* other) {
    return other->parts->out.empty() && other->signature == function.signature &&
           other->name.without_overload() == function.name.without_overload() &&
           other->name.overload.find("functional") == std::string::npos;
  });
  const std::string* generated = generated_functional(function);
  return in_file || (generated && is_of_one_name(*generated, function));
}

const std::string* DerivativeRules::generated_functional(const NativeFunction& function) const {
  const auto found = groups_.find(&function);
  if (found == groups_.end()) return nullptr;
  const FormGroup& group = *found->second;
  for (size_t i = 0; i < group.generated.size(); ++i) {
    if (group.generated_kinds[i] == SchemaKind::functional) return &group.generated[i];
  }
  return nullptr;
}

}  // namespace opweave::codegen::torch

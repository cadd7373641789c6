// Groups operators by signature, and makes up those that PyTorch's generator adds.
#include "codegen/torch/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/torch/exemptions.h"
#include "codegen/torch/group_rules.h"

namespace opweave::codegen::torch {
namespace {

bool gives_tensors(const NativeFunction& function) {
  return std::ranges::any_of(function.schema.returns,
                             [](const Return& r) { return r.type.is_tensor_like(); });
}

// What the generator adds to a group, if it can.
class Generation {
 public:
  Generation(FormGroup& group, const NativeFunctions& all, DiagnosticSink& sink)
      : group_(group), all_(all), sink_(sink) {}

  bool run() {
    if (is_left_alone()) return true;
    const NativeFunction* out = group_.form(SchemaKind::out);
    if (out && group_.members.size() == 1) return check_alone(*out);
    const NativeFunction* in_place = group_.form(SchemaKind::in_place);
    if (in_place && is_exempt(Exemption::in_place_alone, in_place->full_name)) return true;
    const NativeFunction* base = base_form();
    if (!base) return true;
    const bool valid = base == in_place || gives_tensors(*base);
    if (!out && !valid && !is_exempt(Exemption::no_out, base->full_name)) return no_out(*base);
    const bool wants_out = std::ranges::any_of(base->autogen, [](const LocatedText& name) {
      return name.text.find("out") != std::string_view::npos;
    });
    const bool makes_out = !out && valid && wants_out;
    if (makes_out && !make_out(*base)) return false;
    if (group_.form(SchemaKind::functional) || (!out && !makes_out)) return true;
    return make_functional(*base);
  }

 private:
  // Written by hand, views, or differentiated through.
  bool is_left_alone() const {
    const auto& members = group_.members;
    const auto is_view = [](const NativeFunction* f) {
      return f->is_view() && !is_exempt(Exemption::sets_storage, f->name.without_overload());
    };
    if (std::ranges::all_of(members, [](const NativeFunction* f) { return f->manual_cpp; }))
      return true;
    if (std::ranges::any_of(members, is_view)) return true;
    return std::ranges::all_of(members, [](const NativeFunction* f) { return f->is_implicit(); }) &&
           std::ranges::none_of(members,
                                [](const NativeFunction* f) { return f->has_tag("core"); });
  }

  const NativeFunction* base_form() const {
    for (const SchemaKind kind :
         {SchemaKind::writing, SchemaKind::in_place, SchemaKind::out, SchemaKind::functional}) {
      if (group_.form(kind)) return group_.form(kind);
    }
    return nullptr;
  }

  bool check_alone(const NativeFunction& out) {
    if (is_exempt(Exemption::out_alone, out.full_name)) return true;
    auto& diagnostic = sink_.error(
        Code::forms_disagree, out.schema.name_span,
        fmt::format("'{}' is the out form of no operator with its arguments", out.full_name));
    for (const NativeFunction& other : all_.all()) {
      if (&other == &out || other.name.base != out.name.base || !other.parts) continue;
      diagnostic.note(other.schema.span, "this one has others");
      break;
    }
    diagnostic.note({},
                    "names, types and defaults of arguments, and the results, have to be the same");
    return false;
  }

  bool no_out(const NativeFunction& base) {
    sink_
        .error(Code::wrong_form, base.schema.name_span,
               fmt::format("'{}' has kernels, and no tensor among its results that an out form "
                           "could write",
                           base.full_name))
        .note({}, "return a tensor, or make it differentiated through: leave 'dispatch' out");
    return false;
  }

  bool fail_out(const NativeFunction& base, Span span, const std::string& message) {
    sink_.error(Code::wrong_form, span,
                fmt::format("'autogen' of '{}' asks for an out form, which cannot be made: {}",
                            base.full_name, message));
    return false;
  }

  bool make_out(const NativeFunction& base) {
    const auto& returns = base.schema.returns;
    if (base.name.overload.find("functional") != std::string::npos)
      return fail_out(base, base.schema.name_span, "its overload is called 'functional'");
    if (base.kind != SchemaKind::in_place) {
      for (const Return& result : returns) {
        if (result.type.is_mutated())
          return fail_out(base, result.span, "it returns what it writes");
      }
      const auto is_tensor = [](const Return& r) { return r.type.is_tensor() && !r.type.optional; };
      const auto is_none = [](const Return& r) { return !r.type.is_tensor_like(); };
      const auto other = std::ranges::find_if(returns, is_none);
      if (other != returns.end() && std::ranges::any_of(returns, is_tensor))
        return fail_out(base, other->span, "a result is no tensor");
      const auto is_absent = [](const Return& r) {
        return r.type.is_tensor_like() && (r.type.optional || r.type.element_optional);
      };
      const auto absent = std::ranges::find_if(returns, is_absent);
      if (absent != returns.end()) return fail_out(base, absent->span, "a result may be none");
    }
    OperatorName name = base.name;
    name.in_place = name.functional = false;
    name.overload = name.overload.empty() ? "out" : name.overload + "_out";
    return make(base, name, SchemaKind::out);
  }

  bool make_functional(const NativeFunction& base) {
    OperatorName name = base.name;
    name.in_place = false;
    name.functional = base.kind == SchemaKind::writing;
    return make(base, name, SchemaKind::functional);
  }

  bool make(const NativeFunction& base, const OperatorName& name, SchemaKind kind) {
    const std::string full = name.full();
    if (const NativeFunction* taken = all_.find(full)) {
      sink_
          .error(Code::duplicate_operator, base.place("autogen"),
                 fmt::format("'{}' is to be generated for '{}', and is there already", full,
                             base.full_name))
          .note(taken->schema.name_span, "it is not a form of the same computation: here");
      return false;
    }
    group_.generated_from = &base;
    group_.generated.push_back(full);
    group_.generated_kinds.push_back(kind);
    group_.generated_schemas.push_back(generated_schema(base, name, kind));
    return true;
  }

  FormGroup& group_;
  const NativeFunctions& all_;
  DiagnosticSink& sink_;
};

class Grouping {
 public:
  Grouping(const NativeFunctions& all, DiagnosticSink& sink) : all_(all), sink_(sink) {}

  bool add(const NativeFunction& function) {
    const auto [place, is_new] = places_.emplace(function.signature, groups_.size());
    if (is_new) groups_.emplace_back();
    FormGroup& group = groups_[place->second];
    const NativeFunction*& form = group.forms[static_cast<size_t>(function.kind)];
    if (form) return repeated(*form, function);
    form = &function;
    group.members.push_back(&function);
    return true;
  }

  std::vector<FormGroup> finish() {
    std::vector<FormGroup> sound;
    for (FormGroup& group : groups_) {
      if (!Generation(group, all_, sink_).run()) continue;
      group.is_whole = group.has(SchemaKind::functional) && group.has(SchemaKind::out);
      if (check_group(group, sink_)) sound.push_back(std::move(group));
    }
    return sound;
  }

 private:
  bool repeated(const NativeFunction& first, const NativeFunction& second) {
    sink_
        .error(Code::ambiguous_overloads, second.schema.name_span,
               fmt::format("'{}' has the arguments and results of '{}'", second.full_name,
                           first.full_name))
        .note(first.schema.name_span, "the first is here")
        .note({}, "overloads differ in the names, types or defaults of their arguments");
    return false;
  }

  const NativeFunctions& all_;
  DiagnosticSink& sink_;
  std::vector<FormGroup> groups_;
  std::unordered_map<std::string_view, size_t> places_;
};

}  // namespace

bool FormGroup::has(SchemaKind kind) const {
  return form(kind) || std::ranges::find(generated_kinds, kind) != generated_kinds.end();
}

std::vector<FormGroup> group_forms(const std::vector<const NativeFunction*>& functions,
                                   const NativeFunctions& all, DiagnosticSink& sink) {
  Grouping grouping(all, sink);
  for (const NativeFunction* function : functions) grouping.add(*function);
  return grouping.finish();
}

}  // namespace opweave::codegen::torch

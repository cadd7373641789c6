// Relations between single entries, and the order of all checks.
#include "codegen/torch/relations.h"

#include <fmt/format.h>

#include <set>

#include "codegen/diagnostics/suggest.h"
#include "codegen/torch/exemptions.h"
#include "codegen/torch/groups.h"
#include "codegen/torch/python_rules.h"
#include "codegen/torch/views.h"

namespace opweave::codegen::torch {
namespace {

std::string_view family(const NativeFunction& function) {
  return function.name.base.empty() ? std::string_view(function.schema.base_name)
                                    : std::string_view(function.name.base);
}

class RelationRules {
 public:
  RelationRules(const NativeFunctions& functions, DiagnosticSink& sink)
      : functions_(functions), sink_(sink) {
    for (const NativeFunction& function : functions.all()) {
      if (!function.is_sound) broken_.emplace(family(function));
      base_names_.insert(function.schema.base_name);
    }
  }

  std::vector<FormGroup> check() {
    std::vector<const NativeFunction*> sound;
    for (const NativeFunction& function : functions_.all()) {
      if (!function.is_sound || broken_.contains(family(function))) continue;
      if (check_delegate(function) && check_view(function)) sound.push_back(&function);
    }
    std::vector<FormGroup> groups = group_forms(sound, functions_, sink_);
    check_views(groups, sink_);
    check_functions(groups, sink_);
    return groups;
  }

 private:
  bool check_delegate(const NativeFunction& function) {
    if (!function.delegate) return true;
    const std::string_view name = function.delegate->text;
    const NativeFunction* target = functions_.find(name);
    if (!target) {
      Suggester suggester(name);
      for (const NativeFunction& known : functions_.all()) {
        if (known.structured) suggester.offer(known.full_name);
      }
      sink_
          .error(Code::unknown_operator, function.delegate->whole(),
                 fmt::format("'structured_delegate' of '{}' names '{}', and there is no such "
                             "operator",
                             function.full_name, name))
          .suggest(suggester.best());
      return broken(function);
    }
    if (target->structured) return true;
    sink_
        .error(Code::conflicting_statements, function.delegate->whole(),
               fmt::format("'structured_delegate' of '{}' names '{}', which is not structured",
                           function.full_name, name))
        .note(target->schema.name_span, "write 'structured: True' in the entry of this one");
    return broken(function);
  }

  bool broken(const NativeFunction& function) {
    broken_.emplace(family(function));
    return false;
  }

  // What changes a tensor into a view of it has a view beside it.
  bool check_view(const NativeFunction& function) {
    if (!function.has_tag("inplace_view") || !function.name.in_place ||
        is_exempt(Exemption::resizes, function.full_name) ||
        is_exempt(Exemption::sets_storage, function.name.without_overload()))
      return true;
    OperatorName view = function.name;
    view.in_place = false;
    if (base_names_.contains(view.without_overload())) return true;
    sink_
        .error(Code::conflicting_statements, function.place("tags"),
               fmt::format("'{}' is tagged as a view that works in place, and there is no '{}'",
                           function.full_name, view.without_overload()))
        .note({}, "add the view, or leave the tag out");
    return broken(function);
  }

  const NativeFunctions& functions_;
  DiagnosticSink& sink_;
  std::set<std::string, std::less<>> broken_;
  std::set<std::string, std::less<>> base_names_;
};

}  // namespace

std::vector<FormGroup> check_relations(const NativeFunctions& functions, DiagnosticSink& sink) {
  return RelationRules(functions, sink).check();
}

}  // namespace opweave::codegen::torch

// Rules of groups of forms.
#include "codegen/torch/group_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/torch/exemptions.h"

namespace opweave::codegen::torch {
namespace {

class GroupRules {
 public:
  GroupRules(const FormGroup& group, DiagnosticSink& sink)
      : group_(group),
        sink_(sink),
        functional_(group.form(SchemaKind::functional)),
        out_(group.form(SchemaKind::out)) {}

  bool check() const {
    if (!check_kinds()) return false;
    if (!group_.is_whole) return check_writers() && check_idle();
    return check_structured() && check_namespaces() && check_names() && check_delegates() &&
           check_autogen();
  }

 private:
  bool fail(Code code, Span span, const std::string& message, const std::string& advice) const {
    sink_.error(code, span, message).note({}, advice);
    return false;
  }

  bool check_kinds() const {
    if (group_.members.size() == 1) return true;
    if (const NativeFunction* scratch = group_.form(SchemaKind::scratch)) {
      return fail(
          Code::wrong_form, scratch->schema.name_span,
          fmt::format("'{}' has '_scratch_' arguments beside other forms of its computation",
                      scratch->full_name),
          "only an operator without other forms can have them");
    }
    if (group_.has(SchemaKind::functional)) return true;
    const NativeFunction& first = *group_.members[0];
    OperatorName name = first.name;
    name.in_place = false;
    name.overload = "";
    return fail(Code::forms_disagree, first.schema.name_span,
                fmt::format("'{}' and '{}' have no functional form beside them", first.full_name,
                            group_.members[1]->full_name),
                fmt::format("add '{}' with their arguments, or write 'autogen: {}' in the entry "
                            "with the kernels",
                            name.full(), name.full()));
  }

  // Without a functional and an out form there is nothing to make of what is written.
  bool check_writers() const {
    for (const NativeFunction* function : group_.members) {
      const auto& arguments = function->schema.arguments;
      const bool writes = std::ranges::any_of(
          arguments, [](const Argument& argument) { return argument.type.is_mutated(); });
      if (!writes || function->is_implicit() || function->is_view() ||
          is_exempt(Exemption::writes_alone, function->full_name) ||
          is_exempt(Exemption::writes_alone, function->name.without_overload()))
        continue;
      return fail(Code::wrong_form, function->schema.name_span,
                  fmt::format("'{}' writes, has kernels, and has no functional and out form",
                              function->full_name),
                  fmt::format("write: autogen: {}", wanted(*function)));
    }
    return true;
  }

  std::string wanted(const NativeFunction& function) const {
    std::set<std::string> names;
    OperatorName name = function.name;
    name.in_place = false;
    if (!functional_) {
      name.functional = function.kind == SchemaKind::writing;
      names.insert(name.full());
    }
    name.functional = false;
    name.overload = name.overload.empty() ? "out" : name.overload + "_out";
    if (!out_) names.insert(name.full());
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // Where nothing is generated 'autogen' has no meaning.
  bool check_idle() const {
    for (const NativeFunction* function : group_.members) {
      // Those that are differentiated through have it in PyTorch's own file, without effect.
      if (function->autogen.empty() || function->is_implicit()) continue;
      return fail(Code::conflicting_statements, function->autogen[0].whole(),
                  fmt::format("'autogen' of '{}' names '{}', which is not generated",
                              function->full_name, function->autogen[0].text),
                  fmt::format("write: autogen: {}", wanted(*function)));
    }
    return true;
  }

  bool check_structured() const {
    const bool structured = out_ && out_->structured;
    for (const NativeFunction* function : group_.members) {
      if (function->in_structured_group() == structured) continue;
      if (structured) {
        return fail(Code::conflicting_statements, function->schema.name_span,
                    fmt::format("'{}' is structured, and '{}' has no delegate", out_->full_name,
                                function->full_name),
                    fmt::format("write: structured_delegate: {}", out_->full_name));
      }
      return fail(Code::conflicting_statements, function->place("structured_delegate"),
                  fmt::format("'{}' has a delegate, and its out form is not structured",
                              function->full_name),
                  "leave the key out");
    }
    return !structured || functional_ ||
           fail(Code::conflicting_statements, out_->schema.name_span,
                fmt::format("'{}' is structured, and its functional form is generated",
                            out_->full_name),
                "add the functional form, with 'structured_delegate'");
  }

  bool check_namespaces() const {
    for (const NativeFunction* function : group_.members) {
      const NativeFunction& first = *group_.members[0];
      if (function->name_space == first.name_space) continue;
      return fail(
          Code::forms_disagree, function->schema.name_span,
          fmt::format("'{}' is in the namespace '{}', and '{}' in '{}'", function->full_name,
                      function->name_space, first.full_name, first.name_space),
          "the forms of an operator are in one namespace");
    }
    return true;
  }

  bool check_names() const {
    const NativeFunction* writing = group_.form(SchemaKind::writing);
    if (!writing || !functional_ || functional_->name.functional) return true;
    return fail(Code::forms_disagree, functional_->schema.name_span,
                fmt::format("'{}' is the functional form of '{}', which writes some arguments",
                            functional_->full_name, writing->full_name),
                fmt::format("call it '{}_functional'", writing->name.base));
  }

  bool check_delegates() const {
    if (!out_ || !out_->structured) return true;
    for (const NativeFunction* function : group_.members) {
      if (!function->delegate || function->delegate->text == out_->full_name) continue;
      // What writes other arguments is not asked.
      if (function->kind == SchemaKind::writing) continue;
      return fail(
          Code::conflicting_statements, function->delegate->whole(),
          fmt::format("'structured_delegate' of '{}' is not its out form", function->full_name),
          fmt::format("write: structured_delegate: {}", out_->full_name));
    }
    return true;
  }

  bool check_autogen() const {
    std::set<std::string_view> expected, listed;
    for (const std::string& name : group_.generated) expected.insert(name);
    const LocatedText* idle = nullptr;
    const NativeFunction *idle_of = nullptr, *first = nullptr;
    for (const NativeFunction* function : group_.members) {
      for (const LocatedText& name : function->autogen) {
        listed.insert(name.text);
        if (!expected.contains(name.text)) idle = &name, idle_of = function;
        if (!first) first = function;
      }
    }
    if (expected == listed) return true;
    const std::string all = fmt::format("{}", fmt::join(expected, ", "));
    const std::string advice = expected.empty() ? "leave it out" : "write: autogen: " + all;
    if (idle) {
      return fail(Code::conflicting_statements, idle->whole(),
                  fmt::format("'autogen' of '{}' names '{}', which is not generated",
                              idle_of->full_name, idle->text),
                  advice);
    }
    const NativeFunction& place = first ? *first : *group_.members[0];
    return fail(
        Code::conflicting_statements, place.place("autogen"),
        fmt::format("'autogen' of '{}' does not name all that is generated", place.full_name),
        advice);
  }

  const FormGroup& group_;
  DiagnosticSink& sink_;
  const NativeFunction* functional_;
  const NativeFunction* out_;
};

}  // namespace

bool check_group(const FormGroup& group, DiagnosticSink& sink) {
  return GroupRules(group, sink).check();
}

}  // namespace opweave::codegen::torch

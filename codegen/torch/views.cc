// Groups views with their copies.
#include "codegen/torch/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/torch/exemptions.h"

namespace opweave::codegen::torch {
namespace {

struct ViewGroup {
  const NativeFunction* view = nullptr;
  const NativeFunction* in_place = nullptr;
  std::map<SchemaKind, const NativeFunction*> others;  // null: generated
};

class ViewRules {
 public:
  ViewRules(const ViewGroup& group, DiagnosticSink& sink)
      : sink_(sink), view_(*group.view), in_place_(group.in_place) {
    const auto copy = group.others.find(SchemaKind::functional);
    if (copy != group.others.end()) copy_ = copy->second;
  }

  bool check() const {
    return (copy_ ? check_copy() : check_no_copy()) && check_in_place() && check_view();
  }

 private:
  bool fail(Code code, Span span, const std::string& message, const std::string& advice) const {
    sink_.error(code, span, message).note({}, advice);
    return false;
  }

  // Whether the generator makes no copy of it.
  bool needs_none() const { return view_.is_implicit() || view_.has_tag("inplace_view"); }

  std::string copy_name() const {
    OperatorName name = view_.name;
    name.in_place = name.functional = false;
    name.base += "_copy";
    return name.full();
  }

  bool check_no_copy() const {
    if (needs_none()) return true;
    std::string schema = print(view_.schema);
    return fail(Code::forms_disagree, view_.schema.name_span,
                fmt::format("'{}' is a view with kernels, and there is no '{}' with its arguments",
                            view_.full_name, copy_name()),
                fmt::format("add the operator '{}', without alias annotations, with 'tags: "
                            "view_copy'",
                            copy_name()));
  }

  bool check_copy() const {
    const std::string& base = copy_->name.base;
    if (!base.ends_with("_copy") && !base.ends_with("_scatter")) {
      return fail(
          Code::forms_disagree, copy_->schema.name_span,
          fmt::format("'{}' has the arguments of the view '{}'", copy_->full_name, view_.full_name),
          fmt::format("call it '{}'", copy_name()));
    }
    if (view_.signature != copy_->view_signature) {
      return fail(Code::forms_disagree, copy_->schema.name_span,
                  fmt::format("'{}' copies '{}', and is not called like it", copy_->full_name,
                              view_.full_name),
                  fmt::format("call it '{}'", copy_name()));
    }
    if (copy_->has_tag("view_copy")) return check_copy_kernel();
    return fail(Code::conflicting_statements,
                copy_->tags.empty() ? copy_->schema.name_span : copy_->place("tags"),
                fmt::format("'{}' copies the view '{}', and has no tag that says so",
                            copy_->full_name, view_.full_name),
                "write: tags: view_copy");
  }

  bool check_copy_kernel() const {
    constexpr std::string_view kKey = "CompositeExplicitAutogradNonFunctional";
    const bool is_generated = copy_->name.base == view_.name.without_overload() + "_copy";
    const NativeKernel* kernel = copy_->kernel_of(kKey);
    if (kernel && copy_->full_name == "view_copy" && kernel->kernel.text != "view_copy_symint") {
      return fail(Code::no_implementation, kernel->kernel.whole(),
                  "the kernel of 'view_copy' has a name of its own", "write: view_copy_symint");
    }
    if (!is_generated || kernel) return true;
    return fail(Code::no_implementation, copy_->place("dispatch"),
                fmt::format("'{}' copies a view, and has no kernel for {}", copy_->full_name, kKey),
                fmt::format("write: dispatch: {{{}: {}}}", kKey, copy_->name.without_overload()));
  }

  bool check_in_place() const {
    if (!in_place_) return true;
    if (view_.signature != in_place_->signature) {
      return fail(Code::forms_disagree, in_place_->schema.name_span,
                  fmt::format("'{}' and the view '{}' have different arguments",
                              in_place_->full_name, view_.full_name),
                  "names, types and defaults have to be the same");
    }
    const bool implicit = view_.is_implicit() && !in_place_->is_implicit();
    const bool nested = view_.is_nested_implicit() && !in_place_->is_nested_implicit();
    if (!implicit && !nested) return true;
    const std::string_view key =
        implicit ? "CompositeImplicitAutograd" : "CompositeImplicitAutogradNestedTensor";
    return fail(Code::forms_disagree, in_place_->place("dispatch"),
                fmt::format("'{}' has a kernel for {}, and '{}' has none", view_.full_name, key,
                            in_place_->full_name),
                fmt::format("give '{}' one", in_place_->full_name));
  }

  // A copy of a Scalar is not made of what the view was called with.
  bool check_scalars(const std::vector<const Argument*>& inputs) const {
    for (const Argument* input : inputs) {
      const Type& type = input->type;
      if (type.base != BaseType::scalar || type.list || type.optional) continue;
      return fail(
          Code::unknown_type, input->type_span,
          fmt::format("'{}' is a view with kernels, and takes a Scalar, which cannot be kept",
                      view_.full_name),
          "write: float");
    }
    return true;
  }

  // What is told to copies instead of views, and back.
  bool check_view() const {
    if (view_.is_implicit()) return true;
    const auto inputs = view_.parts->inputs();
    if (inputs.empty() || !inputs[0]->type.is_tensor() || inputs[0]->type.optional) {
      return fail(
          Code::wrong_form, view_.schema.name_span,
          fmt::format("'{}' is a view, and its first argument is no tensor", view_.full_name),
          "the tensor that is viewed comes first");
    }
    if (!check_scalars(inputs)) return false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i]->type.alias.has_value() == (i == 0)) continue;
      return fail(
          Code::wrong_form, inputs[i]->span,
          fmt::format("'{}' is a view of its first argument, and of that alone", view_.full_name),
          i == 0 ? "write: Tensor(a)" : "leave the alias annotation out");
    }
    return check_results();
  }

  bool check_results() const {
    const auto& returns = view_.schema.returns;
    if (returns.size() == 1 && returns[0].type.is_tensor() && !returns[0].type.optional)
      return true;
    if (returns.size() == 1 && is_exempt(Exemption::replays, view_.full_name)) return true;
    return fail(
        Code::wrong_form, returns.empty() ? view_.schema.name_span : returns[0].span,
        fmt::format("'{}' is a view with kernels, and does not return one tensor", view_.full_name),
        "make it of other views: leave 'dispatch' out");
  }

  DiagnosticSink& sink_;
  const NativeFunction& view_;
  const NativeFunction* in_place_;
  const NativeFunction* copy_ = nullptr;
};

class ViewGrouping {
 public:
  explicit ViewGrouping(DiagnosticSink& sink) : sink_(sink) {}

  void add(const NativeFunction& function) {
    ViewGroup& group = groups_[function.view_signature];
    if (!function.is_view()) {
      const auto [other, is_new] = group.others.emplace(function.kind, &function);
      if (!is_new) repeated(other->second, function);
      return;
    }
    if (function.name.in_place && !function.has_tag("inplace_view")) {
      sink_
          .error(Code::conflicting_statements, function.schema.name_span,
                 fmt::format("'{}' works in place on what it views, and has no tag that says so",
                             function.full_name))
          .note({}, "write: tags: inplace_view");
      return;
    }
    const NativeFunction*& place = function.name.in_place ? group.in_place : group.view;
    if (place) return repeated(place, function);
    place = &function;
  }

  void add_generated(const FormGroup& group) {
    for (const SchemaKind kind : group.generated_kinds)
      groups_[group.members[0]->view_signature].others.emplace(kind, nullptr);
  }

  void check() {
    for (const auto& [signature, group] : groups_) {
      if (group.view) {
        ViewRules(group, sink_).check();
      } else if (group.in_place) {
        check_alone(*group.in_place);
      }
    }
  }

 private:
  void repeated(const NativeFunction* first, const NativeFunction& second) {
    auto& diagnostic =
        sink_.error(Code::ambiguous_overloads, second.schema.name_span,
                    first ? fmt::format("'{}' has the arguments and results of '{}'",
                                        second.full_name, first->full_name)
                          : fmt::format("'{}' has the arguments and results of what is generated",
                                        second.full_name));
    if (first) diagnostic.note(first->schema.name_span, "the first is here");
    diagnostic.note({}, "both are copies of one view, or one view: give one another name");
  }

  void check_alone(const NativeFunction& function) {
    if (function.is_implicit() ||
        is_exempt(Exemption::sets_storage, function.name.without_overload()))
      return;
    sink_
        .error(Code::forms_disagree, function.schema.name_span,
               fmt::format("'{}' makes a view in place, and there is no view with its arguments",
                           function.full_name))
        .note({}, "names, types and defaults have to be the same");
  }

  DiagnosticSink& sink_;
  std::map<std::string_view, ViewGroup> groups_;
};

bool can_be_kept(const Type& type) {
  const bool is_whole = type.base == BaseType::integer;
  if (type.list) return is_whole && !type.optional && !type.element_optional;
  return is_whole || type.is_tensor() || (type.base == BaseType::boolean && !type.optional);
}

size_t tensors_of(const Schema& schema) {
  return static_cast<size_t>(std::ranges::count_if(
      schema.returns, [](const Return& r) { return r.type.is_tensor_like(); }));
}

// The generator prints how to make such a view again.
class ReplayRules {
 public:
  ReplayRules(const NativeDerivatives* derivatives, DiagnosticSink& sink)
      : derivatives_(derivatives), sink_(sink) {
    if (!derivatives) return;
    for (const NativeDerivative& entry : derivatives->entries) {
      if (!entry.outputs) continue;
      const auto count = std::ranges::count(*entry.outputs, true);
      outputs_.emplace(entry.function, static_cast<size_t>(count));
    }
  }

  void check(const FormGroup& group) const {
    const NativeFunction& first = *group.members[0];
    if (!is_exempt(Exemption::viewed_by_name, first.name.base)) return;
    const NativeFunction* function = group.form(SchemaKind::functional);
    if (function && function->is_abstract()) check(function->schema, differentiable(*function));
    if (!first.is_abstract()) return;
    for (size_t i = 0; i < group.generated.size(); ++i) {
      const Schema& schema = group.generated_schemas[i];
      if (group.generated_kinds[i] == SchemaKind::functional) check(schema, tensors_of(schema));
    }
  }

 private:
  // How many results have a gradient.
  size_t differentiable(const NativeFunction& function) const {
    const auto listed = outputs_.find(&function);
    if (listed != outputs_.end()) return listed->second;
    const bool is_constant =
        !derivatives_ && is_exempt(Exemption::without_gradient, function.full_name);
    return is_constant ? 0 : tensors_of(function.schema);
  }

  void check(const Schema& schema, size_t results) const {
    if (results == 0) return;
    if (results > 1 || schema.returns.size() > 1) {
      sink_
          .error(Code::wrong_form, schema.name_span,
                 fmt::format("'{}' is a view by its name, and has several results",
                             schema.full_name()))
          .note({}, "return one tensor or a list, or give the operator another name");
      return;
    }
    for (const Argument& argument : schema.arguments) {
      if (!can_be_kept(argument.type)) return refuse(schema, argument);
      if (argument.name == "self" && &argument != &schema.arguments[0])
        return refuse_order(schema, argument);
    }
  }

  // The view is made again of what stands in the place of the first argument.
  void refuse_order(const Schema& schema, const Argument& argument) const {
    sink_
        .error(Code::wrong_form, argument.span,
               fmt::format("'{}' is a view by its name, and 'self', of which it is one, is not its "
                           "first argument",
                           schema.full_name()))
        .note({}, "write it first, or give the operator another name");
  }

  void refuse(const Schema& schema, const Argument& argument) const {
    sink_
        .error(Code::unknown_type, argument.type_span,
               fmt::format("'{}' is a view by its name, and takes '{}' of type '{}', which cannot "
                           "be kept for its backward pass",
                           schema.full_name(), argument.name, print(argument.type)))
        .note({}, "such views take int, bool, int[] and Tensor: give the operator another name");
  }

  const NativeDerivatives* derivatives_;
  DiagnosticSink& sink_;
  std::map<const NativeFunction*, size_t> outputs_;
};

}  // namespace

void check_replayed(const std::vector<FormGroup>& groups, const NativeDerivatives* derivatives,
                    DiagnosticSink& sink) {
  const ReplayRules rules(derivatives, sink);
  for (const FormGroup& group : groups) rules.check(group);
}

void check_views(const std::vector<FormGroup>& groups, DiagnosticSink& sink) {
  ViewGrouping grouping(sink);
  for (const FormGroup& group : groups) {
    for (const NativeFunction* function : group.members) grouping.add(*function);
    grouping.add_generated(group);
  }
  grouping.check();
}

}  // namespace opweave::codegen::torch

// From entries to operators with what their entries say.
#include "codegen/model/operators/builder.h"

#include <fmt/format.h>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/operators/computations.h"
#include "codegen/model/operators/entry_checks.h"
#include "codegen/model/operators/name_checks.h"
#include "codegen/model/operators/role_checks.h"
#include "codegen/model/operators/schema_checks.h"

namespace opweave::codegen {
namespace {

Policies policies_of(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  return {entry.batching, entry.autocast, roles_of(op, entry, sink)};
}

Policies derived_policies(const Operator& form) {
  Policies policies = *form.forms->functional->policies;
  policies.autocast = {};  // what is written has a dtype of its own
  const bool by_formula =
      policies.batching == Batching::example || policies.batching == Batching::batch;
  if (by_formula) policies.batching = Batching::automatic;
  return policies;
}

Tests tests_of(const OperatorEntry& entry) {
  const std::optional<LocatedText>& reference = entry.numpy_reference;
  return {entry.argument_samples, entry.sample_calls,
          reference ? std::string(reference->text) : ""};
}

// The functional form is compared with the reference.
Tests derived_tests(const Operator& form) {
  const Tests& functional = *form.forms->functional->tests;
  return {functional.argument_samples, functional.calls, ""};
}

}  // namespace

void OperatorBuilder::add(std::vector<OperatorEntry> entries, bool imported) {
  for (OperatorEntry& entry : entries) {
    OperatorEntry& kept = entries_.emplace_back(std::move(entry));
    check_schema(kept.schema, sink_);
    check_names(kept, sink_);
    Operator& op = storage_.operators.emplace_back(kept.schema,
                                                   Origin{.span = kept.span, .imported = imported});
    computations_.emplace(&op, computation_of(op, kept, known_targets_, sink_));
    insert(op, &kept);
  }
}

void OperatorBuilder::add_target(const TargetEntry& target) {
  for (const LocatedText& name : target.kernels) {
    if (const Operator* op = find(name.text)) {
      codegen::add_target(computations_.at(op), *op, target.name.text, name, sink_);
      continue;
    }
    Suggester suggester(name.text);
    for (const Draft& draft : drafts_) suggester.offer(draft.op->name.full);
    sink_
        .error(Code::unknown_operator, name.whole(),
               fmt::format("the target '{}' has a kernel for '{}', which is no operator",
                           target.name.text, name.text))
        .suggest(suggester.best());
  }
}

void OperatorBuilder::complete() {
  link_forms();
  for (const Draft& draft : drafts_) {
    draft.op->computation.give(std::move(computations_.at(draft.op)));
    draft.op->forms.give(forms_.at(draft.op));
  }
  // Functional forms first: others ask theirs.
  for (const bool functional : {true, false}) {
    for (const Draft& draft : drafts_) {
      if ((draft.op->forms->form == Form::functional) == functional) describe(draft);
    }
  }
}

// By its entry, or by that of the functional form.
void OperatorBuilder::describe(const Draft& draft) {
  Operator& op = *draft.op;
  const OperatorEntry* entry = draft.entry;
  op.face.give(entry ? faces_.make(op, *entry) : faces_.derive(op));
  op.policies.give(entry ? policies_of(op, *entry, sink_) : derived_policies(op));
  op.tests.give(entry ? tests_of(*entry) : derived_tests(op));
  if (entry) check_entry(op, *entry, sink_);
}

void OperatorBuilder::insert(Operator& op, OperatorEntry* entry) {
  auto [place, is_new] = by_name_.emplace(op.name.full, &op);
  if (!is_new) {
    sink_
        .error(Code::duplicate_operator, op.schema.name_span,
               fmt::format("a second operator named '{}'", op.name.full))
        .note(place->second->schema.name_span, "the first is here");
    return;
  }
  auto [same, unique] = identifiers_.emplace(op.name.identifier, &op);
  // Of two forms that are derived the operators they belong to say it.
  const bool derived = !entry && forms_.at(same->second).form != Form::functional;
  if (!unique && !derived) {
    sink_
        .error(Code::names_collide, op.schema.name_span,
               fmt::format("'{}' and '{}' are both '{}' in C++", op.name.full,
                           same->second->name.full, op.name.identifier))
        .note(same->second->schema.name_span, "the other is here");
  }
  table_.add(&op);
  drafts_.push_back({&op, entry});
}

Operator* OperatorBuilder::find(std::string_view full_name) {
  auto found = by_name_.find(full_name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace opweave::codegen

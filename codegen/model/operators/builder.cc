// From entries to operators.
#include "codegen/model/operators/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/declarations/kernel_words.h"
#include "codegen/model/operators/entry_checks.h"
#include "codegen/model/operators/name_checks.h"
#include "codegen/model/operators/nn_signature.h"
#include "codegen/model/operators/schema_checks.h"

namespace opweave::codegen {
namespace {

std::string identifier_of(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace

void OperatorBuilder::add(std::vector<OperatorEntry> entries, bool imported) {
  for (OperatorEntry& entry : entries) {
    OperatorEntry& kept = entries_.emplace_back(std::move(entry));
    insert(build(kept, imported), &kept);
  }
}

Operator& OperatorBuilder::build(const OperatorEntry& entry, bool imported) {
  Operator& op = storage_.operators.emplace_back();
  check_schema(entry.schema, sink_);
  check_names(entry, sink_);
  op.schema = entry.schema;
  op.base_name = entry.schema.base_name;
  op.overload_name = entry.schema.overload_name;
  op.full_name = entry.schema.full_name();
  op.identifier = identifier_of(op.full_name);
  op.span = entry.span;
  op.imported = imported;
  op.mutated = mutated_arguments(op.schema);
  op.views = views_of(op.schema);
  op.form = op.mutated.empty() ? Form::functional : Form::manual;
  if (op.form == Form::functional) op.functional = &op;
  op.doc = entry.doc;
  op.batching = entry.batching;
  op.autocast = entry.autocast;
  set_roles(op, entry);
  for (const LocatedText& tag : entry.tags) op.tags.emplace_back(tag.text);
  op.out_dtype = entry.out_dtype;
  // A view moves nothing and computes nothing.
  op.dtypes = entry.dtypes.value_or(DTypeSet{op.is_view() ? dtypes::kEvery : dtypes::kCommon});
  set_face(op, entry);
  set_implementation(op, entry);
  op.argument_samples = entry.argument_samples;
  op.sample_calls = entry.sample_calls;
  if (entry.numpy_reference) op.numpy_reference = entry.numpy_reference->text;
  set_numbers(op, entry);
  set_argument_dtypes(op, entry);
  check_entry(op, entry, sink_);
  return op;
}

void OperatorBuilder::set_face(Operator& op, const OperatorEntry& entry) {
  op.internal = entry.internal;
  op.python_name = entry.python_name ? std::string(entry.python_name->text) : op.base_name;
  op.python_module = entry.python_module;
  if (!entry.variants) return;
  if (entry.internal) {
    sink_
        .error(Code::conflicting_statements, entry.internal_span,
               fmt::format("'{}' is internal: it has no variants", op.full_name))
        .note(entry.variants_span, "they are given here");
  }
  op.variant_function = op.variant_method = false;
  for (const LocatedText& word : *entry.variants) {
    if (word.text == "function") op.variant_function = true;
    if (word.text == "method") op.variant_method = true;
  }
  if (op.variant_method) check_method(op, *entry.variants);
}

// A method is one of a tensor: that is what `self` has to be.
void OperatorBuilder::check_method(const Operator& op, const std::vector<LocatedText>& variants) {
  const int self = op.schema.find_argument("self");
  if (self >= 0 && op.schema.arguments[self].type.is_tensor()) return;
  const auto method = std::ranges::find(variants, "method", &LocatedText::text);
  const std::string why = self < 0 ? "it has no argument 'self'"
                                   : fmt::format("its argument 'self' is no tensor, but of type {}",
                                                 print(op.schema.arguments[self].type));
  sink_
      .error(Code::conflicting_statements, method->whole(),
             fmt::format("'{}' cannot be a method: {}", op.full_name, why))
      .note(op.span, "its arguments are declared here");
}

// Words of `kernels` beside which there is no other, and why.
static constexpr std::pair<std::string_view, std::string_view> kStandAlone[] = {
    {"composite", "autograd would have to see what the one calls, and stand above the other"},
    {"view", "the rule is the view on every target"},
};

void OperatorBuilder::set_implementation(Operator& op, const OperatorEntry& entry) {
  const auto& given = entry.implementations;
  if (given.empty() && !entry.damaged) {
    sink_
        .error(Code::no_implementation, op.schema.name_span,
               fmt::format("'{}' does not say how it computes", op.full_name))
        .note({}, "give it one of: expr, composite, kernels");
  } else if (given.size() > 1) {
    sink_
        .error(Code::several_implementations, given[1].whole(),
               fmt::format("'{}' says twice how it computes: by '{}' and by '{}'", op.full_name,
                           given[0].text, given[1].text))
        .note(given[0].whole(), "the first is here");
  }
  op.implementation = entry.expr        ? Implementation::expr
                      : entry.composite ? Implementation::composite
                                        : Implementation::kernels;
  if (entry.kernels) set_targets(op, *entry.kernels);
}

void OperatorBuilder::check_mix(const Operator& op, const std::vector<LocatedText>& words) {
  for (const auto& [alone, why] : kStandAlone) {
    const auto found = std::ranges::find(words, alone, &LocatedText::text);
    const auto other =
        std::ranges::find_if(words, [&](const LocatedText& word) { return word.text != alone; });
    if (found == words.end() || other == words.end()) continue;
    sink_
        .error(Code::conflicting_statements, found->whole(),
               fmt::format("'kernels' of '{}' names '{}' and '{}': {}", op.full_name, alone,
                           other->text, why))
        .note({}, "a function for all other targets that runs below autograd is 'every_target'");
    return;
  }
}

// `kernels: [meta]` alone: nothing computes elements.
void OperatorBuilder::check_computes(const Operator& op, const std::vector<LocatedText>& words) {
  const auto meta = [](const LocatedText& word) { return word.text == "meta"; };
  if (words.empty() || !std::ranges::all_of(words, meta)) return;
  sink_
      .error(Code::conflicting_statements, words.front().whole(),
             fmt::format("'kernels' of '{}' names 'meta' alone, the function for tensors without "
                         "data: nothing computes elements",
                         op.full_name))
      .note({}, "'every_target', or hardware such as 'cpu', stands beside it");
}

void OperatorBuilder::set_targets(Operator& op, const std::vector<LocatedText>& words) {
  check_mix(op, words);
  check_computes(op, words);
  for (const LocatedText& word : words) {
    const bool known = find_kernel_word(word.text) != nullptr ||
                       (known_targets_.empty()
                            ? is_target_name(word.text)
                            : std::ranges::find(known_targets_, word.text) != known_targets_.end());
    if (!known) {
      std::vector<std::string_view> names(known_targets_.begin(), known_targets_.end());
      for (const KernelWord& neutral : kKernelWords) names.push_back(neutral.name);
      sink_
          .error(Code::unknown_target, word.whole(),
                 fmt::format("'kernels' of '{}' names the unknown target '{}'", op.full_name,
                             word.text))
          .suggest(closest(word.text, names))
          .note({}, fmt::format("the targets are: {}", fmt::join(names, ", ")));
    }
    op.targets.emplace_back(word.text);
  }
}

// The function of nn.functional that an entry asks for or, in the module `nn`, does not refuse; of
// an in-place form without an entry, that of the functional form with a `_`.
void OperatorBuilder::set_nn_function(Operator& op, const OperatorEntry* entry) {
  op.nn_function.reset();
  if (op.internal || !op.variant_function || op.form == Form::out) return;
  if (entry != nullptr && entry->nn_function) {
    if (entry->nn_function->text != "none") {
      op.nn_function = read_nn_function(op, *entry->nn_function, sink_);
    }
  } else if (op.form == Form::inplace && op.functional->nn_function) {
    op.nn_function = plain_nn_function(op, op.functional->nn_function->name + "_");
  } else if (entry != nullptr && op.python_module == "nn") {
    op.nn_function = plain_nn_function(op, op.python_name);
  }
  if (op.nn_function) check_nn_name(op);
}

// Overloads of one function of Python may share a name, others not.
void OperatorBuilder::check_nn_name(const Operator& op) {
  const auto [place, is_new] = nn_names_.emplace(op.nn_function->name, &op);
  const Operator& first = *place->second;
  if (is_new || (first.python_name == op.python_name && first.python_module == op.python_module)) {
    return;
  }
  sink_
      .error(Code::names_collide, op.schema.name_span,
             fmt::format("'{}' and '{}' are both nn.functional.{} in Python", first.full_name,
                         op.full_name, op.nn_function->name))
      .note(first.schema.name_span, "the other is here");
}

// The index of an argument that an entry names; -1 after a report.
int OperatorBuilder::argument_index(const Operator& op, std::string_view name, Span span) {
  const int index = op.schema.find_argument(name);
  if (index >= 0) return index;
  Suggester suggester(name);
  for (const Argument& argument : op.schema.arguments) suggester.offer(argument.name);
  sink_
      .error(Code::unknown_argument, span,
             fmt::format("'{}' has no argument '{}'", op.full_name, name))
      .suggest(suggester.best())
      .note(op.span, "the operator is declared here");
  return -1;
}

// The same for an argument that has to be a tensor; `what` it is named for.
int OperatorBuilder::tensor_argument_index(const Operator& op, const LocatedText& name,
                                           std::string_view what) {
  const int index = argument_index(op, name.text, name.whole());
  if (index < 0 || op.schema.arguments[index].type.is_tensor()) return index;
  const Argument& argument = op.schema.arguments[index];
  sink_
      .error(Code::bad_value, name.whole(),
             fmt::format("'{}' of '{}' names tensor arguments: '{}' is of type {}", what,
                         op.full_name, name.text, print(argument.type)))
      .note(argument.span, "it is declared here");
  return -1;
}

void OperatorBuilder::add_target(const TargetEntry& target) {
  for (const LocatedText& name : target.kernels) {
    Operator* op = find(name.text);
    if (op == nullptr) {
      Suggester suggester(name.text);
      for (const Draft& draft : drafts_) suggester.offer(draft.op->full_name);
      sink_
          .error(Code::unknown_operator, name.whole(),
                 fmt::format("the target '{}' has a kernel for '{}', which is no operator",
                             target.name.text, name.text))
          .suggest(suggester.best());
    } else if (op->implementation != Implementation::kernels) {
      sink_
          .error(Code::conflicting_statements, name.whole(),
                 fmt::format("the target '{}' has a kernel for '{}', which has no handwritten "
                             "kernels",
                             target.name.text, name.text))
          .note(op->span, "it says here how it computes, on every target");
    } else if (op->is_handwritten_composite()) {
      sink_
          .error(Code::conflicting_statements, name.whole(),
                 fmt::format("the target '{}' has a kernel for '{}', which autograd differentiates "
                             "through: nobody would record what the kernel does",
                             target.name.text, name.text))
          .note(op->span, "its kernel is 'composite' here, not 'every_target'");
    } else if (op->has_target(target.name.text)) {
      sink_
          .error(Code::bad_value, name.whole(),
                 fmt::format("the kernel of the target '{}' for '{}' is named twice",
                             target.name.text, name.text))
          .note(op->span, "the entry of the operator names the target, too");
    } else {
      op->targets.emplace_back(target.name.text);
    }
  }
}

void OperatorBuilder::set_numbers(Operator& op, const OperatorEntry& entry) {
  for (const LocatedText& name : entry.numbers) {
    const int index = tensor_argument_index(op, name, "numbers");
    if (index < 0) continue;
    op.numbers.push_back(static_cast<uint16_t>(index));
    const Argument& argument = op.schema.arguments[index];
    if (!argument.type.is_mutated()) continue;
    sink_
        .error(
            Code::bad_value, name.whole(),
            fmt::format("'numbers' of '{}' names '{}', which is written: nobody could see what a "
                        "number has become",
                        op.full_name, argument.name))
        .note(argument.span, "it is declared here");
  }
}

// Whether a number may stand where a tensor could: `a + 1`.
static bool may_be_operand(const Operator& op, const Argument& argument) {
  return op.implementation == Implementation::expr && !argument.keyword_only &&
         argument.type.base == BaseType::scalar && !argument.type.list && !argument.type.optional;
}

// What is no expression computes in no dtype of its own: `dtypes` says the same of all its tensors.
void OperatorBuilder::set_argument_dtypes(Operator& op, const OperatorEntry& entry) {
  if (entry.dtypes && op.implementation != Implementation::expr)
    op.argument_dtypes.assign(op.schema.arguments.size(), *entry.dtypes);
  for (const auto& [name, dtypes] : entry.argument_dtypes) {
    const int found = op.schema.find_argument(name.text);
    const bool number = found >= 0 && may_be_operand(op, op.schema.arguments[found]);
    const int index = number ? found : tensor_argument_index(op, name, "argument_dtypes");
    if (index < 0) continue;
    op.argument_dtypes.resize(op.schema.arguments.size(), DTypeSet{dtypes::kEvery});
    op.argument_dtypes[index] = dtypes;
  }
}

void OperatorBuilder::insert(Operator& op, OperatorEntry* entry) {
  auto [place, is_new] = by_name_.emplace(op.full_name, &op);
  if (!is_new) {
    sink_
        .error(Code::duplicate_operator, op.schema.name_span,
               fmt::format("a second operator named '{}'", op.full_name))
        .note(place->second->schema.name_span, "the first is here");
    return;
  }
  auto [same, unique] = identifiers_.emplace(op.identifier, &op);
  // Of two forms that are derived the operators they belong to say it.
  const bool derived = !entry && same->second->form != Form::functional;
  if (!unique && !derived) {
    sink_
        .error(Code::names_collide, op.schema.name_span,
               fmt::format("'{}' and '{}' are both '{}' in C++", op.full_name,
                           same->second->full_name, op.identifier))
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

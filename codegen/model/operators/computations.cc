// Reading what computes.
#include "codegen/model/operators/computations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/declarations/kernel_words.h"

namespace opweave::codegen {
namespace {

// Words of `kernels` beside which there is no other, and why.
constexpr std::pair<std::string_view, std::string_view> kStandAlone[] = {
    {"composite", "autograd would have to see what the one calls, and stand above the other"},
    {"view", "the rule is the view on every target"},
};

// What serves all targets with what serves one, or in another way.
void check_mix(const Operator& op, const std::vector<LocatedText>& words, DiagnosticSink& sink) {
  for (const auto& [alone, why] : kStandAlone) {
    const auto found = std::ranges::find(words, alone, &LocatedText::text);
    const auto other =
        std::ranges::find_if(words, [&](const LocatedText& word) { return word.text != alone; });
    if (found == words.end() || other == words.end()) continue;
    sink.error(Code::conflicting_statements, found->whole(),
               fmt::format("'kernels' of '{}' names '{}' and '{}': {}", op.name.full, alone,
                           other->text, why))
        .note({}, "a function for all other targets that runs below autograd is 'every_target'");
    return;
  }
}

// `kernels: [meta]` alone: nothing computes elements.
void check_computes(const Operator& op, const std::vector<LocatedText>& words,
                    DiagnosticSink& sink) {
  const auto meta = [](const LocatedText& word) { return word.text == "meta"; };
  if (words.empty() || !std::ranges::all_of(words, meta)) return;
  sink.error(Code::conflicting_statements, words.front().whole(),
             fmt::format("'kernels' of '{}' names 'meta' alone, the function for tensors without "
                         "data: nothing computes elements",
                         op.name.full))
      .note({}, "'every_target', or hardware such as 'cpu', stands beside it");
}

bool is_known(std::string_view word, const std::vector<std::string>& known_targets) {
  if (find_kernel_word(word) != nullptr) return true;
  return known_targets.empty() ? is_target_name(word)
                               : std::ranges::find(known_targets, word) != known_targets.end();
}

std::vector<std::string> targets_of(const Operator& op, const std::vector<LocatedText>& words,
                                    const std::vector<std::string>& known_targets,
                                    DiagnosticSink& sink) {
  check_mix(op, words, sink);
  check_computes(op, words, sink);
  std::vector<std::string> targets;
  for (const LocatedText& word : words) {
    targets.emplace_back(word.text);
    if (is_known(word.text, known_targets)) continue;
    std::vector<std::string_view> names(known_targets.begin(), known_targets.end());
    for (const KernelWord& neutral : kKernelWords) names.push_back(neutral.name);
    sink.error(
            Code::unknown_target, word.whole(),
            fmt::format("'kernels' of '{}' names the unknown target '{}'", op.name.full, word.text))
        .suggest(closest(word.text, names))
        .note({}, fmt::format("the targets are: {}", fmt::join(names, ", ")));
  }
  return targets;
}

void check_said_once(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  const auto& given = entry.implementations;
  if (given.empty() && !entry.damaged) {
    sink.error(Code::no_implementation, op.schema.name_span,
               fmt::format("'{}' does not say how it computes", op.name.full))
        .note({}, "give it one of: expr, composite, kernels");
  } else if (given.size() > 1) {
    sink.error(Code::several_implementations, given[1].whole(),
               fmt::format("'{}' says twice how it computes: by '{}' and by '{}'", op.name.full,
                           given[0].text, given[1].text))
        .note(given[0].whole(), "the first is here");
  }
}

}  // namespace

Computation computation_of(const Operator& op, const OperatorEntry& entry,
                           const std::vector<std::string>& known_targets, DiagnosticSink& sink) {
  check_said_once(op, entry, sink);
  Computation made;
  made.folds = entry.fold.given() && !entry.kernels && !entry.composite;
  made.implementation = made.folds        ? Implementation::kernels
                        : entry.expr      ? Implementation::expr
                        : entry.composite ? Implementation::composite
                                          : Implementation::kernels;
  if (entry.kernels) made.targets = targets_of(op, *entry.kernels, known_targets, sink);
  return made;
}

void add_target(Computation& computation, const Operator& op, std::string_view target,
                const LocatedText& name, DiagnosticSink& sink) {
  if (computation.implementation != Implementation::kernels) {
    sink.error(Code::conflicting_statements, name.whole(),
               fmt::format("the target '{}' has a kernel for '{}', which has no handwritten "
                           "kernels",
                           target, name.text))
        .note(op.origin.span, "it says here how it computes, on every target");
  } else if (computation.is_handwritten_composite()) {
    sink.error(Code::conflicting_statements, name.whole(),
               fmt::format("the target '{}' has a kernel for '{}', which autograd differentiates "
                           "through: nobody would record what the kernel does",
                           target, name.text))
        .note(op.origin.span, "its kernel is 'composite' here, not 'every_target'");
  } else if (computation.has_target(target)) {
    sink.error(
            Code::bad_value, name.whole(),
            fmt::format("the kernel of the target '{}' for '{}' is named twice", target, name.text))
        .note(op.origin.span, "the entry of the operator names the target, too");
  } else {
    computation.targets.emplace_back(target);
  }
}

}  // namespace opweave::codegen

// Operators without samples.
#include "codegen/model/samples/sample_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/declarations/roles.h"
#include "codegen/model/samples/sample_calls.h"

namespace opweave::codegen {
namespace {

// Forms of another operator are tested with its samples.
bool is_tested_alone(const Draft& draft) {
  const Operator& op = *draft.op;
  return draft.entry != nullptr && !op.face->internal && !op.origin.imported &&
         !draft.entry->damaged && (op.forms->functional == nullptr || op.forms->functional == &op);
}

// Whether the type of an argument says well enough what to give for it.
bool can_be_drawn(const Operator& op, const Argument& argument) {
  const Type& type = argument.type;
  if (type.list) return false;
  if (type.base == BaseType::tensor) return true;
  const bool number = type.base == BaseType::scalar || type.base == BaseType::integer ||
                      type.base == BaseType::floating || type.base == BaseType::boolean;
  return number && op.is_expr();
}

// The first argument for which a test has nothing to give.
const Argument* unknown_argument(const Operator& op) {
  for (const Argument& argument : op.schema.arguments) {
    const auto is_its = [&](const ArgumentSample& s) { return s.argument == argument.name; };
    const bool given =
        std::ranges::any_of(op.tests->argument_samples, is_its) && !argument.type.list;
    if (!given && !argument.default_value && !can_be_drawn(op, argument)) return &argument;
  }
  return nullptr;
}

void report(const Operator& op, const Argument* unknown, DiagnosticSink& sink) {
  const std::string example =
      unknown == nullptr ? "{self: real}" : "[{self: real(2x3), dim: 1}], one mapping per call";
  Diagnostic& error =
      sink.error(Code::no_samples, op.schema.name_span,
                 fmt::format("'{}' has no samples to be tested with", op.name.full));
  if (unknown != nullptr) {
    error.note(unknown->span, fmt::format("nothing says what to give for '{}'", unknown->name));
  }
  error.note({}, "give it 'samples', such as " + example);
}

// A list of another length than the schema's, which every call refuses.
void check_length(const Operator& op, const SampleCall::Given& given, DiagnosticSink& sink) {
  const Argument& argument = op.schema.arguments[op.schema.find_argument(given.argument)];
  const Constant& list = given.value.constant;
  const std::optional<int> length = fixed_length(op, argument);
  if (!length || list.kind != Constant::Kind::list) return;
  const size_t n = list.items.size();
  if (n == static_cast<size_t>(*length) || n == 1 || (n == 0 && takes_empty_list(argument))) return;
  sink.error(Code::type_mismatch, given.span,
             fmt::format("'{}' in a sample of '{}' has {} element{}: {} has {}, or one for all{}",
                         argument.name, op.name.full, n, n == 1 ? "" : "s", print(argument.type),
                         *length, takes_empty_list(argument) ? ", or none" : ""))
      .note(argument.span, "it is declared here");
}

void check_lengths(const Operator& op, DiagnosticSink& sink) {
  for (const SampleCall& call : op.tests->calls) {
    for (const SampleCall::Given& given : call.arguments) check_length(op, given, sink);
  }
}

}  // namespace

void check_samples(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  for (const Draft& draft : drafts) {
    const Operator& op = *draft.op;
    if (draft.entry != nullptr) check_lengths(op, sink);
    if (!is_tested_alone(draft) || !op.tests->calls.empty() || needs_object(op)) continue;
    // What a handwritten kernel can be given, its types do not say: a matrix, a probability.
    const bool silent =
        op.computation->implementation == Implementation::kernels && !draft.entry->has_samples;
    const Argument* unknown = unknown_argument(op);
    if (silent || unknown != nullptr) report(op, unknown, sink);
  }
}

}  // namespace opweave::codegen

// Checks of single entries, behind their readers.
#include "codegen/model/operators/entry_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/operators/roles.h"

namespace opweave::codegen {
namespace {

// What kernels and formulas make is what they say: promotion is worked out for expressions alone.
void check_pointwise_keys(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (op.implementation == Implementation::expr || entry.implementations.size() != 1) return;
  for (const LocatedText& key : entry.pointwise_keys) {
    sink.error(
            Code::conflicting_statements, key.whole(),
            fmt::format("'{}' of '{}' means something beside an expr only", key.text, op.full_name))
        .note(entry.implementations[0].whole(), "it computes by this")
        .note({},
              op.implementation == Implementation::kernels
                  ? "'require' and 'result' say what dtypes a kernel takes and gives, as in dtype: "
                    "promoted(self.scalar_type(), other.scalar_type())"
                  : "the operators that the formula calls say what dtypes they take and give");
  }
}

// A kernel for single targets runs behind its rule, which is where dtypes are checked.
void check_dtypes(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  const bool given = entry.dtypes || entry.argument_dtypes_span;
  const bool reads = !op.tensor_arguments().empty();
  if (!given || !reads || !op.has_hardware_kernel() || entry.rule.given()) return;
  sink.error(Code::conflicting_statements,
             entry.dtypes ? entry.dtypes_span : entry.argument_dtypes_span,
             fmt::format("nothing checks the dtypes of '{}': its kernel has no rule", op.full_name))
      .note({}, "with 'result' or 'require' the entry has one");
}

// Beside a result there is a rule anyway; of an operator that writes its arguments it says that
// every call is fine. Asked when all else is right, for what could not be read is empty as well.
void check_requirements(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  const RuleEntry& rule = entry.rule;
  const bool idle = rule.require_key && rule.requirements.empty() && !rule.calls;
  if (!idle || sink.has_errors() || (!op.mutated.empty() && !rule.result_key)) return;
  sink.error(Code::bad_value, *rule.require_key,
             fmt::format("'require' of '{}' names nothing", op.full_name))
      .note({}, "leave the key out where there is nothing to say");
}

void check_batching(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (entry.batching == Batching::automatic) return;
  const bool has_tensor = std::ranges::any_of(
      op.schema.arguments, [](const Argument& a) { return a.type.is_tensor_like(); });
  if (!has_tensor) {
    sink.error(Code::conflicting_statements, entry.batching_span,
               fmt::format("'batching' of '{}', which takes no tensor that could be a batch",
                           op.full_name))
        .note(op.span, "its arguments are declared here");
  } else if (entry.batching == Batching::sized && op.schema.find_argument("size") < 0) {
    sink.error(Code::conflicting_statements, entry.batching_span,
               fmt::format("'batching' of '{}' is 'sized', but it has no argument 'size' that "
                           "gives the sizes of the result",
                           op.full_name))
        .note(op.span, "its arguments are declared here");
  } else if (entry.batching == Batching::dims && !takes_one_tensor_first(op)) {
    sink.error(Code::conflicting_statements, entry.batching_span,
               fmt::format("'batching' of '{}' is 'dims', but its first argument is not its only "
                           "tensor, whose dimensions the others could name",
                           op.full_name))
        .note(op.span, "its arguments are declared here");
  }
}

void check_autocast(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (!entry.autocast.any()) return;
  const bool has_tensor = std::ranges::any_of(
      op.schema.arguments, [](const Argument& a) { return a.type.is_tensor_like(); });
  if (has_tensor && op.mutated.empty()) return;
  sink.error(Code::conflicting_statements, entry.autocast_span,
             fmt::format("'autocast' of '{}', which {}", op.full_name,
                         has_tensor ? "writes an argument: casts would be written in its place"
                                    : "takes no tensor that could be cast"))
      .note(op.span, "its arguments are declared here");
}

// Formulas of gradients call them so, those that are derived as well.
bool is_gradient_name(std::string_view name) {
  const bool result = name.starts_with("result") && std::ranges::all_of(name.substr(6), [](char c) {
                        return c >= '0' && c <= '9';
                      });
  return result || name == "grad" || name == "grads" || name == "grad_input_mask";
}

void check_gradient_names(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (op.implementation != Implementation::expr || entry.differentiable == false) return;
  for (const Argument& argument : op.schema.arguments) {
    if (!is_gradient_name(argument.name)) continue;
    sink.error(Code::names_collide, argument.name_span,
               fmt::format("the argument '{}' of '{}' is called like what formulas of gradients "
                           "name so: give it another name, or the entry 'differentiable: false'",
                           argument.name, op.full_name));
  }
}

}  // namespace

void check_entry(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  check_pointwise_keys(op, entry, sink);
  check_dtypes(op, entry, sink);
  check_requirements(op, entry, sink);
  check_batching(op, entry, sink);
  check_autocast(op, entry, sink);
  check_gradient_names(op, entry, sink);
}

}  // namespace opweave::codegen

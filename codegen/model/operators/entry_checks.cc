// Checks of single entries, behind their readers.
#include "codegen/model/operators/entry_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/model/declarations/roles.h"

namespace opweave::codegen {
namespace {

// What kernels and formulas make is what they say: promotion is worked out for expressions alone.
void check_pointwise_keys(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (op.computation->implementation == Implementation::expr || entry.implementations.size() != 1)
    return;
  for (const LocatedText& key : entry.pointwise_keys) {
    sink.error(
            Code::conflicting_statements, key.whole(),
            fmt::format("'{}' of '{}' means something beside an expr only", key.text, op.name.full))
        .note(entry.implementations[0].whole(), "it computes by this")
        .note({},
              op.computation->implementation == Implementation::kernels
                  ? "'require' and 'result' say what dtypes a kernel takes and gives, as in dtype: "
                    "promoted(self.scalar_type(), other.scalar_type())"
                  : "the operators that the formula calls say what dtypes they take and give");
  }
}

// A kernel for single targets runs behind its rule, which is where dtypes are checked.
void check_dtypes(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  const bool given = entry.dtypes || entry.argument_dtypes_span;
  const bool reads = !op.tensor_arguments().empty();
  if (!given || !reads || !op.has_hardware_kernel() || entry.rule.given() || op.is_fold()) return;
  sink.error(Code::conflicting_statements,
             entry.dtypes ? entry.dtypes_span : entry.argument_dtypes_span,
             fmt::format("nothing checks the dtypes of '{}': its kernel has no rule", op.name.full))
      .note({}, "with 'result' or 'require' the entry has one");
}

// Beside a result there is a rule anyway; of an operator that writes its arguments it says that
// every call is fine. Asked when all else is right, for what could not be read is empty as well.
void check_requirements(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  const RuleEntry& rule = entry.rule;
  const bool idle = rule.require_key && rule.requirements.empty() && !rule.calls;
  if (!idle || sink.has_errors() || (!op.effects.mutated.empty() && !rule.result_key)) return;
  sink.error(Code::bad_value, *rule.require_key,
             fmt::format("'require' of '{}' names nothing", op.name.full))
      .note({}, "leave the key out where there is nothing to say");
}

void check_batching(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (entry.batching == Batching::automatic) return;
  const bool has_tensor = std::ranges::any_of(
      op.schema.arguments, [](const Argument& a) { return a.type.is_tensor_like(); });
  if (!has_tensor) {
    sink.error(Code::conflicting_statements, entry.batching_span,
               fmt::format("'batching' of '{}', which takes no tensor that could be a batch",
                           op.name.full))
        .note(op.origin.span, "its arguments are declared here");
  } else if (entry.batching == Batching::sized && op.schema.find_argument("size") < 0) {
    sink.error(Code::conflicting_statements, entry.batching_span,
               fmt::format("'batching' of '{}' is 'sized', but it has no argument 'size' that "
                           "gives the sizes of the result",
                           op.name.full))
        .note(op.origin.span, "its arguments are declared here");
  } else if (entry.batching == Batching::dims && !takes_one_tensor_first(op)) {
    sink.error(Code::conflicting_statements, entry.batching_span,
               fmt::format("'batching' of '{}' is 'dims', but its first argument is not its only "
                           "tensor, whose dimensions the others could name",
                           op.name.full))
        .note(op.origin.span, "its arguments are declared here");
  } else if (entry.batching == Batching::loop && op.is_view() && op.effects.mutated.empty()) {
    sink.error(Code::conflicting_statements, entry.batching_span,
               fmt::format("'batching' of '{}', which is a view, is 'loop', whose results are "
                           "copies: what is written to one of them would be lost",
                           op.name.full))
        .note({}, "say with `batch: FORMULA` which view of the whole batch it is");
  }
}

void check_autocast(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (!entry.autocast.any()) return;
  const bool has_tensor = std::ranges::any_of(
      op.schema.arguments, [](const Argument& a) { return a.type.is_tensor_like(); });
  if (has_tensor && op.effects.mutated.empty()) return;
  sink.error(Code::conflicting_statements, entry.autocast_span,
             fmt::format("'autocast' of '{}', which {}", op.name.full,
                         has_tensor ? "writes an argument: casts would be written in its place"
                                    : "takes no tensor that could be cast"))
      .note(op.origin.span, "its arguments are declared here");
}

void check_reference(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (!entry.reference && !entry.numpy_reference) return;
  const auto is_chance = [](const std::string& tag) {
    return tag == "random" || tag == "nondeterministic";
  };
  const auto chance = std::ranges::find_if(op.face->tags, is_chance);
  if (!op.face->internal && chance == op.face->tags.end()) return;
  sink.error(Code::conflicting_statements, entry.reference_span,
             op.face->internal
                 ? fmt::format("'reference' of '{}', which is internal: tests call what programs "
                               "call",
                               op.name.full)
                 : fmt::format("'reference' of '{}', whose tag is '{}': each call gives other "
                               "values",
                               op.name.full, *chance));
}

// Formulas of gradients call them so, those that are derived as well.
bool is_gradient_name(std::string_view name) {
  const bool result = name.starts_with("result") && std::ranges::all_of(name.substr(6), [](char c) {
                        return c >= '0' && c <= '9';
                      });
  return result || name == "grad" || name == "grads" || name == "grad_input_mask";
}

void check_gradient_names(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (op.computation->implementation != Implementation::expr || entry.differentiable == false)
    return;
  for (const Argument& argument : op.schema.arguments) {
    if (!is_gradient_name(argument.name)) continue;
    sink.error(Code::names_collide, argument.name_span,
               fmt::format("the argument '{}' of '{}' is called like what formulas of gradients "
                           "name so: give it another name, or the entry 'differentiable: false'",
                           argument.name, op.name.full));
  }
}

// What is said of a function of Python where there is none.
void check_python_function(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  const std::string_view why = op.face->internal    ? "is internal: Python has no function for it"
                               : !op.face->function ? "is a method alone"
                                                    : "";
  const auto report = [&](Span key, std::string_view name) {
    if (why.empty()) return;
    sink.error(Code::conflicting_statements, key,
               fmt::format("'{}' says where the function of '{}' is, which {}", name, op.name.full,
                           why))
        .note(op.face->internal ? entry.internal_span : entry.variants_span, "that is said here");
  };
  if (!entry.python_module.empty()) report(entry.python_module_span, "python_module");
  if (!entry.nn_function) return;
  report(entry.nn_function->whole(), "nn_function");
  if (!why.empty() || entry.nn_function->text != "none" || entry.python_module == "nn") return;
  sink.error(Code::conflicting_statements, entry.nn_function->whole(),
             fmt::format("'nn_function' of '{}' is none, which it would be without the key: its "
                         "python_module is not nn",
                         op.name.full))
      .note({}, "leave the key out where there is nothing to say");
}

// Whether it makes a copy of a tensor, with nothing else that has to be said.
bool makes_copy(const Operator& op) {
  const auto& arguments = op.schema.arguments;
  const auto& returns = op.schema.returns;
  const auto left_out = [](const Argument& a) { return a.default_value.has_value(); };
  return op.effects.mutated.empty() && !arguments.empty() && arguments[0].type.is_tensor() &&
         !arguments[0].type.optional &&
         std::ranges::all_of(arguments.begin() + 1, arguments.end(), left_out) &&
         returns.size() == 1 && returns[0].type.is_tensor() && !returns[0].type.alias;
}

// Why an operator cannot have a tag; empty if it can.
std::string_view obstacle(const Operator& op, std::string_view tag) {
  const bool expr = op.computation->implementation == Implementation::expr;
  if (tag == "contiguous" && !expr)
    return "is about the result of an expr: others lie as their kernels or rules say";
  if (tag == "copy" && !makes_copy(op))
    return "is for one that takes a Tensor, all else by default, and returns a new one";
  if (tag == "expanded" && !expr)
    return "is about the in-place form of an expr: kernels write what they are given";
  if (expr && tag != "contiguous" && tag != "copy" && tag != "expanded")
    return "cannot be said of an expr, whose result follows from its arguments";
  return "";
}

void check_tags(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  for (const LocatedText& tag : entry.tags) {
    const std::string_view why = obstacle(op, tag.text);
    if (why.empty() || entry.damaged) continue;
    sink.error(Code::conflicting_statements, tag.whole(),
               fmt::format("'tags' of '{}' names '{}', which {}", op.name.full, tag.text, why))
        .note(op.origin.span, "the operator is declared here");
  }
}

}  // namespace

void check_entry(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  check_pointwise_keys(op, entry, sink);
  check_dtypes(op, entry, sink);
  check_requirements(op, entry, sink);
  check_batching(op, entry, sink);
  check_autocast(op, entry, sink);
  check_reference(op, entry, sink);
  check_gradient_names(op, entry, sink);
  check_python_function(op, entry, sink);
  check_tags(op, entry, sink);
}

}  // namespace opweave::codegen

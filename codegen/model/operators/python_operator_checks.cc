// From entries to the operators of Python.
#include "codegen/model/operators/python_operator_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace opweave::codegen {
namespace {

bool is_operand(const Argument& argument) {
  return !argument.keyword_only && !argument.default_value;
}

// Why Python's operator cannot call this; empty if it can.
std::string obstacle(const Operator& op, const PythonOperator& python) {
  if (!op.face->method || op.face->internal) return "it is no method";
  if (op.forms->form != Form::functional) return "it writes an argument";
  const auto& arguments = op.schema.arguments;
  const size_t wanted = python.is_unary() ? 1 : 2;
  const auto operands = static_cast<size_t>(std::ranges::count_if(arguments, is_operand));
  const bool required = std::ranges::any_of(
      arguments, [](const Argument& a) { return a.keyword_only && !a.default_value; });
  if (operands == wanted && !required) return "";
  return fmt::format("{} takes {} operand{}", python.spelling, wanted, wanted == 1 ? "" : "s");
}

}  // namespace

void check_python_operators(const std::vector<Draft>& drafts, bool in_library,
                            DiagnosticSink& sink) {
  std::map<std::string_view, const Draft*> taken;
  for (const Draft& draft : drafts) {
    const PythonOperator* python = draft.entry == nullptr ? nullptr : draft.entry->python_operator;
    if (python == nullptr) continue;
    const auto [first, is_new] = taken.emplace(python->name, &draft);
    const std::string why = obstacle(*draft.op, *python);
    const auto report = [&](std::string message) -> Diagnostic& {
      return sink.error(Code::bad_python_operator, draft.entry->python_operator_span,
                        std::move(message));
    };
    if (!is_new) {
      report(fmt::format("{} is both '{}' and '{}'", python->name, first->second->op->name.full,
                         draft.op->name.full))
          .note(first->second->entry->python_operator_span, "the first is here");
    } else if (!why.empty()) {
      report(fmt::format("'{}' cannot be {} in Python: {}", draft.op->name.full, python->name, why))
          .note(draft.op->origin.span, "the operator is declared here");
    } else if (in_library && !draft.op->origin.imported) {
      report(fmt::format("'{}' cannot be {} in Python: that is for operators of Opweave itself",
                         draft.op->name.full, python->name));
    }
  }
}

}  // namespace opweave::codegen

// Looking arguments up.
#include "codegen/model/operators/entry_arguments.h"

#include <fmt/format.h>

#include "codegen/diagnostics/suggest.h"

namespace opweave::codegen {

int argument_index(const Operator& op, const LocatedText& name, DiagnosticSink& sink) {
  const int index = op.schema.find_argument(name.text);
  if (index >= 0) return index;
  Suggester suggester(name.text);
  for (const Argument& argument : op.schema.arguments) suggester.offer(argument.name);
  sink.error(Code::unknown_argument, name.whole(),
             fmt::format("'{}' has no argument '{}'", op.name.full, name.text))
      .suggest(suggester.best())
      .note(op.origin.span, "the operator is declared here");
  return -1;
}

int tensor_argument_index(const Operator& op, const LocatedText& name, std::string_view what,
                          DiagnosticSink& sink) {
  const int index = argument_index(op, name, sink);
  if (index < 0 || op.schema.arguments[index].type.is_tensor()) return index;
  const Argument& argument = op.schema.arguments[index];
  sink.error(Code::bad_value, name.whole(),
             fmt::format("'{}' of '{}' names tensor arguments: '{}' is of type {}", what,
                         op.name.full, name.text, print(argument.type)))
      .note(argument.span, "it is declared here");
  return -1;
}

}  // namespace opweave::codegen

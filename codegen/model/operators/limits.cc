// Lengths and counts of schemas.
#include "codegen/model/operators/limits.h"

#include <fmt/format.h>

namespace opweave::codegen {
namespace {

constexpr size_t kLongestName = 100;  // file names are made of them
constexpr size_t kMostArguments = 250;

bool check_name(std::string_view name, Span span, DiagnosticSink& sink) {
  if (name.size() <= kLongestName) return true;
  sink.error(Code::too_large, span,
             fmt::format("a name has at most {} letters; '{}...' has {}", kLongestName,
                         name.substr(0, 20), name.size()));
  return false;
}

bool check_count(size_t count, std::string_view what, const Schema& schema, DiagnosticSink& sink) {
  if (count <= kMostArguments) return true;
  sink.error(Code::too_large, schema.name_span,
             fmt::format("an operator has at most {0} {1}; '{2}' has {3}", kMostArguments, what,
                         schema.full_name(), count));
  return false;
}

}  // namespace

bool check_limits(const std::vector<Draft>& drafts, DiagnosticSink& sink) {
  bool fine = true;
  for (const Draft& draft : drafts) {
    const Schema& schema = draft.op->schema;
    fine &= check_name(schema.full_name(), schema.name_span, sink);
    fine &= check_count(schema.arguments.size(), "arguments", schema, sink);
    fine &= check_count(schema.returns.size(), "results", schema, sink);
    for (const Argument& argument : schema.arguments)
      fine &= check_name(argument.name, argument.span, sink);
  }
  return fine;
}

}  // namespace opweave::codegen

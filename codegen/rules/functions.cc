// The table of rule functions, read from their schema strings.
#include "codegen/rules/functions.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "codegen/diagnostics/render.h"

namespace opweave::codegen {
namespace {

struct Written {
  std::string_view schema, doc;
  bool symbolic;
};

constexpr Written kWritten[] = {
#define OPWEAVE_RULE_FUNCTION(schema, doc) {schema, doc, true},
#define OPWEAVE_RULE_FUNCTION_OF_DATA(schema, doc) {schema, doc, false},
#include "codegen/rules/functions.def"
};

// A schema of ours that cannot be read is a mistake in the table.
Schema read(const Written& written) {
  static Sources sources;
  const Source* source = sources.add("functions.def", std::string(written.schema));
  DiagnosticSink sink;
  std::optional<Schema> schema = parse_schema({source->text(), source, 0}, sink);
  if (schema) return std::move(*schema);
  std::fprintf(stderr, "functions.def: cannot read '%s'\n", std::string(written.schema).c_str());
  std::abort();
}

}  // namespace

std::span<const RuleFunction> rule_functions() {
  static const std::vector<RuleFunction> functions = [] {
    std::vector<RuleFunction> read_all;
    for (const Written& written : kWritten) {
      read_all.push_back({read(written), written.doc, written.symbolic});
    }
    return read_all;
  }();
  return functions;
}

const RuleFunction& rule_function(const Schema& schema) {
  // Schemas of calls point into the table.
  const RuleFunction* function = rule_functions().data();
  while (&function->schema != &schema) ++function;
  return *function;
}

std::span<const FormulaCallable> RuleEnvironment::overloads(std::string_view base_name) {
  static const std::map<std::string_view, std::vector<FormulaCallable>> by_name = [] {
    std::map<std::string_view, std::vector<FormulaCallable>> callables;
    for (const RuleFunction& function : rule_functions()) {
      callables[function.schema.base_name].push_back({nullptr, &function.schema});
    }
    return callables;
  }();
  const auto found = by_name.find(base_name);
  return found == by_name.end() ? std::span<const FormulaCallable>() : found->second;
}

std::vector<std::string_view> RuleEnvironment::operator_names() const {
  std::vector<std::string_view> names;
  for (const RuleFunction& function : rule_functions()) {
    if (names.empty() || names.back() != function.schema.base_name) {
      names.push_back(function.schema.base_name);
    }
  }
  return names;
}

}  // namespace opweave::codegen

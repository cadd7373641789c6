// The table of rule functions, read from their schema strings.
#include "codegen/rules/functions.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "codegen/diagnostics/render.h"

namespace opweave::codegen {
namespace {

enum Libraries : uint8_t { CORE = 0, STABLE = 1, TORCH = 2, JAX = 4 };

struct Written {
  std::string_view schema;
  int libraries;
  std::string_view doc;
  bool symbolic, runtime, symmetric;
  std::string_view divisor = {};
  bool of_tensors = false;
};

constexpr Written kWritten[] = {
#define OPWEAVE_RULE_FUNCTION(schema, libraries, doc) {schema, libraries, doc, true, true, false},
#define OPWEAVE_RULE_FUNCTION_SYMMETRIC(schema, libraries, doc) \
  {schema, libraries, doc, true, true, true},
#define OPWEAVE_RULE_FUNCTION_DIVIDING(schema, libraries, doc, argument) \
  {schema, libraries, doc, true, true, false, argument},
#define OPWEAVE_RULE_FUNCTION_OF_DATA(schema, libraries, doc) \
  {schema, libraries, doc, false, true, false},
#define OPWEAVE_RULE_FUNCTION_OF_TENSORS(schema, libraries, doc) \
  {schema, libraries, doc, false, true, false, {}, true},
#define OPWEAVE_RULE_FUNCTION_OF_SHAPES(schema, libraries, doc) \
  {schema, libraries, doc, true, false, false},
#include "codegen/rules/functions.def"
};

// A schema of ours that cannot be read is a mistake in the table.
Schema read(const Written& written) {
  static Sources sources;
  const Source* source = sources.add("functions.def", std::string(written.schema));
  DiagnosticSink sink;
  std::optional<Schema> schema = parse_schema({source->text(), source, 0}, sink);
  const auto has = [&](std::string_view name) { return schema->find_argument(name) >= 0; };
  const bool divides = written.divisor.empty() || has(written.divisor);
  if (schema && divides && (!written.symmetric || (has("a") && has("b"))))
    return std::move(*schema);
  std::fprintf(stderr, "functions.def: cannot read '%s'\n", std::string(written.schema).c_str());
  std::abort();
}

}  // namespace

std::span<const RuleFunction> rule_functions() {
  static const std::vector<RuleFunction> functions = [] {
    std::vector<RuleFunction> read_all;
    for (const Written& written : kWritten) {
      read_all.push_back({read(written), static_cast<uint8_t>(written.libraries), written.doc,
                          written.symbolic, written.runtime,
                          written.of_tensors || (written.symbolic && written.runtime),
                          written.symmetric});
      RuleFunction& function = read_all.back();
      function.divisor = function.schema.find_argument(written.divisor);
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

using Callables = std::map<std::string_view, std::vector<FormulaCallable>>;

static Callables callables(bool runtime_alone) {
  Callables by_name;
  for (const RuleFunction& function : rule_functions()) {
    if (function.runtime || !runtime_alone)
      by_name[function.schema.base_name].push_back({nullptr, &function.schema});
  }
  return by_name;
}

static std::span<const FormulaCallable> functions_named(std::string_view base_name,
                                                        bool runtime_alone) {
  static const Callables of_kernels = callables(true), of_composites = callables(false);
  const Callables& by_name = runtime_alone ? of_kernels : of_composites;
  const auto found = by_name.find(base_name);
  return found == by_name.end() ? std::span<const FormulaCallable>() : found->second;
}

std::span<const FormulaCallable> RuleEnvironment::overloads(std::string_view base_name) {
  const std::span<const FormulaCallable> functions = functions_named(base_name, !operators_);
  if (!operators_) return functions;
  const auto [found, is_new] = both_.try_emplace(std::string(base_name));
  if (is_new) {
    const std::span<const FormulaCallable> operators = operators_->overloads(base_name);
    found->second.assign(functions.begin(), functions.end());
    found->second.insert(found->second.end(), operators.begin(), operators.end());
  }
  return found->second;
}

std::vector<std::string_view> RuleEnvironment::operator_names() const {
  std::vector<std::string_view> names;
  if (operators_) names = operators_->operator_names();
  for (const RuleFunction& function : rule_functions()) {
    const bool callable = function.runtime || operators_;
    if (callable && (names.empty() || names.back() != function.schema.base_name)) {
      names.push_back(function.schema.base_name);
    }
  }
  return names;
}

}  // namespace opweave::codegen

// Rules in the runtime, with names for sizes, against what `opweave shapes` works out: the sample
// calls of every operator whose rule is compiled for symbols.
#include <doctest/doctest.h>

#include <set>

#include "codegen/shapes/effort.h"
#include "codegen/shapes/evaluate.h"
#include "tests/codegen/shapes/answers.h"
#include "tests/codegen/shapes/symbolic_query.h"

namespace opweave::codegen {
namespace {

constexpr size_t kLeast = 50;  // operators

std::string text_of(const ShapedTensor& tensor) {
  if (!tensor.defined) return "none";
  return codegen::text_of(tensor.sizes) + " " + tensor.dtype;
}

std::string text_of(const symbolic::SymResult& result) {
  if (!result.defined()) return "none";
  return symbolic::text_of(result.sizes) + " " + std::string(dtype_name(result.dtype));
}

// Nothing where the generator does not know.
std::optional<std::string> difference_of(const Operator& op, const symbolic::SymbolicRule& rule,
                                         const SymbolicQuery& query) {
  Answers answers;
  Conditions conditions;
  const Effort::Scope effort;
  std::string refusal;
  try {
    for (const ShapedTensor& result : results_of(op, query.values, conditions))
      answers.expected.push_back(text_of(result));
    answers.conditions = conditions.all();
  } catch (const rule::NoShape& reason) {
    if (reason.kind != rule::NoShape::Kind::refused) return {};
    refusal = reason.why;
  }
  const symbolic::Guards guards;
  try {
    for (const symbolic::SymResult& result : symbolic::results_of(rule, query.arguments))
      answers.given.push_back(text_of(result));
  } catch (const Error& error) {
    return refusal.empty() ? "refused: " + error.message() : "";
  }
  if (!refusal.empty()) return "not refused: " + refusal;
  if (rule.results == 0) answers.expected.clear();  // what is written is returned
  answers.guards = guards.all();
  return answers.difference();
}

TEST_CASE("rules over symbols give what `opweave shapes` says") {
  std::set<std::string> compared;
  size_t calls = 0;
  for (const symbolic::SymbolicRule* rule : symbolic::symbolic_rules()) {
    const Operator* op = shapes().model->operators().find(rule->name);
    REQUIRE(op);
    for (const SampleResults& sample : results_of_samples(*op)) {
      if (!sample.refusal.empty() && !sample.data) continue;
      for (const Naming naming : {Naming::kEach, Naming::kByNumber}) {
        const SymbolicQuery query = symbolic_query(*op, sample.arguments, naming);
        if (!query.complete) continue;
        const auto difference = difference_of(*op, *rule, query);
        if (!difference) continue;
        std::string call = op->name.full + "(";
        for (const Value& value : query.values) call += codegen::text_of(value) + ", ";
        CHECK_MESSAGE(difference->empty(), call << "): " << *difference);
        compared.insert(op->name.full);
        ++calls;
      }
    }
  }
  MESSAGE(calls << " calls of " << compared.size() << " operators, of "
                << symbolic::symbolic_rules().size() << " with rules over symbols");
  CHECK(compared.size() >= kLeast);
}

}  // namespace
}  // namespace opweave::codegen

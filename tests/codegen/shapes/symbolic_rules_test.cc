// Rules in the runtime, with names for sizes, against what `opweave shapes` works out: the sample
// calls of every operator whose rule is compiled for symbols.
#include <doctest/doctest.h>

#include "codegen/shapes/effort.h"
#include "codegen/shapes/evaluate.h"
#include "tests/codegen/shapes/answers.h"
#include "tests/codegen/shapes/symbolic_query.h"

namespace opweave::codegen {
namespace {

constexpr size_t kLeast = 440;  // operators

// Where a view lies is compared as well; the dtype of pointwise operators is not worked out there.
std::string text_of(const std::string& sizes, std::string_view dtype, const Operator& op) {
  return op.is_expr() ? sizes : sizes + " " + std::string(dtype);
}

std::string text_of(const ShapedTensor& tensor, const Operator& op) {
  if (!tensor.defined) return "none";
  const std::string text = text_of(codegen::text_of(tensor.sizes), tensor.dtype, op);
  if (!op.is_view() || !tensor.strides || !tensor.offset) return text;
  return text + " strides " + codegen::text_of(*tensor.strides) + " offset " +
         tensor.offset->text();
}

std::string text_of(const symbolic::SymResult& result, const Operator& op) {
  if (!result.defined) return "none";
  const std::string text = text_of(symbolic::text_of(result.sizes), dtype_name(result.dtype), op);
  if (!op.is_view()) return text;
  return text + " strides " + symbolic::text_of(result.strides) + " offset " +
         result.offset.size().text();
}

struct Comparison {
  std::string difference;  // empty if there is none
  std::string unknown;     // why the generator does not know
};

Comparison compare(const Operator& op, const symbolic::SymbolicRule& rule,
                   const SymbolicQuery& query) {
  Answers answers;
  Conditions conditions;
  const Effort::Scope effort;
  std::string refusal;
  try {
    for (const ShapedTensor& result : results_of(op, query.values, conditions))
      answers.expected.push_back(text_of(result, op));
    answers.conditions = conditions.all();
  } catch (const rule::NoShape& reason) {
    if (reason.kind != rule::NoShape::Kind::refused) return {.unknown = reason.why};
    refusal = reason.why;
  }
  const symbolic::Guards guards;
  try {
    for (const symbolic::SymResult& result : symbolic::results_of(rule, query.arguments))
      answers.given.push_back(text_of(result, op));
  } catch (const Error& error) {
    return {.difference = refusal.empty() ? "refused: " + error.message() : ""};
  }
  if (!refusal.empty()) return {.difference = "not refused: " + refusal};
  if (rule.results == 0) answers.expected.clear();  // what is written is returned
  answers.guards = guards.all();
  return {.difference = answers.difference()};
}

std::string call_of(const Operator& op, const SymbolicQuery& query) {
  std::string text;
  for (const Value& value : query.values)
    text += (text.empty() ? "" : ", ") + codegen::text_of(value);
  return op.name.full + "(" + text + ")";
}

// The calls of one operator; how many could be compared. Forms in place have the samples of the
// functional one, whose dtypes they take.
size_t compare_calls(const Operator& op, const symbolic::SymbolicRule& rule) {
  const Operator* functional = op.forms->functional;
  const bool in_place = op.forms->form == Form::inplace && functional != nullptr;
  std::string unknown = "there are no samples";
  size_t compared = 0;
  for (const SampleResults& sample : results_of_samples(in_place ? *functional : op)) {
    for (const Naming naming : {Naming::kEach, Naming::kByNumber}) {
      if (sample.arguments.size() != op.schema.arguments.size()) continue;
      const SymbolicQuery query = symbolic_query(op, sample.arguments, naming);
      if (!query.complete) continue;
      const Comparison comparison = compare(op, rule, query);
      CHECK_MESSAGE(comparison.difference.empty(), call_of(op, query)
                                                       << ": " << comparison.difference);
      if (comparison.unknown.empty())
        ++compared;
      else
        unknown = comparison.unknown;
    }
  }
  if (compared == 0) MESSAGE(op.name.full << " is not compared: " << unknown);
  return compared;
}

TEST_CASE("rules over symbols give what `opweave shapes` says") {
  size_t calls = 0, operators = 0;
  for (const symbolic::SymbolicRule* rule : symbolic::symbolic_rules()) {
    const Operator* op = shapes().model->operators().find(rule->name);
    REQUIRE(op);
    const size_t compared = compare_calls(*op, *rule);
    calls += compared;
    operators += compared > 0 ? 1 : 0;
  }
  MESSAGE(calls << " calls of " << operators << " operators, of "
                << symbolic::symbolic_rules().size() << " with rules over symbols");
  CHECK(operators >= kLeast);
}

// Of which there are no samples.
TEST_CASE("tensors in a row have all but one size in common") {
  const Operator& cat = *shapes().model->operators().find("cat");
  const Value first{dense_tensor({2, 3, 1}, "int32")}, second{dense_tensor({4, 3, 1}, "float32")};
  const Values arguments{Value{Values{first, second, first}}, Value{Size(-3)}};
  const SymbolicQuery query = symbolic_query(cat, arguments, Naming::kEach);
  const symbolic::SymbolicRule& rule = *symbolic::find_symbolic_rule("cat");
  const Comparison comparison = compare(cat, rule, query);
  CHECK(comparison.difference == "");
  CHECK(comparison.unknown == "");
  const symbolic::Guards guards;
  CHECK(text_of(symbolic::results_of(rule, query.arguments)[0], cat) ==
        "[A + C + E, B, 1] float32");
  CHECK(guards.all() == std::vector<std::string>{"B == D", "B == F"});
}

TEST_CASE("what is refused is told with the names") {
  const auto matrix = [](const char* rows, int64_t m, const char* columns, int64_t n) {
    const symbolic::SymDims sizes{symbolic::SymInt::named(rows, m),
                                  symbolic::SymInt::named(columns, n)};
    return symbolic::SymTensor(sizes, kFloat);
  };
  const symbolic::SymValue arguments[] = {matrix("A", 2, "B", 3), matrix("C", 4, "D", 5)};
  const symbolic::Guards guards;
  CHECK_THROWS_WITH(symbolic::results_of(*symbolic::find_symbolic_rule("mm"), arguments),
                    "mm: mat1 and mat2 shapes cannot be multiplied (AxB and CxD)");
  CHECK(guards.all() == std::vector<std::string>{"!(B == C)"});
}

TEST_CASE("a size that is not known is not compared where nobody records it") {
  const symbolic::SymInt n = symbolic::SymInt::named("N", 3), m = symbolic::SymInt::named("M", 4);
  CHECK_THROWS_WITH(static_cast<void>(n == m),
                    "whether N == M depends on sizes that are not known, and nobody records it");
  CHECK(n + 0 == n);
  CHECK(n + m > n);
  CHECK_THROWS_WITH(symbolic::SymInt::named("N", 1),
                    "the symbol N stands for a size of at least 2, got 1");
  const symbolic::Guards guards;
  CHECK_FALSE(n == m);
  CHECK(m.guard_int() == 4);
  CHECK(guards.all() == std::vector<std::string>{"!(N == M)", "M == 4"});
}

}  // namespace
}  // namespace opweave::codegen

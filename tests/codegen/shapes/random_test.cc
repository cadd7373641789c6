// `opweave shapes` and the functions of rules, asked anything: seeded calls of every operator and
// every function, with sizes at the edges of 64 bits, end in an answer or a reason.
#include <doctest/doctest.h>

#include <initializer_list>
#include <random>

#include "codegen/rules/functions.h"
#include "codegen/shapes/effort.h"
#include "codegen/shapes/functions.h"
#include "tests/codegen/shapes/answers.h"

namespace opweave::codegen {
namespace {

constexpr int kCalls = 12;       // of each operator
constexpr int kFunctions = 200;  // calls of each function

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  size_t below(size_t count) { return engine_() % count; }
  std::string one_of(std::initializer_list<const char*> texts) {
    return *(texts.begin() + below(texts.size()));
  }
  std::string size() {
    return one_of({"0", "1", "2", "3", "4", "N", "M", "K", "-1", "4611686018427387904",
                   "9223372036854775807", "-9223372036854775808", "4294967296", "3037000500"});
  }
  std::string list(const std::function<std::string()>& item, size_t most = 5) {
    std::string text;
    for (size_t i = below(most); i > 0; --i) text += (text.empty() ? "" : ", ") + item();
    return "[" + text + "]";
  }
  std::string sizes() {
    return list([this] { return size(); });
  }
  std::string tensor() { return sizes() + one_of({"", "", ":int64", ":bool", ":float16"}); }

  // An argument of the type, as it is written.
  std::string argument(Type type) {
    if (type.optional && below(3) == 0) return "none";
    if (type.list) {
      type.list = type.optional = false;
      return list([&] { return argument(type); });
    }
    switch (type.base) {
      case BaseType::tensor:
        return tensor();
      case BaseType::integer:
        return size();
      case BaseType::boolean:
        return one_of({"true", "false"});
      case BaseType::floating:
      case BaseType::scalar:
        return one_of({"0", "1", "-2", "0.5", "1e300", "-1e-300", "9223372036854775807"});
      case BaseType::scalar_type:
        return one_of({"float32", "int8", "bool"});
      case BaseType::string:
        return one_of({"''", "'ij,jk->ik'", "'...i->'", "'sum'"});
      default:
        return "none";
    }
  }

  // A value of the type, or of another one that rules may meet in its place.
  Value value(Type type) {
    if (below(20) == 0) return {Unknown()};
    if (type.optional && below(3) == 0) return {Nothing()};
    if (type.list && type.base != BaseType::integer) {
      type.list = false;
      Values values;
      for (size_t i = below(4); i > 0; --i) values.push_back(value(type));
      return {values};
    }
    if (type.list) return {number_list()};
    switch (type.base) {
      case BaseType::tensor:
        return {dense_tensor(number_list(/*least=*/0), one_of({"float32", "int64", "bool", ""}))};
      case BaseType::boolean:
        return {below(3) == 0 ? less(number(), number()) : Condition::of(below(2) == 0)};
      case BaseType::scalar_type:
        return {DtypeName{one_of({"float32", "int8", "bool", ""})}};
      case BaseType::string:
        return {one_of({"", "ij,jk->ik", "...", "->"})};
      default:
        return {number()};
    }
  }

 private:
  Size number(int64_t least = std::numeric_limits<int64_t>::min()) {
    const std::string text = size();
    if (text[0] >= 'A') return Size::named(text) * (below(3) == 0 ? 2 : 1);
    return std::max(least, static_cast<int64_t>(std::stoll(text)));
  }
  Sizes number_list(int64_t least = std::numeric_limits<int64_t>::min()) {
    Sizes sizes;
    for (size_t i = below(4); i > 0; --i) sizes.push_back(number(least));
    return sizes;
  }

  std::mt19937 engine_;
};

std::string random_call(const Schema& schema, Draw& draw) {
  std::string text;
  for (const Argument& argument : schema.arguments) {
    if (argument.default_value && draw.below(2) == 0) continue;
    text += (text.empty() ? "" : ", ") + argument.name + "=" + draw.argument(argument.type);
  }
  return schema.full_name() + "(" + text + ")";
}

TEST_CASE("every operator answers any call, or says what is wrong with it") {
  Draw draw(1);
  size_t answered = 0;
  for (const auto& [name, family] : shapes().model->operators().families()) {
    for (const Operator* op : family.overloads) {
      for (int i = 0; i < kCalls; ++i) {
        const std::string call = random_call(op->schema, draw);
        CAPTURE(call);
        DiagnosticSink sink;
        const std::string answer = shapes_text(call, *shapes().model, *shapes().sources, sink);
        // A list of no tensors is nothing to print.
        const auto& returns = op->schema.returns;
        const bool may_be_nothing = returns.empty() || returns[0].type.list;
        CHECK((!answer.empty() || sink.has_errors() || may_be_nothing));
        answered += sink.has_errors() ? 0 : 1;
      }
    }
  }
  CHECK(answered > 1000);  // else only the reader of calls is tested
}

TEST_CASE("every function of rules takes any values, or says why not") {
  Draw draw(2);
  for (const RuleFunction& function : rule_functions()) {
    CAPTURE(function.schema.full_name());
    for (int i = 0; i < kFunctions; ++i) {
      const Effort::Scope effort;
      Conditions conditions;
      try {
        Values values;
        for (const Argument& argument : function.schema.arguments)
          values.push_back(draw.value(argument.type));
        Effort::spend(call_rule_function(function.schema, values, conditions));
      } catch (const rule::NoShape& refusal) {
        CHECK_FALSE(refusal.why.empty());
      }
    }
  }
}

}  // namespace
}  // namespace opweave::codegen

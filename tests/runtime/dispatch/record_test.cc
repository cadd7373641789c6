// Records from schemas at run time, defaults, and objects as arguments.
#include <doctest/doctest.h>

#include "runtime/core/base/error.h"
#include "runtime/dispatch/boxing.h"
#include "runtime/dispatch/runtime_record.h"

namespace opweave::test {
// An object type of a test's own.
struct Counter {
  std::shared_ptr<int> count = std::make_shared<int>(0);
};
}  // namespace opweave::test

template <>
inline constexpr const char* opweave::object_type_name<opweave::test::Counter> = "Counter";

namespace opweave::test {
namespace {

std::string message_of(std::string_view schema) {
  try {
    const RuntimeRecord record(schema);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST_CASE("a schema becomes a record") {
  const RuntimeRecord parsed(
      "mine::f.x(Tensor(a!) self, int[2] size=1, *,  Generator? g=None)->(Tensor(a!), Tensor[] r)");
  CHECK(parsed.name() == "mine::f");
  CHECK(parsed.overload() == "x");
  CHECK(parsed.schema() ==
        "mine::f.x(Tensor(a!) self, int[2] size=1, *, Generator? g=None) -> (Tensor(a!), Tensor[] "
        "r)");
  const OperatorRecord record = parsed.record();
  REQUIRE(record.arguments.size() == 3);
  CHECK(record.arguments[0] ==
        ArgumentRecord{.name = "self", .type = {.alias = 'a', .written = true}});
  CHECK(record.arguments[1] ==
        ArgumentRecord{.name = "size",
                       .type = {.base = BaseType::integer, .list = true, .size = 2},
                       .default_value = "1"});
  CHECK(record.arguments[2].keyword_only);
  CHECK(record.arguments[2].type.object == "Generator");
  REQUIRE(record.returns.size() == 2);
  CHECK(record.returns[1].name == "r");
  CHECK(record.written() == 0);
}

TEST_CASE("defaults are values of the argument's type") {
  const RuntimeRecord parsed(
      "f(int[2] a=3, float b=1, bool[2] c=True, str d='x', MemoryFormat e=contiguous_format, "
      "int f=Mean, ScalarType g=long, float[] h=[0.5, 2], Tensor? i=None) -> Tensor");
  std::vector<IValue> values;
  for (const ArgumentRecord& argument : parsed.record().arguments) {
    values.push_back(default_of(argument));
  }
  CHECK(values[0].to_int_list() == std::vector<int64_t>{3, 3});
  CHECK(values[1].to_double() == 1);
  CHECK(values[1].kind_name() == "float");
  CHECK(std::get<std::vector<bool>>(values[2].value()) == std::vector<bool>{true, true});
  CHECK(values[3].to_string() == "x");
  CHECK(values[4].to_memory_format() == MemoryFormat::kContiguous);
  CHECK(values[5].to_int() == 1);
  CHECK(values[6].to_scalar_type() == kLong);
  CHECK(values[7].to_double_list() == std::vector<double>{0.5, 2});
  CHECK(values[8].is_none());
}

TEST_CASE("what is wrong with a schema is said with its place") {
  CHECK(message_of("f(Tenosr self) -> Tensor") ==
        "in the schema of 'f': unknown type 'Tenosr', at character 3 of: f(Tenosr self) -> Tensor");
  CHECK(message_of("f(Tensor) -> Tensor") ==
        "in the schema of 'f': expected a name after the type 'Tensor', at character 9 of: "
        "f(Tensor) -> Tensor");
  CHECK(message_of("f(ScalarType t=what) -> Tensor") ==
        "'t': cannot read the default 'what' in a schema, at character 16 of: "
        "f(ScalarType t=what) -> Tensor");
  CHECK(message_of("f(int a=1, Tensor x) -> Tensor") ==
        "'x' has no default but comes after 'a', which has one, at character 12 of: "
        "f(int a=1, Tensor x) -> Tensor");
  CHECK(message_of("f(int a=1.5) -> Tensor") ==
        "'a': the default 1.5 is no value of type int, at character 9 of: f(int a=1.5) -> Tensor");
  CHECK(message_of("f(Tensor a=[]) -> Tensor") ==
        "'a': the default [] is no value of type Tensor, at character 12 of: "
        "f(Tensor a=[]) -> Tensor");
  CHECK(message_of("f(Stream s) -> Tensor") == "operators cannot have values of type Stream");
}

TEST_CASE("a type of objects: one registration for schemas, boxed values and typed calls") {
  schema::register_object_type({.name = "Counter", .cpp = "Counter", .python = "Counter"});
  const RuntimeRecord parsed("count(Counter c, Tensor self) -> Tensor");
  CHECK(parsed.record().arguments[0].type.object == "Counter");

  const Counter counter;
  IValue value(counter);
  CHECK(value.kind_name() == "Counter");
  CHECK(value.to_object<Counter>().count == counter.count);
  CHECK_THROWS_WITH_AS(value.to_object<Generator>(),
                       "expected a value of type Generator but got Counter", Error);

  using Signature = Tensor(Counter, const Tensor&);
  Signature* const kernel = [](Counter c, const Tensor& self) {
    ++*c.count;
    return self;
  };
  Stack stack{value, IValue(Tensor())};
  boxed_call<Signature>(reinterpret_cast<AnyKernel>(kernel), stack);
  CHECK(*counter.count == 1);
}

}  // namespace
}  // namespace opweave::test

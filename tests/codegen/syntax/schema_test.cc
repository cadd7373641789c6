// Schema strings: lossless, and what their trees hold.
#include "codegen/syntax/schema.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/diagnostics/render.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {
namespace {

// The spans of a schema point into its source, which lives as long as the test.
Schema parse(std::string_view text) {
  static Sources sources;
  const Source* source = sources.add("s", std::string(text));
  DiagnosticSink sink;
  std::optional<Schema> schema = parse_schema({source->text(), source}, sink);
  INFO(render_all(sink));
  REQUIRE(schema);
  return *schema;
}

std::string error_of(std::string_view text) {
  Source source("s", std::string(text));
  DiagnosticSink sink;
  CHECK_FALSE(parse_schema({source.text(), &source}, sink));
  REQUIRE(sink.error_count() == 1);
  return sink.all()[0].message;
}

TEST_CASE("schemas print back to the letter") {
  for (std::string_view text : {
           "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
           "split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
           "f(Tensor(a|b) self, Tensor(c! -> d|*) other) -> (Tensor(a), Tensor(d)[])",
           "unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
           "max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
           "conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1) -> Tensor",
           "index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
           "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
           "dtype=None, "
           "Tensor(a!) out) -> Tensor(a!)",
           "pad(Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None) -> Tensor",
           "t(str a=\"\\\"'\\\\\", str b='\"\\'\\\\', str c=\"\") -> Tensor",
           "norm(Tensor self, Scalar p=2, int[1] dim=[-2, -1], float eps=1e-05) -> Tensor",
           "empty(SymInt[] size, *, MemoryFormat? memory_format=contiguous_format) -> Tensor",
           "_foreach_add_(Tensor(a!)[] self, Scalar[] scalars) -> ()",
           "is_same_size(Tensor self, Tensor other) -> bool",
           "__and__.Scalar(Tensor self, Scalar other) -> Tensor",
           "f(Generator? g, Stream s, Storage t, QScheme q, DeviceIndex d, bool[3] mask) -> "
           "(float, int)",
           "f() -> ()",
           "f() -> (Tensor)",
       }) {
    CHECK(print(parse(text)) == text);
  }
}

TEST_CASE("the tree of a schema") {
  Schema schema =
      parse("sum.dim(Tensor(a!) self, SymInt[2]? dim=None, *, Tensor?[] ts=[]) -> Tensor x");
  CHECK(schema.base_name == "sum");
  CHECK(schema.overload_name == "dim");
  CHECK(schema.full_name() == "sum.dim");
  REQUIRE(schema.arguments.size() == 3);
  CHECK(schema.arguments[0].type.is_mutated());
  CHECK(schema.arguments[0].span.text() == "Tensor(a!) self");
  CHECK(schema.arguments[0].name_span.text() == "self");
  const Type& dim = schema.arguments[1].type;
  CHECK(dim.base == BaseType::integer);
  CHECK(dim.symbolic);
  CHECK(dim.list);
  CHECK(dim.optional);
  CHECK(dim.size == 2);
  CHECK(schema.arguments[1].default_value->kind == Constant::Kind::none);
  CHECK_FALSE(schema.arguments[1].keyword_only);
  CHECK(schema.arguments[2].keyword_only);
  CHECK(schema.arguments[2].type.element_optional);
  CHECK_FALSE(schema.arguments[2].type.optional);
  CHECK(schema.returns[0].name == "x");
  CHECK(schema.find_argument("ts") == 2);
  CHECK(schema.find_argument("none") == -1);
}

TEST_CASE("defaults are values") {
  Schema schema = parse(
      "f(int a=-3, float b=1e-05, bool c=True, str d='x', int[] e=[1, 2], int f=Mean, "
      "float g=inf) -> ()");
  auto value = [&](int i) -> const Constant& { return *schema.arguments[i].default_value; };
  CHECK(value(0).integer == -3);
  CHECK(value(1).real == 1e-05);
  CHECK(value(1).kind == Constant::Kind::real);
  CHECK(value(2).boolean);
  CHECK(value(3).string == "x");
  CHECK(value(4).items[1].integer == 2);
  CHECK(value(5).kind == Constant::Kind::symbol);
  CHECK(value(6).real > 1e308);
}

TEST_CASE("what is wrong with a schema") {
  const std::string in_f = "in the schema of 'f': ";
  CHECK(error_of("") == "expected the name of an operator");
  CHECK(error_of("f") == in_f + "expected '(' after the name of the operator, found the end");
  CHECK(error_of("f.(Tensor x) -> ()") == in_f + "expected an overload name after '.'");
  CHECK(error_of("f(Tensor x") == in_f + "expected ')' or ',' after an argument, found the end");
  CHECK(error_of("f(Tensor x) -> ") == in_f + "expected a type");
  CHECK(error_of("f(Tensor(a x) -> ()") ==
        in_f + "expected ')' at the end of an alias annotation, found 'x'");
  CHECK(error_of("f(Tensor(!) x) -> ()") ==
        in_f + "expected the name of an alias set, such as 'a'");
  CHECK(error_of("f(int[x] y) -> ()") == in_f + "expected ']' after the size of a list");
  CHECK(error_of("f(int[99999999999999999999] y) -> ()") ==
        in_f + "the size of a list must be from 1 to 64, not 99999999999999999999");
  CHECK(error_of("f(int y=) -> ()") == in_f + "expected a default value for 'y'");
  CHECK(error_of("f(int y=[1) -> ()") == in_f + "expected a default value for 'y'");
  CHECK(error_of("f(str y=\"a) -> ()") == in_f + "expected a default value for 'y'");
  CHECK(error_of("f(Tensor? ?x) -> ()") == in_f + "expected a name after the type 'Tensor?'");
  CHECK(error_of("f(Tensor  x) -> ()") == "the schema of 'f' is not in its canonical spelling");
  CHECK(error_of("f(Tensor x)->()") == "the schema of 'f' is not in its canonical spelling");
}

TEST_CASE("every beginning of a schema is an error, not a crash") {
  std::string_view text =
      "f.o(Tensor(a!) s, int[2]? d=[1, -2], *, str m='a', float e=1e-5) -> (Tensor(a!) x, bool)";
  for (size_t size = 0; size < text.size(); ++size) {
    Source source("s", std::string(text.substr(0, size)));
    DiagnosticSink sink;
    CHECK_FALSE(parse_schema({source.text(), &source}, sink));
    CHECK(sink.error_count() == 1);
  }
}

// PyTorch's own file, where the environment of the benchmarks has it.
TEST_CASE("every schema of native_functions.yaml prints back to the letter") {
  const char* path = std::getenv("OPWEAVE_NATIVE_FUNCTIONS");
  if (!path) return;
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  Source source(path, text.str());
  YamlArena arena;
  DiagnosticSink sink;
  const YamlNode* root = parse_yaml(source, arena, sink);
  REQUIRE(root);
  size_t count = 0;
  for (const YamlNode* entry : root->items) {
    for (const YamlNode::Entry& field : entry->entries) {
      if (field.key.text != "func") continue;
      std::optional<Schema> schema = parse_schema(field.value->text, sink);
      CHECK(schema);
      if (schema) CHECK(print(*schema) == field.value->text.text);
      ++count;
    }
  }
  CHECK(render_all(sink) == "");
  CHECK(count > 2000);
}

}  // namespace
}  // namespace opweave::codegen

// Types and default values of schemas in C++.
#include "codegen/emit/text/signature.h"

#include <doctest/doctest.h>

#include <regex>

#include "codegen/emit/python/python_face.h"
#include "codegen/syntax/keywords.h"
#include "codegen/syntax/named_values.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {
namespace {

Argument argument(const std::string& text) {
  static Sources sources;
  const Source* source = sources.add("s", "f(" + text + ") -> Tensor");
  DiagnosticSink sink;
  const auto schema = parse_schema({source->text(), source}, sink);
  REQUIRE(schema);
  return schema->arguments.at(0);
}

std::string parameter(const std::string& type) {
  return parameter_type(argument(type + " x").type);
}
std::string stored(const std::string& type) { return stored_type(argument(type + " x").type); }
std::string default_of(const std::string& text) {
  const Argument parsed = argument(text);
  return constant_expression(*parsed.default_value, parsed.type);
}
std::string in_python(const std::string& text) { return python_default(argument(text)); }

TEST_CASE("types of parameters") {
  CHECK(parameter("Tensor") == "const Tensor&");
  CHECK(parameter("Tensor(a!)") == "Tensor&");
  CHECK(parameter("Tensor?") == "const Tensor&");
  CHECK(parameter("Tensor[]") == "TensorList");
  CHECK(parameter("Scalar") == "const Scalar&");
  CHECK(parameter("Scalar?") == "const std::optional<Scalar>&");
  CHECK(parameter("SymInt") == "int64_t");
  CHECK(parameter("int[2]") == "IntList");
  CHECK(parameter("int[]?") == "std::optional<IntList>");
  CHECK(parameter("float") == "double");
  CHECK(parameter("float[]") == "DoubleList");
  CHECK(parameter("bool[3]") == "std::array<bool, 3>");
  CHECK(parameter("str?") == "std::optional<std::string_view>");
  CHECK(parameter("ScalarType?") == "std::optional<ScalarType>");
  CHECK(parameter("Layout") == "Layout");
  CHECK(parameter("Device") == "Device");
  CHECK(parameter("MemoryFormat") == "MemoryFormat");
  CHECK(parameter("Generator?") == "std::optional<Generator>");
}

TEST_CASE("no argument has the name of a type that stands in a signature") {
  const std::regex types("(^|[^:\\w])([A-Z]\\w*|\\w+_t)");
  for (const char* base : {"Tensor", "Scalar", "int", "float", "bool", "str", "ScalarType",
                           "Layout", "Device", "MemoryFormat", "Generator"}) {
    for (const char* more : {"", "?", "[2]"}) {
      if (base == std::string("Generator") && more == std::string("[2]")) continue;
      const std::string text = parameter(std::string(base) + more);
      for (std::sregex_iterator it(text.begin(), text.end(), types), end; it != end; ++it) {
        CAPTURE(text);
        CHECK(is_cpp_type_or_macro((*it)[2].str()));
      }
    }
  }
}

TEST_CASE("types of what a node keeps") {
  CHECK(stored("Tensor") == "SavedTensor");
  CHECK(stored("Tensor[]") == "std::vector<SavedTensor>");
  CHECK(stored("int[]") == "DimVector");
  CHECK(stored("float[]?") == "std::optional<std::vector<double>>");
  CHECK(stored("bool[2]") == "std::array<bool, 2>");
  CHECK(stored("str") == "std::string");  // a view would outlive the caller's text
  CHECK(stored("ScalarType?") == "std::optional<ScalarType>");
}

TEST_CASE("defaults") {
  CHECK(default_of("Tensor? x=None") == "Tensor()");
  CHECK(default_of("int? x=None") == "std::nullopt");
  CHECK(default_of("bool x=False") == "false");
  CHECK(default_of("float x=1") == "1.0");
  CHECK(default_of("float x=1e-05") == "1e-05");
  CHECK(default_of("float x=inf") == "std::numeric_limits<double>::infinity()");
  CHECK(default_of("float x=-inf") == "-std::numeric_limits<double>::infinity()");
  CHECK(default_of("Scalar x=2") == "2");
  CHECK(default_of("str x='a\\'b'") == "\"a'b\"");
  CHECK(default_of("int[2] x=3") == "IntList{3, 3}");
  CHECK(default_of("int[2] x=[3,4]") == "IntList{3, 4}");
  CHECK(default_of("float[2] x=[0.5,1]") == "DoubleList{0.5, 1.0}");
  CHECK(default_of("bool[2] x=[True,False]") == "std::array<bool, 2>{true, false}");
}

// None may become another of its type.
TEST_CASE("defaults that are names") {
  CHECK(default_of("ScalarType x=long") == "kLong");
  CHECK(default_of("ScalarType x=float64") == "kDouble");
  CHECK(default_of("ScalarType x=uint8") == "kByte");
  CHECK(default_of("int x=Mean") == "1");
  CHECK(default_of("int x=Sum") == "2");
  CHECK(default_of("MemoryFormat x=contiguous_format") == "MemoryFormat::kContiguous");
  CHECK(default_of("MemoryFormat x=preserve_format") == "MemoryFormat::kPreserve");
  CHECK(default_of("MemoryFormat? x=channels_last") == "MemoryFormat::kChannelsLast");
  CHECK(default_of("Layout x=strided") == "Layout::kStrided");
  CHECK(in_python("ScalarType x=long") == "int64");
  CHECK(in_python("ScalarType x=float64") == "float64");
  CHECK(in_python("MemoryFormat x=channels_last") == "channels_last");
}

TEST_CASE("names stand for one value, whatever is asked for") {
  CHECK(find_named_value("float64", BaseType::scalar_type)->cpp == "kDouble");
  CHECK(find_named_value("float64", BaseType::layout) == nullptr);
  CHECK(find_named_value("strided")->type == BaseType::layout);
  CHECK(find_named_value("double") == nullptr);
  CHECK(value_names(BaseType::integer) == std::vector<std::string_view>{"Mean", "Sum"});
  CHECK(value_names(BaseType::tensor).empty());
}

TEST_CASE("names and texts in C++") {
  CHECK(cpp_identifier("self") == "self");
  CHECK(cpp_identifier("int") == "int_");
  CHECK(quoted("a \"b\" \\ c\nd") == R"("a \"b\" \\ c\nd")");
  CHECK(quoted(std::string_view("a\0"
                                "1\x1B",
                                4)) == R"("a\0001\033")");
  CHECK(quoted("\u202Ea\u2066 \u00e9") == "\"\\342\\200\\256a\\342\\201\\246 \u00e9\"");
}

}  // namespace
}  // namespace opweave::codegen

// Parts of the document, of small models.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "codegen/data/document.h"
#include "codegen/data/formulas.h"
#include "codegen/data/meanings.h"
#include "codegen/data/values.h"
#include "codegen/expr/element_print.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

using Json = nlohmann::ordered_json;

Json document(const Loaded& loaded) { return Json::parse(model_document(*loaded.model)); }

Json operator_of(const Json& document, std::string_view name) {
  for (const Json& op : document["operators"]) {
    if (op["name"] == name) return op;
  }
  FAIL("no operator " << name);
  return {};
}

const char* const kScale = R"(
- func: scale.By(Tensor self, *, Scalar factor=0.1) -> Tensor
  expr: self * factor
  dtypes: float32
)";

TEST_CASE("an expression is a list of nodes behind their operands") {
  const Loaded loaded(kScale);
  const Json op = operator_of(document(loaded), "scale.By");
  CHECK(op["computes"]["expression"] == Json::parse(R"({
    "compute": "common", "result": "compute", "dtypes": ["float32"],
    "arguments": [{"read": "elements", "promotes": true}, {"read": "number", "fits": "computation"}],
    "nodes": [
      {"op": "argument", "argument": 0, "type": "value"},
      {"op": "argument", "argument": 1, "type": "value", "uniform": true},
      {"op": "multiply", "operands": [0, 1], "type": "value"}]})"));
  CHECK(op["forms"] ==
        Json{{"functional", "scale.By"}, {"inplace", "scale_.By"}, {"out", "scale.By_out"}});
}

TEST_CASE("whole numbers that become floats have no kernels, and floats have all") {
  const Loaded loaded(R"(
- func: half_of(Tensor self) -> Tensor
  expr: self / 2
- func: half_of_floats(Tensor self) -> Tensor
  expr: self / 2
  dtypes: [float32, float64]
- func: twice(Tensor self) -> Tensor
  expr: self + self
  dtypes: [int8, float64]
)");
  const Json all = document(loaded);
  const auto dtypes = [&](std::string_view name) {
    return operator_of(all, name)["computes"]["expression"]["dtypes"];
  };
  CHECK(dtypes("half_of") == Json{"float16", "bfloat16", "float32", "float64"});
  CHECK(dtypes("half_of_floats") == Json{"float32", "float64"});
  CHECK(dtypes("twice") == Json{"int8", "float64"});
}

TEST_CASE("a schema has types, defaults in exact form, and whether they are given by name") {
  const Loaded loaded(kScale);
  const Json schema = operator_of(document(loaded), "scale.By")["schema"];
  CHECK(schema["text"] == "scale.By(Tensor self, *, Scalar factor=0.1) -> Tensor");
  CHECK(schema["arguments"][1] == Json::parse(R"({
    "name": "factor", "type": {"base": "Scalar", "text": "Scalar"},
    "default": {"kind": "real", "value": 0.1}, "keyword_only": true})"));
}

TEST_CASE("other forms name the one that computes, and the one whose pass they share") {
  const Loaded loaded(kScale);
  const Json all = document(loaded);
  const Json op = operator_of(all, "scale.By"), in_place = operator_of(all, "scale_.By");
  CHECK(in_place["computes"] == Json{{"by", "functional"}, {"operator", "scale.By"}});
  CHECK(in_place["derivative"]["backward_of"] == "scale.By");
  CHECK(in_place["derivative"]["recording"] == Json{{"way", "node"}, {"rewritten", 0}});
  CHECK_FALSE(in_place["derivative"].contains("backward"));
  CHECK_FALSE(in_place.contains("samples"));
  CHECK(op["derivative"]["forward"]["sums"][0]["terms"][0] == Json{{"step", 0}, {"tangents", {0}}});
}

TEST_CASE("a backward pass says what is kept, and from what a formula is answered") {
  const Loaded loaded(kScale);
  const Json pass = operator_of(document(loaded), "scale.By")["derivative"]["backward"];
  CHECK(pass["arguments"] == Json{"formula", "no_tensor"});
  CHECK(pass["kept"][0] ==
        Json{{"name", "factor"}, {"kind", "argument"}, {"argument", 1}, {"type", "Scalar"}});
  const Json step = pass["steps"][0];
  CHECK(step["arguments"] == Json{0});
  CHECK(step["runs_for"] == Json{0});
  const Json& nodes = step["formula"]["nodes"];
  CHECK(nodes[0] == Json{{"kind", "gradient"}, {"result", 0}, {"type", "Tensor"}});
  CHECK(nodes[1]["read"] == Json{{"kept", 0}, {"part", "whole"}});
}

TEST_CASE("what a formula computes twice is one node, and random numbers are not") {
  const Loaded loaded(R"(
- func: noise(Tensor self) -> Tensor
  kernels: [cpu]
  tags: random
  differentiable: false
  result: self.sizes()
  samples: [{self: real(2)}]
- func: twice(Tensor self) -> Tensor
  expr: self + self
- func: sum_of(Tensor self, Tensor other) -> Tensor
  expr: self + other
- func: both(Tensor self) -> Tensor
  composite: sum_of(twice(self), twice(self))
- func: drawn(Tensor self) -> Tensor
  composite: sum_of(noise(self), noise(self))
)");
  const auto nodes = [&](std::string_view name) {
    return data::formula_data(*loaded.op(name).formulas->composite)["nodes"];
  };
  CHECK(nodes("both").size() == 3);
  CHECK(nodes("both")[2]["operands"] == Json{1, 1});
  CHECK(nodes("drawn").size() == 4);
  CHECK(nodes("drawn")[3]["operands"] == Json{1, 2});
}

TEST_CASE("rules are trees, and messages text with values in it") {
  const Loaded loaded(R"(
- func: rows(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
  let: {count: self.size(0)}
  require:
    self.dim() == 2: "IndexError: a matrix is needed, got {self.dim()} dimensions"
  result: "[count]"
  samples: [{self: real(2x3)}]
)");
  const Json rule = operator_of(document(loaded), "rows")["rule"];
  CHECK(rule["locals"][0]["name"] == "count");
  const Json& requirement = rule["requirements"][0];
  CHECK(requirement["error"] == "IndexError");
  CHECK(requirement["message"][0] == Json{{"text", "a matrix is needed, got "}});
  CHECK(requirement["message"][1]["value"]["nodes"][1]["property"] == "dim");
  CHECK(rule["reference"] == 0);
  CHECK(rule["outputs"][0]["sizes"]["nodes"][0] ==
        Json{{"kind", "local"}, {"index", 0}, {"type", "int"}});
}

TEST_CASE("samples say what is drawn") {
  const Loaded loaded(R"(
- func: part(Tensor self, Tensor index, int dim=0) -> Tensor
  kernels: [cpu]
  differentiable: false
  result: self.sizes()
  samples: [{self: positive(2x3), index: below_4(5), dim: 1}]
)");
  CHECK(operator_of(document(loaded), "part")["samples"][0] == Json::parse(R"({
    "self": {"draw": "positive", "sizes": [2, 3]},
    "index": {"draw": "below", "limit": 4, "sizes": [5]},
    "dim": {"constant": {"kind": "integer", "value": 1}}})"));
}

TEST_CASE("names of values are those that the document has") {
  const Loaded loaded(R"(
- func: reduced_to(Tensor self, int reduction=Mean, ScalarType dtype=long) -> Tensor
  kernels: [cpu]
  differentiable: false
  result: self.sizes()
  samples: [{self: real(2)}]
)");
  const Json arguments = operator_of(document(loaded), "reduced_to")["schema"]["arguments"];
  CHECK(arguments[1]["default"] == Json{{"kind", "integer"}, {"value", 1}});
  CHECK(arguments[2]["default"] == Json{{"kind", "symbol"}, {"value", "int64"}});
}

TEST_CASE("numbers that JSON has not are words") {
  CHECK(data::number_data(0.1).dump() == "0.1");
  CHECK(data::number_data(-0.0).dump() == "-0.0");
  CHECK(data::number_data(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(data::number_data(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(data::number_data(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("definitions are in the vocabulary, and what means itself has none") {
  ElementArena arena;
  const auto definition = [&](std::string_view name) {
    const ElementNode* tree = data::definition_of(*find_intrinsic(name), arena);
    return tree == nullptr ? "" : print(*tree, {"x", "y", "r"});
  };
  CHECK(definition("sigmoid") == "1 / (1 + exp(-x))");
  CHECK(definition("i1e") == "exp(-abs(x)) * i1(x)");
  CHECK(definition("relu") == "(x < 0) ? 0 : x");
  CHECK(definition("max") == "(isnan(x) || (x > y)) ? x : y");
  for (const char* name : {"exp", "sign", "round", "erfinv", "i0", "abs", "gcd"}) {
    CAPTURE(name);
    CHECK(definition(name).empty());
  }
}

TEST_CASE("derivatives of the table are trees over x, y and the result") {
  ElementArena arena;
  for (const Intrinsic& intrinsic : intrinsics()) {
    for (const std::string_view text : intrinsic.derivatives) {
      const ElementNode* tree = data::tree_of(text, arena);
      CHECK((tree == nullptr) == text.empty());
    }
  }
  CHECK(print(*data::tree_of("x == 0 ? 0 : r / x", arena), {"x", "y", "r"}) ==
        "(x == 0) ? 0 : (r / x)");
}

TEST_CASE("the same model is the same text, an operator on each line") {
  const Loaded loaded(kScale), again(kScale);
  const std::string text = model_document(*loaded.model);
  CHECK(text == model_document(*again.model));
  CHECK(text.starts_with("{\n  \"opweave_model\": 1,\n"));
  CHECK(text.find("\n    {\"name\":\"scale_.By\"") != std::string::npos);
}

}  // namespace
}  // namespace opweave::codegen

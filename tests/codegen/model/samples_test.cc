// Samples: how they are read, when they are asked for, and the calls that tests make of them.
#include <doctest/doctest.h>

#include "codegen/diagnostics/render.h"
#include "codegen/emit/tests/test_samples.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

const char* const kCalls =
    "- func: f(Tensor self, int[2] size, *, Tensor[] others=[], Scalar? p=1, str mode='a', "
    "ScalarType? dtype=None, Tensor?[] indices=[]) -> Tensor\n"
    "  kernels: [cpu]\n"
    "  differentiable: false\n"
    "  samples:\n"
    "    - {self: real(2x3), size: 4}\n"
    "    - {self: below_5():int32, size: [1, 2], others: [distinct(0), 2.5], p: none, mode: none}\n"
    "    - {self: [[1, 2], [3, 4]], size: [], p: inf, mode: '1', dtype: int8, indices: [none, "
    "[true]]}\n";

TEST_CASE("a list of calls") {
  const Loaded loaded(kCalls);
  const Operator& op = loaded.op("f");
  REQUIRE(op.tests->calls.size() == 3);
  const SampleValue& drawn = op.tests->calls[1].arguments[0].value;
  CHECK(drawn.kind == SampleValue::Kind::drawn);
  CHECK(drawn.domain == Domain::below);
  CHECK(drawn.limit == 5);
  CHECK(drawn.sizes.empty());
  CHECK(drawn.dtype == "int32");
  const auto calls = sample_calls(op);
  REQUIRE(calls.size() == 3);
  CHECK(calls[0] == R"({"self": Drawn("real", (2, 3)), "size": 4})");
  CHECK(calls[1] ==
        R"({"self": Drawn("below", (), limit=5, dtype="int32"), "size": [1, 2], )"
        R"("others": [Drawn("distinct", (0,)), Elements(2.5)], "p": None, "mode": "none"})");
  CHECK(calls[2] ==
        R"({"self": Elements([[1, 2], [3, 4]]), "size": [], "p": float("inf"), "mode": "1", )"
        R"("dtype": Symbol("int8"), "indices": [None, Elements([True])]})");
}

TEST_CASE("a mapping makes as many calls as it names values") {
  const Loaded loaded(
      "- func: f(Tensor self, Tensor? other=None, *, Scalar alpha=1, str mode='a') -> Tensor\n"
      "  expr: self * alpha\n"
      "  samples: {self: positive, alpha: [2, 0.5], mode: [b, c, d]}\n");
  const auto calls = sample_calls(loaded.op("f"));
  REQUIRE(calls.size() == 3);
  CHECK(calls[0] == R"({"self": Drawn("positive", (2, 3)), "alpha": 2, "mode": "b"})");
  CHECK(calls[1] == R"({"self": Drawn("positive", (2, 3)), "alpha": 0.5, "mode": "c"})");
  CHECK(calls[2] == R"({"self": Drawn("positive", (2, 3)), "alpha": 2, "mode": "d"})");
}

// Everything that is said about operators of which tests need to know how to call them.
std::string required(const std::string& ops) {
  Inputs inputs;
  inputs.samples_required = true;
  inputs.ops.push_back({"ops.yaml", ops});
  DiagnosticSink sink;
  const auto sources = std::make_shared<Sources>();
  load_model(std::move(inputs), sources, sink);
  return render_all(sink);
}

TEST_CASE("samples may be left out where the types say enough") {
  CHECK(required("- func: f(Tensor self, Scalar by) -> Tensor\n  expr: self * by\n") == "");
  CHECK(required("- func: f(Tensor self) -> Tensor\n  composite: g(self)\n"
                 "- func: g(Tensor self) -> Tensor\n  expr: -self\n") == "");
  const std::string kernel = "  kernels: [cpu]\n  differentiable: false\n";
  CHECK(required("- func: f(Tensor self) -> Tensor\n  internal: true\n" + kernel) == "");
  CHECK(required("- func: f(Tensor self) -> Tensor\n  samples: {self: real}\n" + kernel +
                 "- func: f_(Tensor(a!) self) -> Tensor(a!)\n" + kernel) == "");
}

TEST_CASE("samples are asked for where they do not") {
  const std::string kernel = "  kernels: [cpu]\n  differentiable: false\n";
  CHECK(required("- func: f(Tensor self) -> Tensor\n" + kernel).find("OW0313") !=
        std::string::npos);
  CHECK(required("- func: f(Tensor self, str mode) -> Tensor\n"
                 "  expr: \"mode == 'a' ? self : -self\"\n")
            .find("nothing says what to give for 'mode'") != std::string::npos);
  CHECK(required("- func: f_(Tensor(a!) self) -> Tensor(a!)\n" + kernel).find("OW0313") !=
        std::string::npos);
}

}  // namespace
}  // namespace opweave::codegen

// What the search for lost digits finds, and what it does not.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "codegen/diagnostics/render.h"
#include "codegen/model/model.h"

namespace opweave::codegen {
namespace {

std::string told(std::string ops, std::string derivatives = "") {
  Inputs inputs;
  inputs.samples_required = true;
  inputs.ops.push_back({"ops.yaml", std::move(ops)});
  if (!derivatives.empty()) inputs.derivatives.push_back({"derivatives.yaml", derivatives});
  DiagnosticSink sink;
  const auto sources = std::make_shared<Sources>();
  const auto model = load_model(std::move(inputs), sources, sink);
  CHECK(!sink.has_errors());
  return render_all(sink);
}

std::string of(const std::string& expr, const std::string& samples = "{self: real}") {
  return told("- func: f(Tensor self) -> Tensor\n  expr: \"" + expr + "\"\n  samples: " + samples +
              "\n");
}

bool contains(const std::string& text, std::string_view what) {
  INFO(text);
  return text.find(what) != std::string::npos;
}

TEST_CASE("a quotient whose numerator cancels where it has a limit") {
  for (const char* expr :
       {"self == 0 ? 1.0 : sin(self) / self", "self == 0 ? 1.0 : expm1(self) / self",
        "self == 0 ? 1.0 : log1p(self) / self", "self == 1 ? 1.0 : log(self) / (self - 1)",
        "self == 0 ? 0.5 : (1 - cos(self)) / square(self)"}) {
    CAPTURE(expr);
    const std::string found = of(expr);
    CHECK(contains(found,
                   "warning[OW0410]: the gradient of 'f' with respect to 'self' loses its digits"));
    CHECK(contains(found, "ops.yaml:2:10:"));
    CHECK(contains(found, "note: they are lost by '"));
  }
}

TEST_CASE("what has its digits") {
  for (const char* expr :
       {"sin(self)", "tanh(self)", "sigmoid(self)", "log1p(exp(-abs(self)))",
        "self / (1 + abs(self))", "rsqrt(1 + square(self))", "atan2(self, 2.0)", "i1(self)",
        "i1e(self)", "erf(self)", "exp(-square(self))", "self * sigmoid(self)",
        "sin(3 * self) / (2 + cos(self))", "log(self)", "1 / (self - 2)"}) {
    CAPTURE(expr);
    CHECK(of(expr) == "");
  }
}

TEST_CASE("poles so far that no int64_t holds them") {
  const std::string domains = "{self: real, other: real}";
  const std::string found = told(
      "- func: f(Tensor self, Tensor other) -> Tensor\n"
      "  expr: digamma(self / (self * other + other))\n  samples: " +
      domains + "\n");
  CHECK(!contains(found, "error"));
}

TEST_CASE("zero times infinity") {
  const std::string found = of("self * (1 + tanh(self * self * self))");
  CHECK(contains(found, "and nan is computed"));
  CHECK(of("self * (1 + tanh(self))") == "");
}

TEST_CASE("overflow on the way to a number") {
  const std::string ops =
      "- func: angle_of(Tensor x, Tensor y) -> Tensor\n  expr: atan2(y, x)\n"
      "- func: share(Tensor x, Tensor y) -> Tensor\n  expr: x * x / (x * x + y * y)\n";
  const std::string found = told(ops);
  CHECK(!contains(found, "angle_of"));
  CHECK(contains(found, "the gradient of 'share' with respect to 'x'"));
}

TEST_CASE("a formula that an author gives is looked at where it stands") {
  const std::string found = told(
      "- func: mul.Tensor(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n"
      "- func: f(Tensor self) -> Tensor\n  expr: \"self == 0 ? 1.0 : sin(self) / self\"\n"
      "- func: slope(Tensor self) -> Tensor\n"
      "  expr: \"self == 0 ? 0.0 : (cos(self) - sin(self) / self) / self\"\n"
      "  differentiable: false\n",
      "- name: f\n  self: grad * slope(self)\n");
  CHECK(contains(found, "derivatives.yaml:2:9: warning[OW0410]: the gradient of 'f'"));
}

TEST_CASE("derivatives of derivatives") {
  const std::string found =
      of("abs(self) < 1e-30 ? self : 1 - cos(self) / 2 + self * sin(self) / self");
  CHECK(contains(found, "OW0410"));
}

TEST_CASE("a domain that the entry names is not left") {
  CHECK(contains(of("self == 1 ? 1.0 : log(self) / (self - 1)", "{self: positive}"), "OW0410"));
  CHECK(of("self == 0 ? 1.0 : sin(self) / self", "{self: ge1}") == "");
}

TEST_CASE("no gradient of the core loses digits") {
  const auto text = [](const char* path) {
    std::ostringstream all;
    all << std::ifstream(path).rdbuf();
    return all.str();
  };
  CHECK(told(text("ops.yaml"), text("derivatives.yaml")) == "");
}

}  // namespace
}  // namespace opweave::codegen

// Operators without YAML: what blocks register, and what they are refused for.
#include "runtime/library/library.h"

#include <doctest/doctest.h>

#include "kernels/initialize/initialize.h"
#include "opweave/ops/full.h"
#include "opweave/ops/mul.h"
#include "runtime/dispatch/registry.h"
#include "runtime/library/defined_operator.h"

namespace opweave {
namespace {

Tensor scaled(const Tensor& self, double factor) {
  return ops::mul_Scalar::call(self, Scalar(factor));
}
std::tuple<Tensor, int64_t> counted(const Tensor& self, IntList dims, std::optional<int64_t> n) {
  return {self, static_cast<int64_t>(dims.size()) + n.value_or(10)};
}
void quiet(const Tensor&, bool, std::string_view) {}

OPWEAVE_LIBRARY(blocks, library) {
  library.define("scaled(Tensor self, float factor=2.0) -> Tensor");
  library.implement("scaled", "cpu", &scaled);
  library.define("counted(Tensor self, int[] dims, int? n=None) -> (Tensor, int)");
  library.implement("counted", "cpu", &counted);
  library.define("quiet(Tensor self, bool flag, str word) -> ()");
  library.implement("quiet", "cpu", &quiet);
}

Stack call(std::string_view name, Stack stack) {
  OperatorEntry* op = find_operator(name);
  REQUIRE(op != nullptr);
  op->call(stack);
  return stack;
}

Tensor threes() {
  initialize();
  return ops::full::call({2}, Scalar(3.0), ScalarType::kFloat, {}, {}, {});
}

TEST_CASE("operators of a block are called") {
  const Stack scaled_stack = call("blocks::scaled", {threes(), 2.0});
  CHECK(scaled_stack.at(0).to_tensor().data<float>()[1] == 6.0f);
  const Stack counted_stack =
      call("blocks::counted", {threes(), std::vector<int64_t>{1, 2}, IValue()});
  CHECK(counted_stack.at(1).to_int() == 12);
  CHECK(call("blocks::quiet", {threes(), true, std::string("x")}).empty());
}

std::string refusal(detail::LibraryBlock block) {
  take_library_errors();
  CHECK_FALSE(detail::run_library_block("refused", "mine.cc", 12, block));
  const std::string text = take_library_errors();
  CHECK(take_library_errors().empty());
  undefine_operator("refused::f");
  CHECK(text.starts_with("mine.cc:12: library 'refused': "));
  CHECK(text.ends_with("\n"));
  return text;
}

bool says(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("kernels of another signature are refused") {
  CHECK(says(refusal([](HandwrittenLibrary& library) {
               library.define("f(Tensor self, int n) -> Tensor");
               library.implement("f", "cpu", &scaled);
             }),
             "the kernel of 'refused::f' takes its argument 2 as float, in its schema 'n' is int: "
             "refused::f(Tensor self, int n) -> Tensor"));
  CHECK(says(refusal([](HandwrittenLibrary& library) {
               library.define("f(Tensor self) -> Tensor");
               library.implement("f", "cpu", &scaled);
             }),
             "the kernel of 'refused::f' takes 2 arguments, its schema has 1"));
  CHECK(says(refusal([](HandwrittenLibrary& library) {
               library.define("f(Tensor self, float x) -> ()");
               library.implement("f", "cpu", &scaled);
             }),
             "the kernel of 'refused::f' returns 1 values, its schema says 0"));
  CHECK(says(refusal([](HandwrittenLibrary& library) {
               library.define("f(Tensor self, float x) -> Tensor[]");
               library.implement("f", "cpu", &scaled);
             }),
             "returns Tensor as value 1, its schema says Tensor[]"));
}

TEST_CASE("schemas, names and targets are checked") {
  CHECK(says(refusal([](HandwrittenLibrary& l) { l.define("f(Tenosr self) -> Tensor"); }),
             "unknown type 'Tenosr'"));
  CHECK(says(refusal([](HandwrittenLibrary& l) { l.implement("g", "cpu", &scaled); }),
             "there is no operator 'refused::g': define() it before implement()"));
  CHECK(says(refusal([](HandwrittenLibrary& l) {
               l.define("f(Tensor self, float x) -> Tensor");
               l.define("f(Tensor self, float x) -> Tensor");
             }),
             "registered already"));
  CHECK(says(refusal([](HandwrittenLibrary& l) {
               l.define("f(Tensor self, float x) -> Tensor");
               l.implement("f", "moon", &scaled);
             }),
             "unknown dispatch key 'moon'"));
}

}  // namespace
}  // namespace opweave

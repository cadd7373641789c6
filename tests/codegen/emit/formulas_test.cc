// What formulas and rules become in C++ where a caller, or C++ itself, could turn them into
// something else.
#include <doctest/doctest.h>

#include <string>

#include "codegen/emit/output/emit.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

std::string generated(const Loaded& loaded) {
  std::string text;
  for (const EmittedFile& file : emit_all(*loaded.model, {})) text += file.text;
  return text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("an element of a list is asked for by name") {
  const Loaded loaded(
      "- func: plus(Tensor self, Tensor other) -> Tensor\n  expr: self + other\n"
      "- func: times(Tensor self, Scalar other) -> Tensor\n  expr: self * other\n"
      "- func: mul(Tensor self, Scalar other) -> Tensor\n  expr: self * other\n"
      "- func: last(Tensor[] xs) -> Tensor\n  composite: plus(xs[0], xs[99])\n"
      "- func: scaled(Tensor self, int[] k) -> Tensor\n  kernels: [cpu]\n  roles: {k: number}\n",
      "- name: scaled\n  self: grad * k[7]\n");
  const std::string text = generated(loaded);
  CHECK(contains(text, "list_element(xs, 99, \"last\", \"xs\")"));
  CHECK(contains(text, "list_element(k, 7, \"scaled\", \"k\")"));
  CHECK(contains(text, "#include \"runtime/rules/list_element.h\""));
}

std::string conjugate_of(const std::string& dtypes) {
  return generated(
      Loaded("- func: turn(Tensor self, Tensor other) -> Tensor\n  expr: self * conj(other)\n"
             "  dtypes: " +
                 dtypes + "\n",
             "",
             "- func: mul(Tensor self, Tensor other) -> Tensor\n  expr: self * other\n"
             "- func: add(Tensor self, Tensor other) -> Tensor\n  expr: self + other\n"
             "- func: conj_physical(Tensor self) -> Tensor\n  expr: conj(self)\n"
             "  dtypes: [all, complex]\n"));
}

TEST_CASE("conjugates are printed of what may be complex, and of nothing else") {
  const std::string complex = conjugate_of("[floating, complex]");
  CHECK(contains(complex, "return m::mul(self, m::conj(other));"));
  CHECK(contains(complex, "return m::mul(m::conj(grad_output), self);"));
  CHECK(contains(complex, "ops::mul::call(grads[0], other)"));
  CHECK(contains(complex, "call_.add(0, ops::turn_tangent_self::call(self_t_, other));"));
  CHECK(contains(complex, "return m::mul(tangent, m::conj(other));"));
  CHECK(contains(complex, "r.multiply(a[\"self\"], r.conj(a[\"other\"]))"));
  const std::string real = conjugate_of("floating");
  CHECK_FALSE(contains(real, "conj"));
  CHECK(contains(real, "return m::mul(self, other);"));
}

TEST_CASE("whole numbers of rules have 64 bits") {
  const Loaded loaded(
      "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  let: {big: 2000000000, sum: 2000000000 + 2000000000}\n"
      "  result: {sizes: [big + sum]}\n");
  const std::string text = generated(loaded);
  CHECK(contains(text, "const Int big = 2000000000;"));
  CHECK(contains(text, "checked_add(2000000000, 2000000000, \"f\")"));
}

TEST_CASE("what overflows is refused, in rules and in formulas") {
  const Loaded loaded(
      "- func: scaled(Tensor self, int n) -> Tensor\n  kernels: [cpu]\n  roles: {n: number}\n"
      "  result: {sizes: [-n * n]}\n"
      "- func: mul(Tensor self, Scalar other) -> Tensor\n  expr: self * other\n",
      "- name: scaled\n  self: grad * (n - 1)\n");
  const std::string text = generated(loaded);
  CHECK(contains(text, "checked_mul(checked_sub(0, n, \"scaled\"), n, \"scaled\")"));
  CHECK(contains(text, "checked_sub(n, 1, \"scaled\")"));
  CHECK(contains(text, "#include \"runtime/rules/checked_arithmetic.h\""));
}

TEST_CASE("values that read one another twice are read once") {
  std::string ops =
      "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  let:\n    a0: self.dim() + 1\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "a" + std::to_string(i - 1);
    ops += "    a" + std::to_string(i) + ": " + before + " + " + before + "\n";
  }
  const Loaded loaded(ops + "  require: {a59 > 0: no}\n  result: {sizes: [a59]}\n");
  CHECK(loaded.op("f").rule != nullptr);
}

}  // namespace
}  // namespace opweave::codegen

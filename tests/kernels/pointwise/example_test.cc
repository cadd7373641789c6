// The hand-written shard runs: every kind of argument and result once.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/kernels/pointwise/example_shard.h"

namespace opweave {
namespace {

template <class T>
Tensor make(IntList sizes, std::vector<T> values) {
  Tensor t = make_tensor(sizes, scalar_type_of<T>, kCPU);
  std::copy(values.begin(), values.end(), t.data<T>());
  return t;
}

TEST_CASE("add with alpha, of all kinds of operands") {
  const Tensor a = make<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = make<float>({3}, {10, 20, 30});
  const Tensor sum = cpu::add_example(a, b, 2);
  CHECK(sum.data<float>()[0] == 21);
  CHECK(sum.data<float>()[5] == 66);
  const Tensor mixed = cpu::add_example(a, make<int64_t>({2, 1}, {1, 2}), 1);
  CHECK(mixed.dtype() == kFloat);
  CHECK(mixed.data<float>()[3] == 6);
}

TEST_CASE("exp of integers is a float") {
  const Tensor r = cpu::exp_example(make<int64_t>({2}, {0, 1}));
  CHECK(r.dtype() == kFloat);
  CHECK(r.data<float>()[1] == doctest::Approx(std::exp(1.0)));
}

TEST_CASE("lt gives bool, where takes it") {
  const Tensor a = make<double>({3}, {1, 2, 3}), b = make<double>({3}, {3, 2, 1});
  const Tensor less = cpu::lt_example(a, b);
  REQUIRE(less.dtype() == kBool);
  CHECK(less.data<bool>()[0]);
  CHECK_FALSE(less.data<bool>()[1]);
  const Tensor smaller = cpu::where_example(less, a, b);
  CHECK(smaller.data<double>()[0] == 1);
  CHECK(smaller.data<double>()[2] == 1);
}

TEST_CASE("pow and silu") {
  CHECK(cpu::pow_example(make<int32_t>({1}, {3}), 4).data<int32_t>()[0] == 81);
  const Tensor s = cpu::silu_example(make<float>({1}, {1}));
  CHECK(s.data<float>()[0] == doctest::Approx(1 / (1 + std::exp(-1.0))));
}

}  // namespace
}  // namespace opweave

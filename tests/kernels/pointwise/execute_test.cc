// Plans and their execution: every pair of types, shapes that broadcast, layouts, sizes around the
// block and vector lengths, on every instruction set, against one loop over doubles.
#include <doctest/doctest.h>

#include "runtime/core/tensor/type_promotion.h"
#include "tests/kernels/pointwise/example_shard.h"
#include "tests/kernels/pointwise/support.h"

namespace opweave {
namespace {

using test::Layout;

std::mt19937 generator(3);

// The position in `t` that a position of the broadcast shape reads.
int64_t broadcast_index(const Tensor& t, IntList shape, int64_t index) {
  int64_t source = 0, step = 1;
  for (size_t i = 1; i <= shape.size(); ++i) {
    const int64_t at = index % shape[shape.size() - i];
    index /= shape[shape.size() - i];
    if (i > t.sizes().size()) continue;
    const int64_t size = t.sizes()[t.sizes().size() - i];
    source += (size == 1 ? 0 : at) * step;
    step *= size;
  }
  return source;
}

double wrapped(double value, ScalarType dtype) {
  const Tensor one = make_tensor({}, dtype, kCPU);
  test::set(one, 0, value);
  return test::get(one, 0);
}

void check_sum(const Tensor& result, const Tensor& a, const Tensor& b, double alpha) {
  for (int64_t i = 0; i < result.numel(); ++i) {
    const double x = test::get(a, broadcast_index(a, result.sizes(), i));
    const double y = test::get(b, broadcast_index(b, result.sizes(), i));
    const double wanted = wrapped(x + alpha * y, result.dtype());
    if (test::get(result, i) != wanted) {
      FAIL("element ", i, " is ", test::get(result, i), ", not ", wanted, ": ",
           str(a.sizes(), " ", a.dtype(), " + ", b.sizes(), " ", b.dtype()));
    }
  }
}

TEST_CASE("all pairs of types promote and compute") {
  test::for_each_target([](const std::string& target) {
    INFO(target);
    for (ScalarType s : test::kCommonTypes) {
      for (ScalarType t : test::kCommonTypes) {
        const Tensor a = test::random({5, 7}, s, Layout::kDense, generator);
        const Tensor b = test::random({5, 7}, t, Layout::kSliced, generator);
        const Tensor sum = cpu::add_example(a, b, 1);
        CHECK(sum.dtype() == promote_types(s, t));
        check_sum(sum, a, b, 1);
        CHECK(cpu::lt_example(a, b).dtype() == kBool);
      }
    }
  });
}

TEST_CASE("shapes and layouts") {
  const std::vector<std::pair<DimVector, DimVector>> shapes = {
      {{}, {}},
      {{1}, {}},
      {{0}, {1}},
      {{3, 0, 2}, {1, 1, 2}},
      {{17}, {17}},
      {{2, 3}, {3}},
      {{3}, {2, 1}},
      {{4, 1, 5}, {3, 1}},
      {{33, 65}, {33, 65}},
      {{65, 33}, {1, 33}},
      {{300, 7}, {300, 1}},
      {{7, 300}, {300}},
      {{2, 3, 4, 5}, {4, 1}},
      {{1, 1, 1}, {2, 1, 3}},
      {{2, 2, 2, 2, 2, 2}, {2, 1, 2, 1, 2, 1}},
      {{1500}, {1500}},
      {{40, 40, 40}, {40, 1, 40}}};
  test::for_each_target([&](const std::string& target) {
    INFO(target);
    for (const auto& [first, second] : shapes) {
      for (Layout layout_a : test::kLayouts) {
        for (Layout layout_b : test::kLayouts) {
          const Tensor a = test::random(first, kFloat, layout_a, generator);
          const Tensor b = test::random(second, kFloat, layout_b, generator);
          check_sum(cpu::add_example(a, b, 2), a, b, 2);
        }
      }
    }
  });
}

TEST_CASE("lengths around vectors and blocks") {
  test::for_each_target([](const std::string& target) {
    INFO(target);
    for (ScalarType dtype : {kByte, kLong, kBFloat16, kFloat, kDouble}) {
      for (int64_t n :
           {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 127, 1023, 1024, 1025, 3000}) {
        const Tensor a = test::random({n}, dtype, Layout::kOffset, generator);
        const Tensor b = test::random({n}, dtype, Layout::kDense, generator);
        check_sum(cpu::add_example(a, b, 1), a, b, 1);
      }
    }
  });
}

TEST_CASE("large tensors: threads, and results past the cache") {
  for (int64_t n : {100'000, 9'000'000}) {
    const Tensor a = test::make({n}, kFloat, Layout::kDense);
    for (int64_t i = 0; i < n; ++i) a.data<float>()[i] = static_cast<float>(i % 1000);
    const Tensor sum = cpu::add_example(a, a, 1);
    const Tensor half = test::random({1}, kHalf, Layout::kDense, generator);
    const Tensor broadcast = cpu::add_example(a, half, 1);
    bool right = true;
    for (int64_t i = 0; i < n; ++i) {
      right &= sum.data<float>()[i] == static_cast<float>(2 * (i % 1000));
      right &= broadcast.data<float>()[i] == static_cast<float>(i % 1000 + test::get(half, 0));
    }
    CHECK(right);
  }
}

TEST_CASE("a transposed operand, large") {
  for (ScalarType dtype : {kChar, kShort, kFloat, kDouble}) {
    const Tensor a = test::random({130, 257}, dtype, Layout::kDense, generator);
    const Tensor b = test::random({130, 257}, dtype, Layout::kTransposed, generator);
    check_sum(cpu::add_example(a, b, 1), a, b, 1);
    check_sum(cpu::add_example(b, a, 1), b, a, 1);
  }
}

TEST_CASE("the result lies in memory like its inputs") {
  const Tensor t = test::random({4, 5}, kFloat, Layout::kTransposed, generator);
  CHECK(same_sizes(cpu::add_example(t, t, 1).strides(), t.strides()));
  const Tensor image = make_tensor_strided(
      {2, 3, 4, 5}, strides_for({2, 3, 4, 5}, MemoryFormat::kChannelsLast), kFloat, kCPU);
  const Tensor bias = test::random({3, 1, 1}, kFloat, Layout::kDense, generator);
  CHECK(cpu::add_example(image, bias, 1).is_contiguous(MemoryFormat::kChannelsLast));
  CHECK(cpu::add_example(bias, image, 1).is_contiguous(MemoryFormat::kChannelsLast));
  CHECK(cpu::exp_example(image).is_contiguous(MemoryFormat::kChannelsLast));
  const Tensor sliced = test::random({4, 5}, kFloat, Layout::kSliced, generator);
  CHECK(cpu::exp_example(sliced).is_contiguous());
}

TEST_CASE("in place and into out") {
  Tensor a = test::random({6, 5}, kFloat, Layout::kTransposed, generator);
  const Tensor before = cpu::add_example(a, make_tensor({}, kBool, kCPU), 0);
  const Tensor b = test::random({5}, kInt, Layout::kDense, generator);
  cpu::add_example_(a, b, 3);
  check_sum(a, before, b, 3);
  Tensor out = make_tensor({0}, kFloat, kCPU);
  cpu::add_example_out(out, before, b, 1);
  CHECK(same_sizes(out.sizes(), {6, 5}));
  check_sum(out, before, b, 1);
  Tensor wide = make_tensor({6, 5}, kDouble, kCPU);
  cpu::add_example_out(wide, before, b, 1);
  check_sum(wide, before, b, 1);
}

TEST_CASE("numbers promote like numbers") {
  const Tensor ints = test::random({3}, kInt, Layout::kDense, generator);
  CHECK(cpu::pow_example(ints, 2).dtype() == kInt);
  CHECK(cpu::pow_example(ints, 2.0).dtype() == kFloat);
  CHECK(cpu::pow_example(test::random({3}, kHalf, Layout::kDense, generator), 2.0).dtype() ==
        kHalf);
  const Tensor zero_dim = test::random({}, kDouble, Layout::kDense, generator);
  const Tensor floats = test::random({3}, kFloat, Layout::kDense, generator);
  CHECK(cpu::add_example(floats, zero_dim, 1).dtype() == kFloat);
  CHECK(cpu::add_example(ints, zero_dim, 1).dtype() == kDouble);
}

TEST_CASE("what is wrong is said") {
  const Tensor floats = test::random({3}, kFloat, Layout::kDense, generator);
  Tensor ints = test::random({3}, kLong, Layout::kDense, generator);
  const Tensor two = test::random({2}, kFloat, Layout::kDense, generator);
  CHECK_THROWS_WITH_AS(
      cpu::add_example(floats, two, 1),
      "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
      Error);
  CHECK_THROWS_WITH_AS(cpu::silu_example(ints), "\"silu\" not implemented for 'Long'", Error);
  CHECK_THROWS_WITH_AS(cpu::add_example_(ints, floats, 1),
                       "result type Float can't be cast to the desired output type Long", Error);
  CHECK_THROWS_WITH_AS(
      cpu::add_example(ints, ints, 1.5),
      "For integral input tensors, argument alpha must not be a floating point number.", Error);
  CHECK_THROWS_WITH_AS(cpu::add_example(ints, ints, true),
                       "Boolean alpha only supported for Boolean results.", Error);
  Tensor one = test::random({1}, kFloat, Layout::kDense, generator);
  CHECK_THROWS_WITH_AS(cpu::add_example_(one, floats, 1),
                       "output with shape [1] doesn't match the broadcast shape [3]", Error);
  Tensor expanded = make_alias(one, {3}, {0}, 0);
  CHECK_THROWS_WITH_AS(
      cpu::add_example_(expanded, floats, 1),
      "unsupported operation: more than one element of the written-to tensor refers to "
      "a single memory location, as expand() makes them. Please clone() the tensor before "
      "performing "
      "the operation.",
      Error);
  const Tensor line = test::random({4}, kFloat, Layout::kDense, generator);
  Tensor head = make_alias(line, {3}, {1}, 0);
  CHECK_THROWS_WITH_AS(
      cpu::add_example_(head, make_alias(line, {3}, {1}, 1), 1),
      "unsupported operation: some elements of the input tensor and the written-to "
      "tensor refer to a single memory location. Please clone() the tensor before "
      "performing the operation.",
      Error);
  const Tensor meta = make_tensor({3}, kFloat, kMeta);
  CHECK_THROWS_WITH_AS(
      cpu::add_example(floats, meta, 1),
      "Expected all tensors to be on the same device, but found at least two devices, "
      "cpu and meta!",
      Error);
}

}  // namespace
}  // namespace opweave

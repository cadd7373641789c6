// Copies between all types and layouts, and fills, on every instruction set.
#include "kernels/cpu/copying/copy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/kernels/pointwise/support.h"

namespace opweave {
namespace {

using test::Layout;

std::mt19937 generator(5);

void check_same(const Tensor& to, const Tensor& from) {
  for (int64_t i = 0; i < to.numel(); ++i) {
    const double value = test::get(from, i);
    const double wanted = to.dtype() == kBool ? value != 0 : value;
    if (test::get(to, i) != wanted) {
      FAIL("element ", i, " is ", test::get(to, i), ", not ", wanted, ": ",
           str(from.sizes(), " ", from.dtype(), " to ", to.dtype()));
    }
  }
}

TEST_CASE("all pairs of types") {
  test::for_each_target([](const std::string& target) {
    INFO(target);
    for (ScalarType from_type : test::kAllTypes) {
      for (ScalarType to_type : test::kAllTypes) {
        for (int64_t n : {1, 15, 64, 1100}) {
          const Tensor from = test::random({n}, from_type, Layout::kOffset, generator);
          Tensor to = test::make({n}, to_type, Layout::kDense);
          cpu::copy_elements(to, from);
          check_same(to, from);
        }
      }
    }
  });
}

TEST_CASE("layouts, sizes and item sizes") {
  const std::vector<DimVector> shapes = {{},      {0},     {1},       {5},        {8, 8},
                                         {3, 70}, {70, 3}, {65, 129}, {4, 33, 17}};
  test::for_each_target([&](const std::string& target) {
    INFO(target);
    for (const DimVector& shape : shapes) {
      for (ScalarType dtype : {kByte, kBFloat16, kFloat, kDouble}) {
        for (Layout from_layout : test::kLayouts) {
          for (Layout to_layout : test::kLayouts) {
            const Tensor from = test::random(shape, dtype, from_layout, generator);
            Tensor to = test::make(shape, dtype, to_layout);
            cpu::copy_elements(to, from);
            check_same(to, from);
          }
        }
      }
    }
  });
}

TEST_CASE("a large transposed copy") {
  const int64_t n = 3100;
  const Tensor from = test::make({n, n}, kFloat, Layout::kTransposed);
  for (int64_t i = 0; i < n * n; ++i)
    static_cast<float*>(from.raw_data())[i] = static_cast<float>(i);
  Tensor to = test::make({n, n}, kFloat, Layout::kDense);
  cpu::copy_elements(to, from);
  bool right = true;
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < n; ++c)
      right &= to.data<float>()[r * n + c] == static_cast<float>(c * n + r);
  }
  CHECK(right);
}

TEST_CASE("broadcasting") {
  const Tensor from = test::random({4}, kLong, Layout::kDense, generator);
  Tensor to = test::make({3, 4}, kFloat, Layout::kDense);
  cpu::copy_elements(to, from);
  for (int64_t i = 0; i < 12; ++i) CHECK(test::get(to, i) == test::get(from, i % 4));
  Tensor small = test::make({2}, kFloat, Layout::kDense);
  CHECK_THROWS_WITH_AS(
      cpu::copy_elements(small, test::make({3}, kFloat, Layout::kDense)),
      "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
      Error);
  CHECK_THROWS_WITH_AS(cpu::copy_elements(small, test::make({3, 2}, kFloat, Layout::kDense)),
                       "output with shape [2] doesn't match the broadcast shape [3, 2]", Error);
}

TEST_CASE("overlap") {
  const Tensor line = test::random({6}, kFloat, Layout::kDense, generator);
  Tensor tail = make_alias(line, {5}, {1}, 1);
  CHECK_THROWS_WITH_AS(
      cpu::copy_elements(tail, make_alias(line, {5}, {1}, 0)),
      "unsupported operation: some elements of the input tensor and the written-to "
      "tensor refer to a single memory location. Please clone() the tensor before "
      "performing the operation.",
      Error);
  Tensor same = make_alias(line, {6}, {1}, 0);
  cpu::copy_elements(same, line);
  check_same(same, line);
}

TEST_CASE("conversions as in C") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values = {-1.5, 300.7, 1e10, nan, 0.25, -0.0};
  test::for_each_target([&](const std::string& target) {
    INFO(target);
    // Once as a vector would see them, once as what is left over.
    for (int64_t n : {6, 128}) {
      Tensor from = test::make({n}, kFloat, Layout::kDense);
      for (int64_t i = 0; i < n; ++i) test::set(from, i, values[static_cast<size_t>(i) % 6]);
      auto to = [&](ScalarType dtype, int64_t i) {
        Tensor t = test::make({n}, dtype, Layout::kDense);
        cpu::copy_elements(t, from);
        return test::get(t, i);
      };
      CHECK(to(kByte, 0) == 255);
      CHECK(to(kByte, 1) == 44);
      CHECK(to(kChar, 0) == -1);
      CHECK(to(kShort, 1) == 300);
      CHECK(to(kInt, 0) == -1);
      CHECK(to(kLong, 2) == 1e10);
      CHECK(to(kLong, 3) == -0x1p63);
      CHECK(to(kBool, 3) == 1);
      CHECK(to(kBool, 4) == 1);
      CHECK(to(kBool, 5) == 0);
      CHECK(to(kHalf, 1) == 300.75);
      CHECK(std::isinf(to(kHalf, 2)));
      CHECK(std::isnan(to(kBFloat16, 3)));
      CHECK(to(kBFloat16, 1) == 300);
    }
  });
}

TEST_CASE("half precision rounds to nearest even, subnormals included") {
  test::for_each_target([](const std::string& target) {
    INFO(target);
    const int64_t n = 40000;
    Tensor from = test::make({n}, kFloat, Layout::kDense);
    for (int64_t i = 0; i < n; ++i) {
      test::set(from, i,
                std::ldexp(1.0 + static_cast<double>(i) / n, static_cast<int>(i % 50) - 30));
    }
    Tensor to = test::make({n}, kHalf, Layout::kDense);
    cpu::copy_elements(to, from);
    bool right = true;
    for (int64_t i = 0; i < n; ++i) {
      right &= to.data<Half>()[i].bits == Half(from.data<float>()[i]).bits;
    }
    CHECK(right);
  });
}

TEST_CASE("fills") {
  for (ScalarType dtype : test::kAllTypes) {
    for (Layout layout : test::kLayouts) {
      Tensor t = test::make({7, 9}, dtype, layout);
      cpu::fill_elements(t, 1.5);
      const double wanted = is_floating(dtype) ? 1.5 : 1;
      for (int64_t i = 0; i < t.numel(); ++i) REQUIRE(test::get(t, i) == wanted);
      cpu::fill_elements(t, 0);
      CHECK(test::get(t, 62) == 0);
    }
  }
  Tensor expanded = make_alias(test::make({3}, kFloat, Layout::kDense), {2, 3}, {0, 1}, 0);
  cpu::fill_elements(expanded, 4);
  CHECK(test::get(expanded, 5) == 4);
  Tensor large = test::make({9'000'000}, kFloat, Layout::kDense);
  cpu::fill_elements(large, 2);
  CHECK(test::get(large, 0) == 2);
  CHECK(test::get(large, 8'999'999) == 2);
}

TEST_CASE("numbers that do not fit") {
  Tensor bytes = test::make({2}, kChar, Layout::kDense);
  CHECK_THROWS_WITH_AS(cpu::fill_elements(bytes, 300),
                       "value cannot be converted to type int8_t without overflow", Error);
  Tensor halves = test::make({2}, kHalf, Layout::kDense);
  CHECK_THROWS_WITH_AS(cpu::fill_elements(halves, 1e10),
                       "value cannot be converted to type c10::Half without overflow", Error);
  cpu::fill_elements(halves, std::numeric_limits<double>::infinity());
  CHECK(std::isinf(test::get(halves, 0)));
  Tensor unsigned_bytes = test::make({2}, kByte, Layout::kDense);
  cpu::fill_elements(unsigned_bytes, -1);
  CHECK(test::get(unsigned_bytes, 0) == 255);
}

}  // namespace
}  // namespace opweave

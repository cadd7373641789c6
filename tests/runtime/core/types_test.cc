// Element types, promotion, scalars, devices, sizes.
#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <limits>

#include "runtime/core/random/generator.h"
#include "runtime/core/tensor/type_promotion.h"

using namespace opweave;

TEST_CASE("promotion is symmetric, and every type promotes to itself") {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    for (int j = 0; j < kNumScalarTypes; ++j) {
      const auto a = static_cast<ScalarType>(i), b = static_cast<ScalarType>(j);
      if (!contains(dtypes::kCommon, a) || !contains(dtypes::kCommon, b)) continue;
      CHECK(promote_types(a, b) == promote_types(b, a));
    }
    CHECK(promote_types(static_cast<ScalarType>(i), static_cast<ScalarType>(i)) ==
          static_cast<ScalarType>(i));
  }
  CHECK(promote_types(kByte, kChar) == kShort);
  CHECK(promote_types(kByte, kShort) == kShort);
  CHECK(promote_types(kLong, kHalf) == kHalf);
  CHECK(promote_types(kHalf, kBFloat16) == kFloat);
  CHECK(promote_types(kBool, kByte) == kByte);
}

TEST_CASE("zero-dim tensors and numbers only raise the category") {
  const Tensor ints = make_tensor({2}, kInt, kCPU), zero_dim = make_tensor({}, kDouble, kCPU);
  const auto result = [](auto... operands) {
    ResultType r;
    (r.add(operands), ...);
    return r.result();
  };
  CHECK(result(ints, make_tensor({}, kLong, kCPU)) == kInt);
  CHECK(result(ints, zero_dim) == kDouble);
  CHECK(result(ints, Scalar(2)) == kInt);
  CHECK(result(ints, Scalar(2.5)) == kFloat);
  CHECK(result(make_tensor({2}, kHalf, kCPU), Scalar(2.5)) == kHalf);
  CHECK(result(make_tensor({2}, kBool, kCPU), Scalar(true)) == kBool);
  CHECK(result(ints, wrapped_number_tensor(Scalar(2.5))) == kFloat);
}

TEST_CASE("half-precision conversions round to nearest even and keep NaN") {
  CHECK(static_cast<float>(BFloat16(1.0f)) == 1.0f);
  CHECK(static_cast<float>(BFloat16(1.00390625f)) == 1.0f);       // a tie goes to even
  CHECK(static_cast<float>(BFloat16(1.01171875f)) == 1.015625f);  // and upwards when that is even
  CHECK(std::isnan(static_cast<float>(BFloat16(std::numeric_limits<float>::quiet_NaN()))));
  CHECK(static_cast<float>(Half(65504.0f)) == 65504.0f);
  CHECK(std::isinf(static_cast<float>(Half(70000.0f))));
  CHECK(static_cast<float>(Half(1)) == 1.0f);
}

TEST_CASE_TEMPLATE("elements of 8 and 16 bits are computed with as floats", T, Half, BFloat16,
                   Float8_e4m3fn, Float8_e5m2) {
  const T a(1.5f), b(2.0f);
  CHECK(a * b + a / b - b == 1.75f);
  CHECK(-a < b);
  CHECK(b > a);
  CHECK(a >= a);
  CHECK(a == a);
  CHECK(a * 2 == 3.0f);
  CHECK(std::same_as<decltype(a * b), float>);
  CHECK(std::same_as<decltype(a * Scalar(2)), Scalar>);
}

TEST_CASE("numbers convert like Python's") {
  CHECK(Scalar(2.9).to_long() == 2);
  CHECK(Scalar(-2.9).to_long() == -2);
  CHECK(Scalar(std::nan("")).to_long() == INT64_MIN);
  CHECK(Scalar(300).to<uint8_t>() == 44);
  CHECK((Scalar(3) / Scalar(2)).to_double() == 1.5);
  CHECK((Scalar(3) * Scalar(2)).is_integral(false));
  CHECK((Scalar(3) - Scalar(0.5)).to_double() == 2.5);
}

TEST_CASE("devices parse and print") {
  CHECK(parse_device("cpu") == Device(kCPU));
  CHECK(to_string(parse_device("meta:0")) == "meta:0");
  for (const char* bad : {"cpux", "cpu:", "cpu:x", ""}) CHECK_THROWS_AS(parse_device(bad), Error);
  const DeviceType type = register_device_type("accelerator");
  CHECK(register_device_type("accelerator") == type);
  CHECK(parse_device("accelerator:3") == Device(type, 3));
}

TEST_CASE("more than five dimensions live on the heap") {
  const Tensor t = make_tensor({1, 2, 3, 1, 2, 3, 1}, kByte, kCPU);
  CHECK(t.dim() == 7);
  CHECK(t.numel() == 36);
  CHECK(t.strides()[1] == 18);
  SizesAndStrides copy;
  copy.set(t.sizes(), t.strides());
  SizesAndStrides small(DimVector{2}, DimVector{1});
  copy = small;
  CHECK(copy.sizes().size() == 1);
}

TEST_CASE("dimensions wrap, and messages give the range") {
  CHECK(wrap_dim(-1, 3) == 2);
  CHECK(wrap_dim(0, 0) == 0);
  try {
    wrap_dim(3, 3);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kIndex);
    CHECK(std::string(e.what()) ==
          "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
  }
}

TEST_CASE("memory formats") {
  const DimVector strides = strides_for({2, 3, 4, 5}, MemoryFormat::kChannelsLast);
  CHECK(strides == DimVector{60, 1, 15, 3});
  const Tensor t = make_tensor_strided({2, 3, 4, 5}, strides, kFloat, kCPU);
  CHECK(t.is_contiguous(MemoryFormat::kChannelsLast));
  CHECK_FALSE(t.is_contiguous());
  CHECK(t.impl()->is_non_overlapping_and_dense());
}

TEST_CASE("a generator's stream depends on seed and position alone") {
  GeneratorImpl a{Device(kCPU)}, b{Device(kCPU)};
  a.manual_seed(7);
  b.manual_seed(7);
  const PhiloxSlice first = a.reserve(10), second = a.reserve(10);
  CHECK(philox_block(first, 10) == philox_block(second, 0));
  CHECK(philox_block(b.reserve(10), 3) == philox_block(first, 3));
  const PhiloxSlice saved = a.state();
  const auto next = philox_block(a.reserve(1), 0);
  a.set_state(saved);
  CHECK(philox_block(a.reserve(1), 0) == next);
}

// The tables of dtypes and layouts, and what follows from them.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include "runtime/core/tensor/type_promotion.h"

using namespace opweave;

namespace {

// The value of a code by its definition: sign, exponent, fraction.
double value_of_code(int code, int fraction_bits, bool has_infinity) {
  const int bias = (1 << (6 - fraction_bits)) - 1;
  const int fraction = code & ((1 << fraction_bits) - 1);
  const int exponent = code >> fraction_bits & ((1 << (7 - fraction_bits)) - 1);
  const double sign = (code & 0x80) != 0 ? -1 : 1;
  const int highest = (1 << (7 - fraction_bits)) - 1;
  if (has_infinity && exponent == highest) {
    return fraction == 0 ? sign * HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
  }
  if (!has_infinity && (code & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  const int shift = (exponent == 0 ? 1 : exponent) - bias - fraction_bits;
  return sign * std::ldexp(fraction + (exponent == 0 ? 0 : 1 << fraction_bits), shift);
}

template <class T>
void check_codes(int fraction_bits, bool has_infinity) {
  for (int code = 0; code < 256; ++code) {
    T element;
    element.bits = static_cast<uint8_t>(code);
    const double wanted = value_of_code(code, fraction_bits, has_infinity);
    const double value = static_cast<float>(element);
    CHECK((std::isnan(wanted) ? std::isnan(value) : value == wanted));
    CHECK(std::signbit(value) == (code >= 128));
    if (!std::isnan(wanted)) CHECK(T(static_cast<float>(wanted)).bits == code);
  }
}

// Between two neighbours the nearer one, in the middle the even one.
template <class T>
void check_rounding(int largest_code) {
  for (int code = 0; code < largest_code; ++code) {
    T low, high;
    low.bits = static_cast<uint8_t>(code);
    high.bits = static_cast<uint8_t>(code + 1);
    const float middle = (static_cast<float>(low) + static_cast<float>(high)) / 2;
    CHECK(T(middle).bits == (code % 2 == 0 ? code : code + 1));
    CHECK(T(std::nextafter(middle, 0.0f)).bits == code);
    CHECK(T(std::nextafter(middle, HUGE_VALF)).bits == code + 1);
    CHECK(T(-middle).bits == (T(middle).bits | 0x80));
  }
}

}  // namespace

TEST_CASE("float8 codes and their roundings") {
  check_codes<Float8_e4m3fn>(3, false);
  check_codes<Float8_e5m2>(2, true);
  check_rounding<Float8_e4m3fn>(0x7e);
  check_rounding<Float8_e5m2>(0x7b);
}

TEST_CASE("float8 of what is too large") {
  CHECK(Float8_e4m3fn(1e9f).bits == 0x7e);
  CHECK(Float8_e4m3fn(HUGE_VALF).bits == 0x7e);
  CHECK(Float8_e4m3fn(-464.1f).bits == 0xfe);
  CHECK(Float8_e4m3fn(std::nanf("")).bits == 0x7f);
  CHECK(Float8_e5m2(61439.0f).bits == 0x7b);
  CHECK(Float8_e5m2(61440.0f).bits == 0x7c);
  CHECK(Float8_e5m2(-HUGE_VALF).bits == 0xfc);
  CHECK(Float8_e5m2(std::nanf("")).bits == 0x7f);
  CHECK(static_cast<float>(Float8_e5m2(3)) == 3.0f);
}

TEST_CASE("the table of dtypes says each thing once") {
  std::set<std::string_view> names, ids, safetensors;
  for (const DtypeInfo& d : kDtypes) {
    CHECK(names.insert(d.name).second);
    CHECK(ids.insert(d.id).second);
    CHECK(safetensors.insert(d.safetensors).second);
    CHECK(dtype_from_name(d.name).has_value());
    CHECK((d.alias.empty() || names.insert(d.alias).second));
  }
  CHECK(!dtype_from_name("float128"));
  CHECK(dtype_name(ScalarType::kUndefined) == "undefined");
  CHECK(scalar_type_name(ScalarType::kUndefined) == "Undefined");
}

TEST_CASE("limits are those of the C++ types") {
  CHECK(dtype_info(kFloat).largest == std::numeric_limits<float>::max());
  CHECK(dtype_info(kDouble).largest == std::numeric_limits<double>::max());
  CHECK(std::ldexp(1.0, dtype_info(kFloat).exponent) == std::numeric_limits<float>::min());
  CHECK(digits_of(kDouble) == std::numeric_limits<double>::digits);
  CHECK(digits_of(kInt) == std::numeric_limits<int32_t>::digits);
  CHECK(digits_of(kUInt64) == 64);
  CHECK(largest_counted(kUInt32) == UINT32_MAX);
  CHECK(largest_counted(kUInt64) == INT64_MAX);
  CHECK(least_counted(kLong) == INT64_MIN);
  CHECK(least_counted(kUInt16) == 0);
  CHECK(largest_counted(kHalf) == 2048);
}

TEST_CASE("groups of dtypes") {
  CHECK((dtypes::kFloat8 == (dtype_bit(kFloat8_e4m3fn) | dtype_bit(kFloat8_e5m2))));
  CHECK((dtypes::kReducedFloat == (dtype_bit(kHalf) | dtype_bit(kBFloat16))));
  CHECK(is_floating(kFloat8_e5m2));
  CHECK(is_differentiable(kFloat8_e5m2));
  CHECK(!is_reduced_float(kFloat8_e5m2));
  CHECK(compute_dtype(kFloat8_e5m2) == kFloat);
  CHECK(is_integral(kUInt64, false));
  CHECK(!is_signed(kUInt64));
  CHECK(!contains(dtypes::kEvery, ScalarType::kUndefined));
  CHECK(!is_floating(ScalarType::kUndefined));
}

TEST_CASE("whole numbers beyond int64") {
  constexpr uint64_t kLarge = (uint64_t{1} << 63) + 5;
  const Scalar number(kLarge);
  CHECK(number.type() == kUInt64);
  CHECK(number.is_integral(false));
  CHECK(number.to<uint64_t>() == kLarge);
  CHECK(number.to_double() == 0x1p63);
  CHECK(str(number) == "9223372036854775813");
  CHECK(!number.equal(Scalar(static_cast<int64_t>(kLarge))));
  CHECK(Scalar(uint64_t{7}).type() == kLong);
}

TEST_CASE("arithmetic of whole numbers keeps what has 64 bits, and is a float beyond") {
  const Scalar large(uint64_t{1} << 63), most(INT64_MAX);
  CHECK((most + Scalar(1)).equal(large));
  CHECK((large - Scalar(1)).equal(most));
  CHECK((most * Scalar(2)).to<uint64_t>() == UINT64_MAX - 1);
  CHECK((most * most).type() == kDouble);
  CHECK((most * most).to_double() == doctest::Approx(0x1p126));
  CHECK((Scalar(0) - large).equal(Scalar(INT64_MIN)));
  CHECK((-Scalar(INT64_MIN)).equal(large));
  CHECK((Scalar(true) + Scalar(true)).equal(Scalar(2)));
  CHECK(Scalar((int64_t{1} << 53) + 1) > Scalar(int64_t{1} << 53));
  CHECK(most < large);
  CHECK(large <= large);
  CHECK(Scalar(-1) < large);
}

TEST_CASE("types that do not promote") {
  CHECK(promote_types(kUInt16, kHalf) == kHalf);
  CHECK_THROWS_WITH(promote_types(kUInt16, kInt),
                    "Promotion for uint16, uint32, uint64 types is not supported, attempted to "
                    "promote UInt16 and Int");
  CHECK_THROWS_WITH(promote_types(kFloat, kFloat8_e4m3fn),
                    "Promotion for Float8 Types is not supported, attempted to promote Float and "
                    "Float8_e4m3fn");
}

TEST_CASE("layouts have keys below everything but backends") {
  CHECK(layout_info(Layout::kStrided).dispatch == 0);
  CHECK(str(Layout::kSparseCsr) == "sparse_csr");
  std::set<DispatchKey> keys;
  for (int i = 1; i < kNumLayouts; ++i) {
    const DispatchKey key = layout_key(static_cast<Layout>(i));
    CHECK(keys.insert(key).second);
    CHECK(key >= DispatchKey::kFirstLayout);
    CHECK(key < DispatchKey::kADInplaceOrView);
  }
}

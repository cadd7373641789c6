// Boxed values: round trips of every kind, and what asking for the wrong one says.
#include <doctest/doctest.h>

#include "runtime/dispatch/boxing.h"

using namespace opweave;

TEST_CASE("values come back as they went in") {
  CHECK(IValue(Scalar(2.5)).to_double() == 2.5);
  CHECK(IValue(Scalar(3)).to_int() == 3);
  CHECK(IValue(true).to_bool());
  CHECK(IValue(std::string_view("floor")).to_string() == "floor");
  CHECK(IValue(IntList{1, 2, 3}).to_int_list() == std::vector<int64_t>{1, 2, 3});
  CHECK(IValue(kBFloat16).to_scalar_type() == kBFloat16);
  CHECK(IValue(Device(kMeta)).to_device() == Device(kMeta));
  CHECK(IValue(std::array<bool, 2>{true, false}).to_bool_array<2>()[0]);
}

TEST_CASE("an empty optional is None, and None is an undefined tensor") {
  CHECK(IValue(std::optional<int64_t>()).is_none());
  CHECK(IValue(std::optional<int64_t>(4)).to_int() == 4);
  CHECK_FALSE(IValue().to_tensor().defined());
}

TEST_CASE("an int serves as float and Scalar, a bool as int") {
  CHECK(IValue(int64_t{3}).to_double() == 3.0);
  CHECK(IValue(true).to_int() == 1);
  CHECK(IValue(int64_t{3}).to_scalar().is_integral(false));
}

TEST_CASE("the wrong kind names both") {
  try {
    IValue(std::string_view("x")).to_int_list();
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kType);
    CHECK(std::string(e.what()) == "expected a value of type int[] but got str");
  }
}

TEST_CASE("unboxing optionals") {
  IValue none, three(int64_t{3});
  CHECK_FALSE(Unbox<std::optional<int64_t>>::get(none).has_value());
  CHECK(Unbox<std::optional<int64_t>>::get(three) == 3);
  IValue list(IntList{4, 5});
  CHECK(Unbox<std::optional<IntList>>::get(list)->size() == 2);
}

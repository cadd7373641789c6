// Shapes and strides of views against the addresses of their elements.
#include "runtime/rules/views.h"

#include <doctest/doctest.h>

#include <random>

#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/functions.h"
#include "tests/runtime/support/views.h"

namespace opweave::rule {
namespace {

using test::message_of;
using test::positions;

TEST_CASE("inferred fills in a -1") {
  CHECK(inferred("view", {2, -1}, 6) == DimVector{2, 3});
  CHECK(inferred("view", {-1}, 0) == DimVector{0});
  CHECK(inferred("view", {}, 1) == DimVector{});
  CHECK(inferred("view", {3, -1}, 0) == DimVector{3, 0});
}

TEST_CASE("inferred says what is wrong") {
  CHECK(message_of([] {
          inferred("view", {2, 3}, 5);
        }) == "view(): shape '[2, 3]' is invalid for input of size 5");
  CHECK(message_of([] {
          inferred("view", {7, -1}, 6);
        }) == "view(): shape '[7, -1]' is invalid for input of size 6");
  CHECK(message_of([] { inferred("view", {-1, -1}, 6); }) == "only one dimension can be inferred");
  CHECK(message_of([] { inferred("view", {-2, 3}, 6); }) == "invalid shape dimension -2");
  CHECK(message_of([] {
          inferred("view", {0, -1}, 0);
        }) ==
        "cannot reshape tensor of 0 elements into shape [0, -1] because the unspecified dimension "
        "size "
        "-1 can be any value and is ambiguous");
  CHECK(message_of([] {
          inferred("view", {INT64_MAX, 4}, 6);
        }).find("overflows") != std::string::npos);
}

// Rules of libraries call these with what callers gave.
TEST_CASE("lists that do not go together are refused") {
  CHECK_THROWS_AS(permuted({}, {2, 1}), Error);
  CHECK_THROWS_AS(permuted({1, 2}, {0, -1}), Error);
  CHECK_THROWS_AS(squeezed({}, {10, 5}), Error);
  CHECK_THROWS_AS(squeezed({3}, {1, 5}, {0}), Error);
  CHECK_THROWS_AS(view_strides({2, 3}, {}, {6}), Error);
  CHECK_THROWS_AS(expanded_strides({2, 3}, {1}, {4, 2, 3}), Error);
  CHECK_THROWS_AS(expanded_strides({2, 3, 1}, {3, 1, 1}, {2, 3}), Error);
}

TEST_CASE("a quotient that has no place is refused") {
  CHECK_THROWS_AS(floor_div(INT64_MIN, -1), Error);
  CHECK(mod(INT64_MIN, -1) == 0);
  CHECK(mod(-7, 3) == 2);
  CHECK(floor_div(-7, 3) == -3);
}

// Shapes of the same number of elements: small factors in a random order, merged at random.
DimVector random_shape(std::mt19937& random, const std::vector<int64_t>& factors) {
  DimVector shape{1};
  std::vector<int64_t> shuffled = factors;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  for (int64_t factor : shuffled) {
    if (random() % 2 == 0) shape.push_back(1);
    shape.back() *= factor;
    if (random() % 4 == 0) shape.push_back(1);
  }
  return shape;
}

TEST_CASE("view_strides keeps the order of the elements, or says that it cannot") {
  std::mt19937 random(11);
  const std::vector<int64_t> factors{2, 3, 2, 1, 2};
  int possible = 0;
  for (int round = 0; round < 3000; ++round) {
    const DimVector sizes = random_shape(random, factors), shape = random_shape(random, factors);
    DimVector strides = contiguous_strides(sizes);
    for (int64_t& stride : strides) stride *= random() % 5 == 0 ? 7 : random() % 6 == 0 ? 0 : 1;
    if (!has_view_strides(sizes, strides, shape)) continue;
    ++possible;
    CHECK(positions(shape, view_strides(sizes, strides, shape)) == positions(sizes, strides));
  }
  CHECK(possible > 500);
}

TEST_CASE("view_strides finds every view of a contiguous tensor") {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const DimVector sizes = random_shape(random, {2, 2, 3, 5});
    const DimVector shape = random_shape(random, {2, 2, 3, 5});
    CHECK(view_strides(sizes, contiguous_strides(sizes), shape) == contiguous_strides(shape));
  }
  CHECK_FALSE(has_view_strides({3, 2}, {1, 3}, {6}));
  CHECK(message_of([] {
          view_strides({3, 2}, {1, 3}, {6});
        }).starts_with("view size is not compatible with input tensor's size and stride"));
  CHECK(view_strides({3, 2}, {1, 3}, {3, 1, 2}) == DimVector{1, 6, 3});  // as PyTorch
}

}  // namespace
}  // namespace opweave::rule

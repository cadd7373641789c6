// Tensors lie in their storage, whoever says where: made, viewed, changed.
#include <doctest/doctest.h>

#include <limits>

#include "runtime/core/tensor/tensor.h"

namespace opweave {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// What a geometry over six floats is told; empty if it is taken.
std::string told(IntList sizes, IntList strides, int64_t offset) {
  const Tensor six = make_tensor({6}, kFloat, host_device());
  const auto text = [](auto make) -> std::string {
    try {
      make();
      return {};
    } catch (const Error& e) {
      CHECK(e.kind() == ErrorKind::kSize);
      return e.message();
    }
  };
  const std::string made = text([&] {
    make_intrusive<TensorImpl>(six.storage(), kFloat, host_device(), sizes, strides, offset);
  });
  // In each way that there is, the same.
  CHECK(text([&] { make_alias(six, sizes, strides, offset); }) == made);
  CHECK(text([&] { six.impl()->set_geometry(sizes, strides, offset); }) == made);
  if (!made.empty()) CHECK(six.sizes()[0] == 6);
  return made;
}

TEST_CASE("what lies in the storage is taken") {
  CHECK(told({6}, {1}, 0).empty());
  CHECK(told({2, 3}, {3, 1}, 0).empty());
  CHECK(told({3, 2}, {1, 3}, 0).empty());
  CHECK(told({3}, {2}, 1).empty());
  CHECK(told({}, {}, 5).empty());
  CHECK(told({1000, 6}, {0, 1}, 0).empty());
  CHECK(told({kMost}, {0}, 5).empty());
  // Strides and offsets of what has no second element, or none at all, lead nowhere.
  CHECK(told({1, 6}, {kMost, 1}, 0).empty());
  CHECK(told({3, 0}, {kMost, 1}, 77).empty());
}

TEST_CASE("what does not is refused") {
  CHECK(told({7}, {1}, 0) ==
        "sizes [7], strides [1], storage offset 0, and itemsize 4 requiring a storage size of 28 "
        "are out of bounds for storage of size 24");
  CHECK(told({6}, {1}, 1).find("requiring a storage size of 28") != std::string::npos);
  CHECK(told({3, 2}, {3, 1}, 0).find("requiring a storage size of 32") != std::string::npos);
  CHECK(told({}, {}, 6).find("requiring a storage size of 28") != std::string::npos);
  CHECK(told({2}, {kMost}, 0).find("more than 2^63") != std::string::npos);
  for (int64_t size : {kMost, int64_t{1} << 62, int64_t{1} << 61, int64_t{1} << 27})
    CHECK(told({size}, {1}, 0).find("out of bounds") != std::string::npos);
  CHECK(told({2, 2}, {kMost, kMost}, 0).find("more than 2^63") != std::string::npos);
}

TEST_CASE("what lies before it is refused") {
  CHECK(told({6}, {1}, -1) ==
        "sizes [6], strides [1], storage offset -1, of which strides and the offset may not be "
        "negative, are out of bounds for storage of size 24");
  CHECK(told({6}, {-1}, 5).find("may not be negative") != std::string::npos);
  CHECK(told({3, 2}, {2, -1}, 1).find("may not be negative") != std::string::npos);
  CHECK(told({0}, {1}, -1).find("may not be negative") != std::string::npos);
  // Where nothing would be read either, as PyTorch refuses them.
  CHECK(told({1, 6}, {-5, 1}, 0).find("may not be negative") != std::string::npos);
  CHECK(told({3, 0}, {-5, 1}, 77).find("may not be negative") != std::string::npos);
}

TEST_CASE("there are as many strides as sizes") {
  CHECK(told({6}, {}, 0) ==
        "mismatch in length of strides and shape: got 0 strides [] for the 1 sizes [6]");
  CHECK(!told({6}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0).empty());
  CHECK_THROWS_AS(make_tensor_strided({6}, {}, kFloat, host_device()), Error);
}

TEST_CASE("new memory holds what its strides say") {
  CHECK_THROWS_AS(make_tensor_strided({3}, {-1}, kFloat, host_device()), Error);
  CHECK_THROWS_AS(make_tensor_strided({3, 5}, {-1, 2}, kFloat, host_device()), Error);
  CHECK(make_tensor_strided({3, 5}, {1, 3}, kFloat, host_device()).storage()->nbytes() == 60);
}

TEST_CASE("memory that is smaller than a dtype needs") {
  const Tensor six = make_tensor({6}, kFloat, host_device());
  CHECK_THROWS_AS(make_intrusive<TensorImpl>(six.storage(), kDouble, host_device(), IntList{6}),
                  Error);
  CHECK_NOTHROW(make_intrusive<TensorImpl>(six.storage(), kDouble, host_device(), IntList{3}));
}

TEST_CASE("what was in a storage before it was made smaller can still be viewed") {
  const Tensor six = make_tensor({2, 3}, kFloat, host_device());
  six.storage()->resize(0);
  CHECK(make_alias(six, {3, 2}, {1, 3}, 0).numel() == 6);
  CHECK(make_alias(six, {3}, {1}, 3).numel() == 3);
  CHECK_THROWS_AS(make_alias(six, {7}, {1}, 0), Error);
  CHECK_NOTHROW(six.impl()->set_geometry({3, 2}, {1, 3}, 0));
}

TEST_CASE("tensors without data know how large their storage would be") {
  const Tensor six = make_tensor({6}, kFloat, Device(kMeta));
  CHECK_NOTHROW(make_alias(six, {3}, {2}, 1));
  CHECK_THROWS_AS(make_alias(six, {100}, {1}, 0), Error);
}

}  // namespace
}  // namespace opweave

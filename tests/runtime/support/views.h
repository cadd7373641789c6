// Where the elements of views lie, and what calls say that are refused.
#pragma once

#include <string>
#include <vector>

#include "runtime/core/base/error.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::test {

// The position in memory of every element, in row-major order.
inline std::vector<int64_t> positions(IntList sizes, IntList strides, int64_t offset = 0) {
  std::vector<int64_t> result{offset};
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> next;
    for (int64_t p : result) {
      for (int64_t i = 0; i < sizes[d]; ++i) next.push_back(p + i * strides[d]);
    }
    result = std::move(next);
  }
  return result;
}

inline std::vector<int64_t> positions(const Tensor& t) {
  return positions(t.sizes(), t.strides(), t.storage_offset());
}

std::string message_of(auto f) {
  try {
    f();
  } catch (const Error& error) {
    return error.message();
  }
  return "no error";
}

}  // namespace opweave::test

// A count that operators share: the C++ side of the type `Counter`, which ops.yaml declares.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace counting {

// Copies count together.
struct Counter {
  std::shared_ptr<std::atomic<int64_t>> count = std::make_shared<std::atomic<int64_t>>(0);
};

}  // namespace counting

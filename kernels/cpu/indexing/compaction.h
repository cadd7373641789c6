// How many elements are chosen, and how many before each part of them: what lets threads write a
// result whose length depends on data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {

// Cuts n elements into parts and counts the chosen ones of each with count(begin, end).
class Compaction {
 public:
  static constexpr int64_t kPart = 16384;

  template <class Count>
  Compaction(int64_t n, Count count) : n_(n), starts_((n + kPart - 1) / kPart + 1) {
    for_parts(
        [&](int64_t part, int64_t begin, int64_t end) { starts_[part + 1] = count(begin, end); });
    for (size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  }

  int64_t total() const { return starts_.back(); }
  // write(begin, end, chosen before begin) for each part.
  template <class Write>
  void run(Write write) const {
    for_parts([&](int64_t part, int64_t begin, int64_t end) { write(begin, end, starts_[part]); });
  }

 private:
  template <class Body>
  void for_parts(Body body) const {
    parallel_for(0, static_cast<int64_t>(starts_.size()) - 1, 2, [&](int64_t first, int64_t past) {
      for (int64_t part = first; part < past; ++part) {
        body(part, part * kPart, std::min(n_, (part + 1) * kPart));
      }
    });
  }

  int64_t n_;
  std::vector<int64_t> starts_;
};

}  // namespace opweave::cpu

// parallel_for: every index once, whatever OpenMP gives, and errors and thread state cross over.
#include "runtime/core/threads/parallel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "runtime/core/base/error.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {
namespace {

// How many threads work at [0, n); checks that every index is visited once.
size_t cover(int64_t n, int64_t grain) {
  const std::unique_ptr<std::atomic<int>[]> visits(new std::atomic<int>[static_cast<size_t>(n)]());
  std::atomic<int> ranges{0};
  parallel_for(100, 100 + n, grain, [&](int64_t begin, int64_t end) {
    ++ranges;
    for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i - 100)];
  });
  int64_t once = 0;
  for (int64_t i = 0; i < n; ++i) once += visits[static_cast<size_t>(i)] == 1;
  CHECK(once == n);
  return static_cast<size_t>(ranges);
}

// BUILD sets OMP_THREAD_LIMIT=3, so that OpenMP cannot give what the last of these ask for.
TEST_CASE("every index once, with any number of threads") {
  for (int threads : {1, 2, 3, 4, 16}) {
    CAPTURE(threads);
    set_num_threads(threads);
    CHECK(num_threads() == threads);
    for (int64_t n : {0, 1, 2, 3, 7, 1000}) {
      for (int64_t grain : {0, 1, 10, 999, 1000, 5000}) {
        CAPTURE(n);
        CAPTURE(grain);
        const size_t ranges = cover(n, grain);
        CHECK(ranges <= static_cast<size_t>(std::min(threads, 3)));
        if (n <= grain) CHECK(ranges == (n > 0 ? 1 : 0));
      }
    }
  }
}

TEST_CASE("a parallel_for inside another is one range") {
  set_num_threads(2);
  std::atomic<int> outer{0}, inner{0};
  parallel_for(0, 2, 1, [&](int64_t, int64_t) {
    CHECK(in_parallel_region());
    ++outer;
    parallel_for(0, 1000, 1, [&](int64_t begin, int64_t end) {
      ++inner;
      CHECK(end - begin == 1000);
    });
  });
  CHECK_FALSE(in_parallel_region());
  CHECK(outer == 2);
  CHECK(inner == 2);
}

TEST_CASE("an error of any range reaches the caller") {
  set_num_threads(3);
  for (int64_t bad : {0, 50, 99}) {
    CHECK_THROWS_WITH(parallel_for(0, 100, 1,
                                   [&](int64_t begin, int64_t end) {
                                     OW_CHECK(bad < begin || bad >= end, "bad index ", bad);
                                   }),
                      ("bad index " + std::to_string(bad)).c_str());
  }
}

TEST_CASE("other threads are in the caller's state, and leave it") {
  set_num_threads(3);
  std::atomic<int> enabled{0}, disabled{0};
  const auto count = [&](int64_t, int64_t) { ++(grad_enabled() ? enabled : disabled); };
  {
    NoGradGuard no_grad;
    parallel_for(0, 3, 1, count);
  }
  CHECK(disabled == 3);
  parallel_for(0, 3, 1, count);
  CHECK(enabled == 3);
}

TEST_CASE("no threads at all are refused") {
  CHECK_THROWS_WITH(set_num_threads(0), "set_num_threads expects a positive integer, got 0");
}

}  // namespace
}  // namespace opweave

// parallel_for over the one thread pool of the library (OpenMP's, shared with oneDNN).
#pragma once

#include <cstdint>

#include "runtime/core/base/function_ref.h"

namespace opweave {

int num_threads();
// ValueError unless n >= 1.
void set_num_threads(int n);
bool in_parallel_region();
// Whoever uses the pool in another way than by parallel_for (oneDNN) says so. The threads of a pool
// do not go along when the process forks: where there is one, the child computes on one thread.
void note_pool();

// Elements below which an elementwise loop is not worth a second thread.
inline constexpr int64_t kGrainSize = 32768;

// Calls body(begin, end) on disjoint ranges that cover [begin, end), each of at least `grain`
// elements except the last, on up to num_threads() threads. An exception of any range is rethrown
// here.
void parallel_for(int64_t begin, int64_t end, int64_t grain,
                  function_ref<void(int64_t, int64_t)> body);

}  // namespace opweave

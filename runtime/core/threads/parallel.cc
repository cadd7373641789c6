// parallel_for through OpenMP.
#include "runtime/core/threads/parallel.h"

#include <omp.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <exception>

#include "runtime/core/base/error.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {
namespace {
constinit std::atomic<int> wanted_threads{0};  // 0: OpenMP's default
constinit std::atomic<bool> has_pool{false};

// In a child whose pool stayed with the parent: a region that asks for it would wait for ever.
void compute_alone() {
  wanted_threads.store(1, std::memory_order_relaxed);
  omp_set_num_threads(1);        // what oneDNN plans for
  omp_set_max_active_levels(0);  // whatever was planned before
}

}  // namespace

void note_pool() {
  if (has_pool.load(std::memory_order_relaxed)) [[likely]]
    return;
  if (!has_pool.exchange(true)) pthread_atfork(nullptr, nullptr, &compute_alone);
}

int num_threads() {
  const int n = wanted_threads.load(std::memory_order_relaxed);
  return n > 0 ? n : omp_get_max_threads();
}

void set_num_threads(int n) {
  OW_CHECK(n >= 1, "set_num_threads expects a positive integer, got ", n);
  wanted_threads.store(n, std::memory_order_relaxed);
  omp_set_num_threads(n);
}

bool in_parallel_region() { return omp_in_parallel(); }

[[gnu::hot]] void parallel_for(int64_t begin, int64_t end, int64_t grain,
                               function_ref<void(int64_t, int64_t)> body) {
  const int64_t n = end - begin;
  if (n <= 0) return;
  const int64_t pieces = grain > 0 ? (n + grain - 1) / grain : n;
  const int64_t threads = std::min<int64_t>(num_threads(), pieces);
  if (threads <= 1 || in_parallel_region()) {
    body(begin, end);
    return;
  }
  note_pool();
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  const ThreadState caller = thread_state();
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    // OpenMP may give fewer threads than it is asked for.
    const int64_t id = omp_get_thread_num(), team = omp_get_num_threads();
    const int64_t each = (n + team - 1) / team;
    const int64_t from = begin + id * each, to = std::min(end, from + each);
    ThreadStateGuard state(caller);
    try {
      if (from < to) body(from, to);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace opweave

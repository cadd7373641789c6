// Loops on the threads that XLA has for a call.
#include <algorithm>

#include "opweave/ffi.h"

namespace opweave {
namespace {

// What threads share that work on one loop; the last one that lets go of it frees it.
struct Work {
  const std::function<void(int64_t, int64_t)>* body;
  int64_t begin, end, step;
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  int64_t pieces, done = 0;
  std::exception_ptr error;

  // Until there are no pieces left. A thread that comes late finds none, and touches nothing else.
  void run() {
    for (int64_t i = next++; i < pieces; i = next++) {
      std::exception_ptr thrown;
      try {
        const int64_t from = begin + i * step;
        if (from < end) (*body)(from, std::min(end, from + step));
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (thrown) error = thrown;
      if (++done == pieces) finished.notify_all();
    }
  }
};

}  // namespace

void run_parallel(int64_t begin, int64_t end, int64_t grain,
                  const std::function<void(int64_t, int64_t)>& body) {
  const int64_t threads = current_threads == nullptr ? 1 : current_threads->num_threads();
  const int64_t pieces = std::min<int64_t>(threads, (end - begin) / std::max<int64_t>(grain, 1));
  if (pieces <= 1) return body(begin, end);
  const auto work = std::make_shared<Work>();
  work->body = &body;
  work->begin = begin;
  work->end = end;
  work->pieces = pieces;
  work->step = (end - begin + pieces - 1) / pieces;
  for (int64_t i = 1; i < pieces; ++i) current_threads->Schedule([work] { work->run(); });
  work->run();
  std::unique_lock lock(work->mutex);
  work->finished.wait(lock, [&] { return work->done == work->pieces; });
  if (work->error) std::rethrow_exception(work->error);
}

}  // namespace opweave

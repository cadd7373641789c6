// Running a task on this thread, or on a new one when calls are nested too deeply.
#include "runtime/autograd/engine.h"

#include <string_view>
#include <system_error>
#include <thread>

#include "runtime/core/base/error.h"

namespace opweave {
namespace {

// More nested calls are taken for a recursion without end.
constexpr int kMaxNested = 10'000;

constinit thread_local int nested_on_thread = 0;

class Nesting {
 public:
  Nesting() { ++nested_on_thread; }
  ~Nesting() { --nested_on_thread; }
  Nesting(const Nesting&) = delete;
};

[[noreturn]] void fail_nested(int depth, std::string_view more) {
  OW_THROW(ErrorKind::kRuntime, "backward(): ", depth, " calls run inside one another", more,
           ". A Function or a hook that computes gradients of what it is part of never ends");
}

template <class Body>
std::thread start_thread(const GraphTask& task, Body&& body) {
  try {
    return std::thread(std::forward<Body>(body));
  } catch (const std::system_error&) {
    fail_nested(task.depth(), ", and the system gives no thread for one more");
  }
}

// The new thread stands in for this one, which waits: it serves the same device.
std::vector<Tensor> run_on_new_thread(GraphTask& task, std::vector<Tensor> grads) {
  std::vector<Tensor> results;
  std::exception_ptr error;
  const DeviceThread device_thread = this_device_thread();
  start_thread(task, [&] {
    this_device_thread() = device_thread;
    try {
      Nesting nesting;
      results = task.run(std::move(grads));
    } catch (...) {
      error = std::current_exception();
    }
  }).join();
  if (error) std::rethrow_exception(error);
  return results;
}

}  // namespace

std::vector<Tensor> run_backward(std::vector<Edge> roots, std::vector<Tensor> grads,
                                 std::span<const Edge> inputs, const BackwardOptions& options) {
  OW_INTERNAL_ASSERT(roots.size() == grads.size());
  const auto task = make_intrusive<GraphTask>(std::move(roots), inputs, options);
  if (task->depth() > kMaxNested) fail_nested(kMaxNested, "");
  if (nested_on_thread >= kMaxNestedOnThread) return run_on_new_thread(*task, std::move(grads));
  Nesting nesting;
  return task->run(std::move(grads));
}

}  // namespace opweave

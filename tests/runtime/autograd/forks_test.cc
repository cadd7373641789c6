// A process that is forked while other threads are in a backward pass goes through one of its own.
#include "tests/runtime/support/forks.h"

#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "runtime/autograd/autograd_meta.h"
#include "runtime/autograd/ready_queue.h"
#include "runtime/dispatch/observer.h"
#include "runtime/dispatch/registry.h"
#include "runtime/target/target.h"
#include "tests/kernels/target/heap_device.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

TEST_CASE("leaves to which threads add gradients") {
  register_operators();
  const Tensor x = tensor({1, 2}, true);
  CHECK(can_always([&] { backward({sum(mul(x, x))}); }, 30));
}

TEST_CASE("accumulators and what autograd keeps") {
  const Tensor x = scalar(2, true);
  CHECK(can_always([&] { grad_accumulator(x); }, 10));  // may wait for a second each
  CHECK(can_always([] { autograd_meta(scalar(1)); }));
}

TEST_CASE("a lock of a few instructions that nobody will give back") {
  SpinLock lock;
  lock.lock();
  CHECK(status_of_child([&] {
          lock.lock();
          lock.unlock();
        }) == 0);
  lock.unlock();
}

TEST_CASE("the table of operators") {
  CHECK(can_always([] { find_operator("add.Tensor"); }));
  CHECK(can_always([] { find_overloads("add"); }));
}

TEST_CASE("observers of all threads") {
  struct Nobody final : CallObserver {
    void begin(const ObservedCall&) override {}
    void end(const ObservedCall&) noexcept override {}
  };
  CHECK(can_always([] {
    const auto observer = std::make_shared<Nobody>();
    add_global_observer(observer);
    remove_global_observer(*observer);
  }));
}

// The thread that serves the queue is the parent's.
TEST_CASE("queues of devices") {
  register_target(heap::target());
  const Device device(heap::target().type(), 0);
  const auto of_parent = device_queue(device);
  CHECK(device_queue(device) == of_parent);
  CHECK(status_of_child([&] { _exit(device_queue(device) != of_parent ? 0 : 1); }) == 0);
}

}  // namespace
}  // namespace opweave::test

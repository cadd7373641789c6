// Order within streams and between them, events, the current stream.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "runtime/target/event.h"
#include "tests/runtime/target/support.h"

namespace opweave::test {
namespace {

TEST_CASE("the work of a stream runs in order, behind the caller's back") {
  const Stream stream = Stream::make(heap(0));
  std::vector<int> order;
  delay(stream);
  for (int i = 0; i < 10; ++i) {
    heap::enqueue(stream, [&order, i] { order.push_back(i); });
  }
  CHECK_FALSE(stream.query());
  stream.synchronize();
  CHECK(stream.query());
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("a stream waits for an event of another one, also on another device") {
  const Stream producer = Stream::make(heap(0)), consumer = Stream::make(heap(1));
  for (int i = 0; i < 20; ++i) {
    int value = 0, seen = 0;
    delay(producer, 1);
    heap::enqueue(producer, [&] { value = 1; });
    Event ready(producer.device());
    ready.record(producer);
    consumer.wait(ready);
    heap::enqueue(consumer, [&] { seen = value; });
    producer.wait(consumer);  // before the next round writes
    consumer.synchronize();
    CHECK(seen == 1);
  }
}

TEST_CASE("an event that is recorded again is at its new place") {
  const Stream stream = Stream::make(heap(0));
  Event event(heap(0));
  CHECK(event.query());  // not recorded: nothing to wait for
  event.synchronize();
  event.record(stream);
  event.synchronize();
  delay(stream);
  event.record(stream);
  CHECK_FALSE(event.query());
  event.synchronize();
  CHECK(event.query());
}

TEST_CASE("the time between events") {
  const Stream stream = Stream::make(heap(0));
  Event before(heap(0), {.timing = true}), after(heap(0), {.timing = true});
  before.record(stream);
  delay(stream, 20);
  after.record(stream);
  CHECK(message([&] { static_cast<void>(before.elapsed_time(after)); }) ==
        "Both events must be completed before calculating elapsed time.");
  after.synchronize();
  CHECK(before.elapsed_time(after) >= 20);
}

TEST_CASE("what events refuse") {
  Event event(heap(0));
  CHECK(message([&] { event.record(current_stream(Device(kCPU))); }) ==
        "Event device type HEAP_TARGET does not match recording stream's device type CPU.");
  CHECK(message([&] { event.record(current_stream(heap(1))); }) ==
        "Event device index 0 does not match recording stream's device index 1.");
  const Event timed(heap(0), {.timing = true});
  CHECK(message([&] { static_cast<void>(event.elapsed_time(timed)); }) ==
        "Both events must be created with argument 'enable_timing=True'.");
  CHECK(message([&] { static_cast<void>(timed.elapsed_time(timed)); }) ==
        "Both events must be recorded before calculating elapsed time.");
  CHECK(message([&] { static_cast<void>(timed.elapsed_time(Event(Device(kCPU)))); }) ==
        "Event device type HEAP_TARGET does not match other's device type CPU.");
}

TEST_CASE("an event of one target holds up a stream of another by way of the host") {
  const Stream stream = Stream::make(heap(0));
  int value = 0;
  delay(stream);
  heap::enqueue(stream, [&] { value = 1; });
  Event event(heap(0));
  event.record(stream);
  current_stream(Device(kCPU)).wait(event);
  CHECK(value == 1);
}

TEST_CASE("the current stream is the thread's own, for each device") {
  const Device device = heap(0);
  const Stream usual = current_stream(device), other = Stream::make(device);
  CHECK(usual.id() == kDefaultStream);
  CHECK(other != usual);
  {
    const StreamGuard guard(other);
    CHECK(current_stream(device) == other);
    CHECK(current_stream(heap(1)).id() == kDefaultStream);
    std::thread([&] { CHECK(current_stream(device) == usual); }).join();
    {
      const StreamGuard inner(Stream::make(heap(2)));
      CHECK(heap::target().current() == 2);
      CHECK(current_stream(device) == other);
    }
    CHECK(heap::target().current() == 0);
  }
  CHECK(current_stream(device) == usual);
  CHECK(current_streams().count == 0);
  CHECK(streams_in_use());
}

TEST_CASE("a device is synchronized with all its streams") {
  int done = 0;
  const Stream a = Stream::make(heap(0));
  delay(a);
  heap::enqueue(a, [&] { done = 1; });
  heap::target().synchronize(0);
  CHECK(done == 1);
}

}  // namespace
}  // namespace opweave::test

// Registration, devices and their names, generators, threads of devices.
#include <doctest/doctest.h>

#include <thread>

#include "runtime/core/random/generator.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/target/event.h"
#include "tests/runtime/target/support.h"

namespace opweave::test {
namespace {

TEST_CASE("targets are found by name and type, in order of registration") {
  Target& target = heap::target();
  heap(0);
  CHECK(find_target("heap_target") == &target);
  CHECK(find_target(target.type()) == &target);
  CHECK(find_target("nobody") == nullptr);
  CHECK(find_target("cpu")->name() == "cpu");
  CHECK(all_targets().size() == 3);
  CHECK(current_accelerator() == &target);
  register_target(target);  // the same again
  CHECK(all_targets().size() == 3);
}

class Impostor final : public Target {
 public:
  Impostor() : Target("cpu", Kind::kHost, devices_of(kCPU).allocator()) {}
};

TEST_CASE("a second target of a name is an error") {
  Impostor impostor;
  CHECK(message([&] { register_target(impostor); }) == "the target 'cpu' is registered already");
}

TEST_CASE("a device has one name") {
  heap(0);
  const DeviceType type = heap::target().type();
  CHECK(resolve_device(Device(type)) == heap(0));
  {
    const DeviceGuard guard(heap(2));
    CHECK(resolve_device(Device(type)) == heap(2));
    CHECK(make_tensor({2}, kFloat, Device(type)).device() == heap(2));
    CHECK(make_tensor({2}, kFloat, Device(type)).storage()->device() == heap(2));
  }
  CHECK(heap::target().current() == 0);
  CHECK(resolve_device(Device(kCPU, 0)) == Device(kCPU));
  CHECK(resolve_device(Device(kMeta, 3)) == Device(kMeta));
  CHECK(make_tensor({2}, kFloat, Device(kCPU, 0)).device() == Device(kCPU));
}

TEST_CASE("devices that are not there are refused") {
  CHECK(message([] { make_tensor({2}, kFloat, heap(4)); }) ==
        "there is no device heap_target:4: the target has 4");
  const Device unknown(register_device_type("nothing"), 0);
  CHECK(message([&] { make_tensor({2}, kFloat, unknown); }) ==
        "device type 'nothing' has no devices: its target is not loaded");
  CHECK(message([] { target_of(kCPU).set_current(1); }) ==
        "the target 'cpu' has one device, so that 1 cannot be the current one");
}

TEST_CASE("the current device is the thread's own") {
  const DeviceGuard guard(heap(3));
  int elsewhere = -1;
  std::thread([&] {
    heap::target().start_thread(1);
    elsewhere = heap::target().current();
  }).join();
  CHECK(elsewhere == 1);
  CHECK(heap::target().current() == 3);
  CHECK(heap::target().exchange(2) == 3);
  CHECK(heap::target().exchange(3) == 2);
}

TEST_CASE("every device has a generator, and one seed sets them all") {
  manual_seed(7);
  const Generator& first = default_generator(heap(0));
  CHECK(first->device() == heap(0));
  CHECK(first != default_generator(heap(1)));
  CHECK(first == default_generator(Device(heap::target().type())));
  CHECK(first->initial_seed() == 7);
  manual_seed(8);
  CHECK(first->initial_seed() == 8);
  CHECK(default_generator(heap(3))->initial_seed() == 8);
  CHECK(default_generator()->initial_seed() == 8);
}

TEST_CASE("the CPU is a target whose streams have no queue") {
  const Stream stream = Stream::make(Device(kCPU));
  CHECK(stream == current_stream(Device(kCPU)));
  CHECK(stream.query());
  Event before(Device(kCPU), {.timing = true}), after(Device(kCPU), {.timing = true});
  before.record();
  after.record(stream);
  stream.wait(after);
  CHECK(before.elapsed_time(after) >= 0);
  CHECK(message([&] { stream.native_handle(); }) ==
        "Backend doesn't support getting stream native handle.");
  CHECK(target_of(kCPU).properties(0).total_memory > 0);
}

}  // namespace
}  // namespace opweave::test

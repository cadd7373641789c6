// Copies between the host, devices and streams; pinned memory.
#include "runtime/target/copy.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/runtime/target/support.h"

namespace opweave::test {
namespace {

Tensor numbers(Device device, float first) {
  Tensor t = make_tensor({4}, kFloat, device);
  float* p = static_cast<float*>(t.raw_data());
  const auto write = [p, first] {
    for (int i = 0; i < 4; ++i) p[i] = first + static_cast<float>(i);
  };
  is_host(device) ? write() : heap::enqueue(current_stream(t.device()), write);
  return t;
}

void copy(const Tensor& to, const Tensor& from, bool non_blocking = false) {
  copy_bytes({to.raw_data(), to.device(), from.raw_data(), from.device(), to.nbytes()},
             non_blocking);
}

std::vector<float> values(const Tensor& t) {
  const Tensor on_host = make_tensor(t.sizes(), kFloat, kCPU);
  copy(on_host, t);
  const auto* p = static_cast<const float*>(on_host.raw_data());
  return {p, p + 4};
}

const std::vector<float> kExpected{5, 6, 7, 8};

TEST_CASE("to a device and back, behind the work that is there") {
  const Device device = heap(0);
  const Tensor there = make_tensor({4}, kFloat, device);
  delay(current_stream(device));
  copy(there, numbers(Device(kCPU), 5));
  CHECK(values(there) == kExpected);
  CHECK(values(numbers(Device(kCPU), 5)) == kExpected);
}

TEST_CASE("between two devices, in order with the streams of both") {
  const Tensor to = numbers(heap(1), 0);
  delay(current_stream(heap(0)));
  const Tensor from = numbers(heap(0), 5);
  copy(to, from);
  // The source may be overwritten, and the destination read.
  heap::enqueue(current_stream(heap(0)), [p = static_cast<float*>(from.raw_data())] { *p = 0; });
  CHECK(values(to) == kExpected);
  current_stream(heap(0)).synchronize();
}

TEST_CASE("what the host gave may be reused, unless it is pinned and the caller does not wait") {
  const Device device = heap(0);
  const Tensor there = make_tensor({4}, kFloat, device), host = numbers(Device(kCPU), 5);
  delay(current_stream(device));
  copy(there, host, /*non_blocking=*/true);  // not pinned: waits
  *static_cast<float*>(host.raw_data()) = 0;
  CHECK(current_stream(device).query());
  CHECK(values(there) == kExpected);
}

TEST_CASE("copies of pinned memory return at once, and the memory outlives them") {
  const Device device = heap(0);
  const Tensor there = make_tensor({4}, kFloat, device);
  void* first = nullptr;
  {
    const Storage pinned = allocate_pinned(16);
    first = pinned->data();
    const Tensor host(make_intrusive<TensorImpl>(pinned, kFloat, Device(kCPU), IntList{4}));
    CHECK(is_pinned(host));
    for (int i = 0; i < 4; ++i) static_cast<float*>(first)[i] = 5 + static_cast<float>(i);
    delay(current_stream(device));
    copy(there, host, /*non_blocking=*/true);
    CHECK_FALSE(current_stream(device).query());
  }
  const Storage next = allocate_pinned(16);
  CHECK(next->data() != first);
  *static_cast<float*>(next->data()) = 0;
  CHECK(values(there) == kExpected);
  CHECK(allocate_pinned(16)->data() == first);
  CHECK_FALSE(is_pinned(numbers(Device(kCPU), 0)));
  CHECK_FALSE(is_pinned(there));
}

class OtherTarget final : public Target {
 public:
  explicit OtherTarget(Allocator& memory) : Target("other", Kind::kAccelerator, memory) {}
};

TEST_CASE("between targets that do not know each other, through the host") {
  static auto* other = new OtherTarget(devices_of(kCPU).allocator());
  register_target(*other);
  const Device there(other->type(), 0);
  const Tensor to = make_tensor({4}, kFloat, there);
  CHECK(to.device() == there);
  delay(current_stream(heap(0)));
  copy(to, numbers(heap(0), 5));
  CHECK(values(to) == kExpected);
}

}  // namespace
}  // namespace opweave::test

// The caching allocator: blocks by stream, streams that were recorded, statistics, no memory.
#include "runtime/target/caching_allocator.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "runtime/core/tensor/tensor.h"
#include "runtime/target/copy.h"
#include "tests/runtime/target/support.h"

namespace opweave::test {
namespace {

void* data_of_new_tensor(Device device) { return make_tensor({100}, kFloat, device).raw_data(); }

TEST_CASE("a freed block is the next one of its stream, and of no other") {
  const Device device = heap(0);
  void* first = data_of_new_tensor(device);
  CHECK(data_of_new_tensor(device) == first);
  {
    const StreamGuard guard(Stream::make(device));
    CHECK(data_of_new_tensor(device) != first);
  }
  CHECK(data_of_new_tensor(heap(1)) != first);
  CHECK(data_of_new_tensor(device) == first);
}

// Without the reuse the second writer comes behind the reader, because one stream runs in order.
TEST_CASE("work that still uses a freed block comes before that of its next owner") {
  const Device device = heap(0);
  const Stream stream = current_stream(device);
  float seen = 0;
  void* first = nullptr;
  {
    const Tensor t = make_tensor({100}, kFloat, device);
    first = t.raw_data();
    heap::enqueue(stream, [p = static_cast<float*>(first)] { *p = 1; });
    delay(stream);
    heap::enqueue(stream, [p = static_cast<float*>(first), &seen] { seen = *p; });
  }
  const Tensor next = make_tensor({100}, kFloat, device);
  CHECK(next.raw_data() == first);
  heap::enqueue(stream, [p = static_cast<float*>(first)] { *p = 2; });
  stream.synchronize();
  CHECK(seen == 1);
}

TEST_CASE("a block that another stream uses waits for it") {
  const Device device = heap(0);
  const Stream other = Stream::make(device);
  float seen = 0;
  void* first = nullptr;
  {
    const Tensor t = make_tensor({100}, kFloat, device);
    first = t.raw_data();
    heap::enqueue(current_stream(device), [p = static_cast<float*>(first)] { *p = 1; });
    other.wait(current_stream(device));
    delay(other);
    heap::enqueue(other, [p = static_cast<float*>(first), &seen] { seen = *p; });
    record_stream(t, other);
    record_stream(t, other);  // once is enough
  }
  const Tensor next = make_tensor({100}, kFloat, device);
  CHECK(next.raw_data() != first);
  heap::enqueue(current_stream(device), [p = static_cast<float*>(next.raw_data())] { *p = 2; });
  other.synchronize();
  CHECK(seen == 1);
  CHECK(data_of_new_tensor(device) == first);  // the stream is done with it
  current_stream(device).synchronize();
}

TEST_CASE("views record their storage, and the CPU needs no record") {
  const Device device = heap(0);
  const Stream other = Stream::make(device);
  void* first = nullptr;
  {
    const Tensor t = make_tensor({100}, kFloat, device);
    first = t.raw_data();
    delay(other);
    record_stream(make_alias(t, {2}, {1}, 50), other);
  }
  CHECK(data_of_new_tensor(device) != first);
  record_stream(make_tensor({2}, kFloat, kCPU), current_stream(Device(kCPU)));
  CHECK(message([&] { record_stream(make_tensor({2}, kFloat, kCPU), other); }) ==
        "record_stream(): a tensor on cpu is not used by a stream of heap_target:0");
  other.synchronize();
}

TEST_CASE("a storage that grows keeps what it holds, in order with the work of its stream") {
  const Device device = heap(1);
  const DeviceGuard guard(device);
  const Stream stream = current_stream(device);
  Tensor t = make_tensor({4}, kFloat, device);
  delay(stream);
  heap::enqueue(stream, [p = static_cast<float*>(t.raw_data())] {
    for (int i = 0; i < 4; ++i) p[i] = static_cast<float>(i);
  });
  resize_tensor(t, {1000});
  stream.synchronize();
  for (int i = 0; i < 4; ++i) CHECK(static_cast<float*>(t.raw_data())[i] == static_cast<float>(i));
}

TEST_CASE("statistics of each device") {
  Allocator& allocator = devices_of(heap(3).type).allocator();
  const AllocatorStats before = allocator.stats(heap(3)), others = allocator.stats(heap(2));
  {
    const Tensor t = make_tensor({1 << 20}, kFloat, heap(3));
    const AllocatorStats during = allocator.stats(heap(3));
    CHECK(during.allocated_bytes - before.allocated_bytes == 4 << 20);
    CHECK(during.allocations == before.allocations + 1);
    CHECK(during.system_allocations == before.system_allocations + 1);
  }
  CHECK(allocator.stats(heap(3)).allocated_bytes == before.allocated_bytes);
  CHECK(allocator.stats(heap(3)).peak_allocated_bytes >= 4 << 20);
  CHECK(allocator.stats(heap(2)).allocations == others.allocations);
  allocator.reset_peak_stats(heap(3));
  CHECK(allocator.stats(heap(3)).peak_allocated_bytes == before.allocated_bytes);
  allocator.empty_cache();
  CHECK(allocator.stats(heap(3)).reserved_bytes == before.allocated_bytes);
}

// One block at a time.
class SmallMemory final : public CachingAllocator {
 public:
  int handed_out = 0;

 protected:
  void* system_allocate(size_t nbytes, Device) override {
    return handed_out > 0 ? nullptr : (++handed_out, std::aligned_alloc(64, nbytes));
  }
  void system_free(void* data, size_t, Device) noexcept override {
    --handed_out;
    std::free(data);
  }
};

TEST_CASE("where memory runs out, what is cached is given back first") {
  SmallMemory memory;
  void* p = memory.allocate(1000, heap(0));
  const Stream other = Stream::make(heap(0));
  delay(other);
  Event delayed(heap(0));
  delayed.record(other);
  memory.record_stream(p, heap(0), other.id());
  memory.deallocate(p, 1000, heap(0));
  p = memory.allocate(1 << 20, heap(0));  // waits for the other stream
  CHECK(delayed.query());
  CHECK(message([&] { memory.allocate(8, heap(0)); }) ==
        "heap_target:0 is out of memory: tried to allocate 8 bytes, with 2097152 allocated "
        "already");
  memory.deallocate(p, 1 << 20, heap(0));
  memory.empty_cache();
  CHECK(memory.handed_out == 0);
}

}  // namespace
}  // namespace opweave::test

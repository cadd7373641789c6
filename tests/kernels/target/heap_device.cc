// Devices, streams, events and memory of the heap target.
#include "tests/kernels/target/heap_device.h"

#include <array>
#include <cstdlib>
#include <cstring>

#include "runtime/core/base/error.h"
#include "runtime/target/caching_allocator.h"
#include "tests/kernels/target/heap_stream.h"

namespace opweave::heap {
namespace {

constexpr int kStreams = 8;  // of a device, the default one included

// Made when they are first used.
WorkQueue& queue(int index, StreamId stream) {
  static std::mutex mutex;
  static auto& queues = *new std::array<std::array<WorkQueue*, kStreams>, kDevices>{};
  std::lock_guard lock(mutex);
  WorkQueue*& made = queues.at(static_cast<size_t>(index)).at(static_cast<size_t>(stream));
  if (made == nullptr) made = new WorkQueue;
  return *made;
}

class HeapMemory : public CachingAllocator {
 protected:
  void* system_allocate(size_t nbytes, Device) override {
    return std::aligned_alloc(64, (nbytes + 63) / 64 * 64);
  }
  void system_free(void* data, size_t, Device) noexcept override { std::free(data); }
};

class HeapEvent final : public EventState {
 public:
  void record(int index, StreamId stream) override {
    point_ = std::make_shared<Point>();
    queue(index, stream).push([point = point_] { point->reach(); });
  }
  void block(int index, StreamId stream) override {
    queue(index, stream).push([point = point_] { point->wait(); });
  }
  bool happened() override { return point_->reached(); }
  void synchronize() override { point_->wait(); }
  double milliseconds_to(EventState& end) override {
    const auto took = static_cast<HeapEvent&>(end).point_->when() - point_->when();
    return std::chrono::duration<double, std::milli>(took).count();
  }

 private:
  std::shared_ptr<Point> point_;
};

class HeapTarget final : public Target {
 public:
  explicit HeapTarget(HeapMemory& memory, HeapMemory& pinned)
      : Target("heap_target", Kind::kAccelerator, memory), pinned_(pinned) {}

  int count() override { return kDevices; }
  int current() override { return current_; }
  void set_current(int index) override {
    OW_CHECK(index >= 0 && index < kDevices, "there is no device ", name(), ":", index);
    current_ = index;
  }
  DeviceProperties properties(int) override {
    return {.name = "a heap", .total_memory = size_t{1} << 30, .free_memory = size_t{1} << 29};
  }
  void synchronize(int index) override {
    for (StreamId stream = 0; stream < kStreams; ++stream) queue(index, stream).wait();
  }

  StreamId new_stream(int index, int priority) override {
    if (priority < 0) ++urgent_;
    const int made = made_[static_cast<size_t>(index)].fetch_add(1);
    return 1 + made % (kStreams - 1);
  }
  bool query_stream(int index, StreamId stream) override { return queue(index, stream).idle(); }
  void synchronize_stream(int index, StreamId stream) override { queue(index, stream).wait(); }
  // Who has it pushes functions: see heap_stream.h.
  void* native_handle(int index, StreamId stream) override { return &queue(index, stream); }
  bool is_capturing(int, StreamId) override { return captures_; }
  std::unique_ptr<EventState> new_event(const EventOptions&) override {
    return std::make_unique<HeapEvent>();
  }

  // On the stream of whichever of the two devices is the target's.
  void copy(const CopyRequest& request, StreamId stream) override {
    const Device device = is_host(request.from_device) ? request.to_device : request.from_device;
    queue(device.index, stream).push([request] {
      std::memcpy(request.to, request.from, request.nbytes);
    });
  }
  int urgent_streams() const { return urgent_; }
  void set_capturing(bool captures) { captures_ = captures; }
  Allocator* pinned_allocator() override { return &pinned_; }
  bool is_pinned(const void* data) override { return pinned_.owns(data); }

 private:
  static thread_local int current_;
  std::atomic<bool> captures_{false};
  std::atomic<int> urgent_{0};
  HeapMemory& pinned_;
  std::array<std::atomic<int>, kDevices> made_{};
};

thread_local int HeapTarget::current_ = 0;

HeapTarget& heap_target() {
  static auto* target = new HeapTarget(*new HeapMemory, *new HeapMemory);
  return *target;
}

}  // namespace

Target& target() { return heap_target(); }
void set_capturing(bool captures) { heap_target().set_capturing(captures); }
int urgent_streams() { return heap_target().urgent_streams(); }

void enqueue(const Stream& stream, std::function<void()> work) {
  queue(stream.device().index, stream.id()).push(std::move(work));
}

}  // namespace opweave::heap

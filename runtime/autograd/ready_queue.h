// Nodes that have all their gradients, in the order in which they should run; and the threads that
// run those of accelerators.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/core/base/ref_counted.h"
#include "runtime/core/devices/device.h"

namespace opweave {

class GraphTask;

// Of one task: what was recorded last comes first.
class ReadyHeap {
 public:
  void push(uint64_t sequence_nr, uint32_t state) {
    items_.push_back({sequence_nr, state});
    std::push_heap(items_.begin(), items_.end());
  }
  uint32_t pop() {
    std::pop_heap(items_.begin(), items_.end());
    const uint32_t state = items_.back().state;
    items_.pop_back();
    return state;
  }
  bool empty() const { return items_.empty(); }

 private:
  struct Item {
    uint64_t sequence_nr;
    uint32_t state;
    friend bool operator<(const Item& a, const Item& b) {
      return a.sequence_nr != b.sequence_nr ? a.sequence_nr < b.sequence_nr : a.state > b.state;
    }
  };
  std::vector<Item> items_;
};

// Of one thread, for nodes of any task. Inner tasks come first: an outer one waits for them.
class ReadyQueue {
 public:
  struct Item {
    intrusive_ptr<GraphTask> task;
    int depth;
    uint64_t sequence_nr;
    uint32_t state;
    friend bool operator<(const Item& a, const Item& b) {
      return a.depth != b.depth ? a.depth < b.depth : a.sequence_nr < b.sequence_nr;
    }
  };

  void push(Item item);
  // Waits for an item, or returns nothing when `stop()` holds; it is asked again after wake().
  std::optional<Item> pop(const std::function<bool()>& stop);
  void wake();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Item> items_;  // a heap
};

// The queue of an accelerator, whose thread is started with it and lives as long as the process.
std::shared_ptr<ReadyQueue> device_queue(Device device);
// Set in the threads of accelerators: their own queue and device.
struct DeviceThread {
  std::shared_ptr<ReadyQueue> queue;
  Device device;
};
DeviceThread& this_device_thread();

}  // namespace opweave

// ReadyQueue, and the threads of accelerators.
#include "runtime/autograd/ready_queue.h"

#include <map>
#include <thread>

#include "runtime/autograd/graph_task.h"
#include "runtime/core/base/of_process.h"
#include "runtime/target/target.h"

namespace opweave {
namespace {

// The threads run until the process ends, and a forked process has none of them.
struct DeviceThreads {
  std::mutex mutex;
  std::map<std::pair<int, int>, std::shared_ptr<ReadyQueue>> queues;
};

constinit OfProcess<DeviceThreads> of_process;

DeviceThreads& device_threads() {
  return of_process.get([] { return new DeviceThreads; });
}

void serve(const std::shared_ptr<ReadyQueue>& queue, Device device) {
  this_device_thread() = {queue, device};
  target_of(device.type).start_thread(device.index);
  while (auto item = queue->pop([] { return false; })) item->task->run_from_queue(item->state);
}

}  // namespace

void ReadyQueue::push(Item item) {
  {
    std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    std::push_heap(items_.begin(), items_.end());
  }
  changed_.notify_one();
}

std::optional<ReadyQueue::Item> ReadyQueue::pop(const std::function<bool()>& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !items_.empty() || stop(); });
  if (stop()) return std::nullopt;
  std::pop_heap(items_.begin(), items_.end());
  Item item = std::move(items_.back());
  items_.pop_back();
  return item;
}

void ReadyQueue::wake() {
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

DeviceThread& this_device_thread() {
  thread_local DeviceThread thread;
  return thread;
}

std::shared_ptr<ReadyQueue> device_queue(Device device) {
  DeviceThreads& threads = device_threads();
  std::lock_guard lock(threads.mutex);
  auto& queue = threads.queues[{device.type, device.index}];
  if (queue == nullptr) {
    queue = std::make_shared<ReadyQueue>();
    std::thread(serve, queue, device).detach();
  }
  return queue;
}

}  // namespace opweave

// GraphTask where several accelerators take part: nodes run on the threads of their devices.
#include <utility>

#include "runtime/autograd/graph_task.h"

namespace opweave {
// One accelerator needs no second thread: the caller feeds it as well as any other.
void GraphTask::choose_threads() {
  std::optional<Device> accelerator;
  for (const NodeState& state : graph_->states) {
    const Device device = state.node->device();
    if (!is_accelerator(device)) continue;  // runs where the caller is
    if (accelerator && *accelerator != device) shared_ = true;
    accelerator = device;
  }
  if (accelerator) caller_streams_ = current_streams();
  if (!shared_) return;
  // In the thread of a device, the queue of that device goes on being served.
  caller_queue_ = this_device_thread().queue;
  if (!caller_queue_) caller_queue_ = std::make_shared<ReadyQueue>();
}

void GraphTask::make_ready(uint32_t index) {
  const Node& node = *graph_->states[index].node;
  if (!shared_) {
    ready_.push(node.sequence_nr(), index);
    return;
  }
  const Device device = node.device();
  outstanding_.fetch_add(1, std::memory_order_relaxed);
  const auto queue = is_accelerator(device) ? device_queue(device) : caller_queue_;
  queue->push({intrusive_ptr<GraphTask>(this), depth_, node.sequence_nr(), index});
}

void GraphTask::run_shared() {
  const std::function<bool()> done = [this] {
    return outstanding_.load(std::memory_order_acquire) == 0;
  };
  while (auto item = caller_queue_->pop(done)) item->task->run_from_queue(item->state);
  // Taken out of the task, which a thread of a device may outlive us with.
  if (const std::exception_ptr error = std::exchange(error_, nullptr))
    std::rethrow_exception(error);
}

}  // namespace opweave

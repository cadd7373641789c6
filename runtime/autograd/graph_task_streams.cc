// GraphTask where accelerators take part: nodes run on the streams of their forward operators, and
// gradients that pass from one stream to another are ordered by events.
#include <algorithm>

#include "runtime/autograd/graph_task.h"
#include "runtime/target/copy.h"

namespace opweave {

std::optional<Stream> GraphTask::stream_of(const Node& node) const {
  const Device device = node.device();
  if (!is_accelerator(device)) return std::nullopt;
  return Stream(device, node.stream());
}

// The stream on which `node` finds a gradient of that device: its own, or the caller's.
Stream GraphTask::consumer_of(const Node& node, Device device) const {
  return {device, node.device() == device ? node.stream() : caller_streams_->of(device)};
}

// The gradient was made on the current stream of its device. The consumer's waits for that, and
// adds it there to what came before.
void GraphTask::deliver_ordered(TensorVec& grads, const Node& consumer, uint32_t input_nr,
                                Tensor&& gradient) {
  const Stream made_on = current_stream(gradient.device());
  const Stream used_on = consumer_of(consumer, gradient.device());
  if (made_on != used_on) {
    used_on.wait(made_on);
    record_stream(gradient, used_on);
  }
  const StreamGuard guard(used_on);
  add_gradient(grads[input_nr], std::move(gradient));
}

void GraphTask::note_leaf_stream(const Stream& stream) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (shared_) lock.lock();
  if (std::find(leaf_streams_.begin(), leaf_streams_.end(), stream) == leaf_streams_.end()) {
    leaf_streams_.push_back(stream);
  }
}

// What the caller does next with the gradients comes after them.
void GraphTask::join_leaf_streams() {
  for (const Stream& leaf : leaf_streams_) current_stream(leaf.device()).wait(leaf);
}

}  // namespace opweave

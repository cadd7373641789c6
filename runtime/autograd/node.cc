// Node: hooks and destruction.
#include "runtime/autograd/node.h"

#include "runtime/autograd/graph_task.h"

namespace opweave {
namespace {

// The nodes that died while this thread destroys one, linked through their sequence numbers.
constinit thread_local Node* waiting = nullptr;
constinit thread_local bool destroying = false;

}  // namespace

void Node::destroy() {
  if (destroying) {
    sequence_nr_ = reinterpret_cast<uintptr_t>(waiting);
    waiting = this;
    return;
  }
  destroying = true;
  RefCounted::destroy();
  while (Node* node = waiting) {
    waiting = reinterpret_cast<Node*>(node->sequence_nr_);
    node->RefCounted::destroy();
  }
  destroying = false;
}

Device Node::device() const {
  for (const GradMetadata& metadata : inputs_) {
    if (metadata.defined()) return metadata.device();
  }
  return host_device();
}

void Node::note_stream(Device output) {
  if (output == device()) stream_ = current_streams().of(output);
}

bool Node::wanted_by_task(const Node* target) {
  const GraphTask* task = current_graph_task();
  return task == nullptr || task->wants(target);
}

HookHandle Node::add_pre_hook(NodePreHooks::Function hook) {
  auto& hooks = make_extras().pre_hooks;
  if (!hooks) hooks = std::make_shared<NodePreHooks>();
  return {hooks, hooks->add(std::move(hook))};
}

HookHandle Node::add_post_hook(NodePostHooks::Function hook) {
  auto& hooks = make_extras().post_hooks;
  if (!hooks) hooks = std::make_shared<NodePostHooks>();
  return {hooks, hooks->add(std::move(hook))};
}

HookHandle Node::add_tensor_hook(uint32_t output_nr, TensorHooks::Function hook) {
  auto& lists = make_extras().tensor_hooks;
  for (auto& [number, hooks] : lists) {
    if (number == output_nr) return {hooks, hooks->add(std::move(hook))};
  }
  auto& hooks = lists.emplace_back(output_nr, std::make_shared<TensorHooks>()).second;
  return {hooks, hooks->add(std::move(hook))};
}

}  // namespace opweave

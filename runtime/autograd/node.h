// Node: one step of the backward pass. Generated nodes and custom functions derive from it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/autograd/anomaly.h"
#include "runtime/autograd/grad_metadata.h"
#include "runtime/autograd/hooks.h"
#include "runtime/autograd/small_vector.h"
#include "runtime/autograd/tensor_vec.h"
#include "runtime/core/base/ref_counted.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/target/stream.h"

namespace opweave {

class Node;
class SavedVisitor;

// Where a gradient goes: the input `input_nr` of `function`. Without function: nowhere.
struct Edge {
  intrusive_ptr<Node> function;
  uint32_t input_nr = 0;

  explicit operator bool() const { return static_cast<bool>(function); }
};

// What few nodes have.
struct NodeExtras {
  struct Retained {
    uint32_t input_nr;
    std::weak_ptr<Tensor> gradient;  // the cell that retain_grad() made
  };
  // Hooks on the tensors this node's forward operator returned, by output number.
  std::vector<std::pair<uint32_t, std::shared_ptr<TensorHooks>>> tensor_hooks;
  std::vector<Retained> retained;
  std::shared_ptr<NodePreHooks> pre_hooks;
  std::shared_ptr<NodePostHooks> post_hooks;
  // Anomaly mode: where the node was recorded, and the node in whose apply() that happened.
  intrusive_ptr<RecordedPlace> place;
  intrusive_ptr<Node> recorded_in;
  // For the function inside a CopySlices: that node, which owns this one.
  Node* copy_slices = nullptr;
};

// The inputs of a node are the gradients of the forward operator's outputs; its outputs are the
// gradients of the forward operator's inputs and go along the edges.
class Node : public RefCounted {
 public:
  Node() : sequence_nr_(next_sequence_nr_++) {
    if (anomaly_mode_enabled()) [[unlikely]]
      record_anomaly_place(*this);
  }

  // As in messages: "MulBackward0".
  virtual const char* name() const = 0;
  // One gradient per edge; undefined means zero. May return fewer: the rest are undefined.
  virtual TensorVec apply(TensorVec&& grads) = 0;
  // Drops what was saved for apply(). Called after apply() unless the graph is to be kept.
  virtual void release_saved() {}
  // Shows what is saved, to the cycle collector of Python.
  virtual void visit_saved(SavedVisitor& /*visit*/) const {}
  // Of an accumulator: the hooks of the leaf, which live with the leaf.
  virtual std::shared_ptr<TensorHooks> leaf_hooks() const { return nullptr; }

  // --- edges ------------------------------------------------------------------------------------
  std::span<const Edge> next_edges() const { return next_edges_; }
  const Edge& next_edge(size_t i) const { return next_edges_[i]; }
  void add_next_edge(Edge edge) {
    note_child(edge);
    next_edges_.push_back(std::move(edge));
  }
  void set_next_edge(size_t i, Edge edge) {
    note_child(edge);
    next_edges_[i] = std::move(edge);
  }
  // One edge for every tensor argument, in order, lists spread out. No edge where no gradient is
  // wanted, but its place is kept. Defined in record.h.
  template <class... Args>
  void collect_next_edges(const Args&... args);

  // Whether the gradient of output `i` may ever be wanted.
  bool has_edge(size_t i) const { return static_cast<bool>(next_edges_[i]); }
  bool has_edges(size_t first, size_t count) const {
    for (size_t i = first; i < first + count; ++i) {
      if (has_edge(i)) return true;
    }
    return false;
  }
  // Whether it is wanted by anyone in the running backward call.
  bool should_compute_output(size_t i) const {
    const Node* target = next_edges_[i].function.get();
    return target != nullptr && (!restricted_task_ || wanted_by_task(target));
  }
  bool should_compute_outputs(size_t first, size_t count) const {
    for (size_t i = first; i < first + count; ++i) {
      if (should_compute_output(i)) return true;
    }
    return false;
  }

  // --- inputs -----------------------------------------------------------------------------------
  size_t num_inputs() const { return inputs_.size(); }
  const GradMetadata& input_metadata(size_t i) const { return inputs_[i]; }
  // Returns the output number of the tensor. An undefined tensor keeps a place.
  uint32_t add_input_metadata(const Tensor& output) {
    const auto number = static_cast<uint32_t>(inputs_.size());
    output.defined() ? inputs_.emplace_back(output) : inputs_.emplace_back();
    if (streams_in_use() && output.defined()) [[unlikely]]
      note_stream(output.device());
    return number;
  }
  uint32_t add_undefined_input() {
    inputs_.emplace_back();
    return static_cast<uint32_t>(inputs_.size() - 1);
  }
  // Where the gradients live that this node works on; the host when nothing tells.
  Device device() const;
  // The stream of that device on which the forward operator ran: this node runs there as well.
  StreamId stream() const { return stream_; }

  // --- order ------------------------------------------------------------------------------------
  // Later nodes of a thread run first, because they are likely to be nearer to the roots.
  uint64_t sequence_nr() const { return sequence_nr_; }
  bool is_accumulator() const { return sequence_nr_ == kRunFirst; }
  // More than that of every node reached by an edge, so that a search can stop early.
  uint32_t topological_nr() const { return topological_nr_; }

  NodeExtras* extras() const { return extras_.get(); }
  NodeExtras& make_extras() {
    if (!extras_) extras_ = std::make_unique<NodeExtras>();
    return *extras_;
  }
  HookHandle add_pre_hook(NodePreHooks::Function hook);
  HookHandle add_post_hook(NodePostHooks::Function hook);
  // On the gradient of output `output_nr` of the forward operator.
  HookHandle add_tensor_hook(uint32_t output_nr, TensorHooks::Function hook);

 protected:
  static constexpr uint64_t kRunFirst = UINT64_MAX;
  explicit Node(uint64_t sequence_nr) : sequence_nr_(sequence_nr) {}
  // Releasing the last reference to a long chain must not recurse: nodes that die while another is
  // being destroyed wait in a list.
  void destroy() override;

 private:
  friend class GraphTask;

  void note_child(const Edge& edge) {
    if (edge && edge.function->topological_nr_ >= topological_nr_) {
      topological_nr_ = edge.function->topological_nr_ + 1;
    }
  }
  static bool wanted_by_task(const Node* target);
  void note_stream(Device output);

  static inline constinit thread_local uint64_t next_sequence_nr_ = 0;
  // Whether the backward call that this thread works on computes only some gradients.
  static inline constinit thread_local bool restricted_task_ = false;

  uint32_t topological_nr_ = 0;
  uint64_t sequence_nr_;  // while the node waits to be destroyed: the next in the list
  StreamId stream_ = kDefaultStream;
  SmallVector<Edge, 3> next_edges_;
  SmallVector<GradMetadata, 1> inputs_;
  std::unique_ptr<NodeExtras> extras_;
};

// Nodes of final classes that derive from Recycled<T> as well cost no malloc.
template <class T, class... Args>
intrusive_ptr<T> make_node(Args&&... args) {
  return intrusive_ptr<T>::unshared(new T(std::forward<Args>(args)...));
}

}  // namespace opweave

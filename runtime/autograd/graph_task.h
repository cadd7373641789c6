// GraphTask: one call of backward(): runs the nodes of a graph in the order of their readiness.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "runtime/autograd/backward_graph.h"
#include "runtime/autograd/ready_queue.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/target/stream.h"

namespace opweave {

struct BackwardOptions {
  bool keep_graph = false;
  bool create_graph = false;
  bool accumulate_grad = true;  // into the inputs; otherwise their gradients are returned
};

class GraphTask : public RefCounted {
 public:
  // `inputs`: compute only what leads to them. Empty: accumulate into all leaves.
  GraphTask(std::vector<Edge> roots, std::span<const Edge> inputs, const BackwardOptions& options);
  ~GraphTask() override;

  // Runs on this thread what `grads`, one for each root, set off. Returns the gradients of the
  // inputs, undefined where there is none. Throws what a node threw first.
  std::vector<Tensor> run(std::vector<Tensor> grads);

  // Whether a gradient that goes to this node leads to something wanted.
  bool wants(const Node* node) const;
  bool restricted() const { return restricted_; }
  bool accumulates() const { return options_.accumulate_grad; }
  struct Callback {
    std::function<void()> done;                             // on the caller's thread
    std::function<void(const std::exception_ptr&)> failed;  // where the task or `done` throws
  };
  void add_callback(Callback callback);
  // How many backward calls it is nested in.
  int depth() const { return depth_; }

  // Runs a node that a queue handed out. Does not throw: the task's caller does.
  void run_from_queue(uint32_t state) noexcept;

 private:
  class Scope;

  void choose_threads();
  void seed(std::vector<Tensor> grads);
  void run_local();
  void run_shared();
  void run_callbacks();
  void tell_failed(const std::exception_ptr& error) noexcept;

  void process(uint32_t index);
  void run_tensor_hooks(const Node& node, TensorVec& grads);
  void capture(const NodeState& state, const TensorVec& grads);
  TensorVec call(Node& node, TensorVec&& grads);
  void check_nan(const Node& node, const TensorVec& outputs);
  void propagate(const NodeState& state, TensorVec&& outputs);
  void deliver(uint32_t target, uint32_t input_nr, Tensor&& gradient);
  void make_ready(uint32_t index);

  // Where accelerators take part (graph_task_streams.cc).
  std::optional<Stream> stream_of(const Node& node) const;
  Stream consumer_of(const Node& node, Device device) const;
  void deliver_ordered(TensorVec& grads, const Node& consumer, uint32_t input_nr,
                       Tensor&& gradient);
  void note_leaf_stream(const Stream& stream);
  void join_leaf_streams();

  const std::vector<Edge> roots_;  // keep the graph alive
  const BackwardOptions options_;
  const bool restricted_;
  const SavedThreadState caller_state_;
  const int depth_;
  std::unique_ptr<BackwardGraph> graph_;
  ReadyHeap ready_;
  std::vector<Tensor> results_;
  std::vector<Callback> callbacks_;

  // Where accelerators take part, nodes run on the streams of their forward operators.
  bool has_streams() const { return caller_streams_.has_value(); }
  std::optional<CurrentStreams> caller_streams_;  // of the other devices, in every thread
  std::vector<Stream> leaf_streams_;              // on which gradients were accumulated or captured

  // Where several accelerators take part, each has a thread of its own; what follows is for that.
  bool shared_ = false;
  std::shared_ptr<ReadyQueue> caller_queue_;
  std::mutex mutex_;  // guards the states, results_, leaf_streams_, callbacks_ and error_
  std::atomic<uint32_t> outstanding_{0};  // nodes in queues or running
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

// Adds a gradient to what has arrived; into memory that nobody else sees where no graph is
// recorded.
void add_gradient(Tensor& sum, Tensor&& gradient);

// The task and the node that this thread works on; null outside of backward.
GraphTask* current_graph_task();
Node* current_node();

}  // namespace opweave

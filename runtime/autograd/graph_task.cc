// GraphTask: what happens to one node, and the loop over nodes.
#include "runtime/autograd/graph_task.h"

#include "runtime/autograd/accumulate_grad.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/autograd/gradient_check.h"
#include "runtime/core/base/error.h"

namespace opweave {
namespace {

struct Running {
  GraphTask* task = nullptr;
  Node* node = nullptr;
};
constinit thread_local Running running;

// Of which the caller sees some when the task is done.
bool keeps_gradients(const Node& node, const NodeState& state) {
  return node.is_accumulator() || state.first_capture >= 0 ||
         (node.extras() != nullptr && !node.extras()->retained.empty());
}

TensorVec copy_of(const TensorVec& tensors) {
  TensorVec copy;
  copy.reserve(tensors.size());
  for (const Tensor& t : tensors) copy.push_back(t);
  return copy;
}

// In place: what is added may not have examples that the sum lacks.
bool takes_more(const Tensor& sum, const Tensor& gradient) {
  return is_sole_owner(sum) && sum.is_contiguous() && gradient.impl()->extension() == nullptr;
}

}  // namespace

void add_gradient(Tensor& sum, Tensor&& gradient) {
  if (!sum.defined()) {
    sum = std::move(gradient);
  } else if (grad_enabled()) {
    sum = engine_ops::add(sum, gradient, 1);
  } else if (takes_more(sum, gradient)) {
    engine_ops::add_(sum, gradient, 1);
  } else if (takes_more(gradient, sum)) {
    engine_ops::add_(gradient, sum, 1);
    sum = std::move(gradient);
  } else {
    sum = engine_ops::add(sum, gradient, 1);
  }
}

GraphTask* current_graph_task() { return running.task; }
Node* current_node() { return running.node; }

// While this thread works on a task: its grad mode, and who asks should_compute_output().
class GraphTask::Scope {
 public:
  explicit Scope(GraphTask& task)
      : state_(task.caller_state_.state()),
        outer_(running),
        outer_restricted_(Node::restricted_task_) {
    set_grad_enabled(task.options_.create_graph);
    running = {&task, nullptr};
    Node::restricted_task_ = task.restricted_;
    if (task.has_streams()) streams_.emplace(*task.caller_streams_);
  }
  ~Scope() {
    running = outer_;
    Node::restricted_task_ = outer_restricted_;
  }
  Scope(const Scope&) = delete;

 private:
  ThreadStateGuard state_;
  Running outer_;
  bool outer_restricted_;
  std::optional<CurrentStreamsGuard> streams_;
};

GraphTask::GraphTask(std::vector<Edge> roots, std::span<const Edge> inputs,
                     const BackwardOptions& options)
    : roots_(std::move(roots)),
      options_(options),
      restricted_(!inputs.empty()),
      depth_(running.task == nullptr ? 0 : running.task->depth_ + 1),
      graph_(BackwardGraph::make()) {
  graph_->discover(roots_, inputs, options.accumulate_grad);
  if (!options.accumulate_grad) results_.resize(inputs.size());
  choose_threads();
}

GraphTask::~GraphTask() { BackwardGraph::recycle(std::move(graph_)); }

bool GraphTask::wants(const Node* node) const {
  const uint32_t state = graph_->find(node);
  return state != BackwardGraph::kNone && graph_->states[state].wanted;
}

void GraphTask::add_callback(Callback callback) {
  std::lock_guard lock(mutex_);
  callbacks_.push_back(std::move(callback));
}

std::vector<Tensor> GraphTask::run(std::vector<Tensor> grads) try {
  Scope scope(*this);
  seed(std::move(grads));
  shared_ ? run_shared() : run_local();
  if (has_streams()) join_leaf_streams();
  run_callbacks();
  return std::move(results_);
} catch (...) {
  tell_failed(std::current_exception());
  throw;
}

void GraphTask::seed(std::vector<Tensor> grads) {
  for (size_t i = 0; i < roots_.size(); ++i) {
    const Node& root = *roots_[i].function;
    fit_gradient(nullptr, i, root.input_metadata(roots_[i].input_nr), grads[i]);
    const uint32_t target = graph_->find(&root);
    // Outputs that do not lead to what is wanted: their hooks see nothing.
    if (graph_->states[target].wanted) deliver(target, roots_[i].input_nr, std::move(grads[i]));
  }
}

void GraphTask::run_local() {
  while (!ready_.empty()) process(ready_.pop());
}

void GraphTask::run_from_queue(uint32_t state) noexcept {
  if (!failed_.load(std::memory_order_acquire)) {
    try {
      Scope scope(*this);
      process(state);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
    }
  }
  const auto queue = caller_queue_;
  if (outstanding_.fetch_sub(1, std::memory_order_acq_rel) == 1) queue->wake();
}

void GraphTask::run_callbacks() {
  running.node = nullptr;
  for (size_t i = 0; i < callbacks_.size(); ++i) {  // a callback may add another
    const auto done = std::move(callbacks_[i].done);
    done();
    callbacks_[i].failed = nullptr;
  }
}

void GraphTask::tell_failed(const std::exception_ptr& error) noexcept {
  for (const Callback& callback : callbacks_) {
    if (callback.failed) callback.failed(error);
  }
}

void GraphTask::process(uint32_t index) {
  NodeState& state = graph_->states[index];
  Node& node = *state.node;
  TensorVec grads = std::move(state.grads);
  if (grads.size() < node.num_inputs()) grads.resize(node.num_inputs());  // only undefined came
  running.node = &node;
  std::optional<StreamGuard> on_stream;
  if (has_streams()) {
    if (const auto stream = stream_of(node)) {
      on_stream.emplace(*stream);
      if (keeps_gradients(node, state)) note_leaf_stream(*stream);
    }
  }
  try {
    if (node.extras() != nullptr || node.is_accumulator()) run_tensor_hooks(node, grads);
    if (restricted_) {
      capture(state, grads);
      if (!state.needed) return;
    }
    TensorVec outputs = call(node, std::move(grads));
    propagate(state, std::move(outputs));
  } catch (...) {
    if (anomaly_mode_enabled()) report_anomaly(node);
    throw;
  }
}

void GraphTask::run_tensor_hooks(const Node& node, TensorVec& grads) {
  auto run = [&](const TensorHooks& hooks, Tensor& gradient) {
    hooks.for_each([&](const auto& hook) {
      Tensor replaced = hook(gradient);
      if (!replaced.defined()) return;
      check_hook_result("<unknown>", gradient, replaced);  // Python's were checked with their names
      gradient = std::move(replaced);
    });
  };
  if (node.is_accumulator()) {
    const auto hooks = node.leaf_hooks();
    if (hooks && grads[0].defined()) run(*hooks, grads[0]);
  }
  if (node.extras() == nullptr) return;
  // A hook may register one on another of the node's tensors: the list is read as it is now.
  const auto lists = node.extras()->tensor_hooks;
  for (const auto& [number, hooks] : lists) {
    if (grads[number].defined()) run(*hooks, grads[number]);
  }
  for (const NodeExtras::Retained& retained : node.extras()->retained) {
    const auto cell = retained.gradient.lock();
    if (!cell || !grads[retained.input_nr].defined()) continue;
    *cell = cell->defined() ? engine_ops::add(*cell, grads[retained.input_nr], 1)
                            : grads[retained.input_nr];
  }
}

void GraphTask::capture(const NodeState& state, const TensorVec& grads) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (shared_) lock.lock();
  for (int32_t i = state.first_capture; i >= 0;) {
    const BackwardGraph::Capture& capture = graph_->captures[static_cast<size_t>(i)];
    results_[capture.result] = grads[capture.input_nr];
    i = capture.next;
  }
}

// Node::apply, whose errors about sizes and memory name the node.
static TensorVec apply(Node& node, TensorVec&& grads) {
  try {
    return node.apply(std::move(grads));
  } catch (Error& error) {
    error.name_operator(node.name());
    throw;
  }
}

TensorVec GraphTask::call(Node& node, TensorVec&& grads) {
  const NodeExtras* extras = node.extras();
  if (extras != nullptr && extras->pre_hooks) {
    extras->pre_hooks->for_each([&](const auto& hook) { hook(grads); });
  }
  TensorVec seen;
  const bool has_post_hooks = extras != nullptr && extras->post_hooks != nullptr;
  if (has_post_hooks) seen = copy_of(grads);
  TensorVec outputs = apply(node, std::move(grads));
  if (!options_.keep_graph) node.release_saved();
  if (has_post_hooks) {
    const auto hooks = extras->post_hooks;
    hooks->for_each([&](const auto& hook) { hook(outputs, seen); });
  }
  if (anomaly_mode_enabled() && anomaly_checks_nan()) check_nan(node, outputs);
  return outputs;
}

void GraphTask::check_nan(const Node& node, const TensorVec& outputs) {
  NoGradGuard no_grad;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined() || outputs[i].is_meta() || !engine_ops::has_nan(outputs[i])) continue;
    const std::string trace = anomaly_trace(node);
    OW_THROW(ErrorKind::kRuntime, "Function '", node.name(), "' returned nan values in its ", i,
             "th output.", trace.empty() ? "" : " ", trace);
  }
}

void GraphTask::propagate(const NodeState& state, TensorVec&& outputs) {
  const std::span<const Edge> edges = state.node->next_edges();
  for (size_t i = edges.size(); i < outputs.size(); ++i) {
    OW_CHECK(!outputs[i].defined(), "Function ", state.node->name(),
             " returned an incorrect number of gradients (expected ", edges.size(), ", got ",
             outputs.size(), ")");
  }
  for (size_t i = 0; i < edges.size(); ++i) {
    const uint32_t target = graph_->targets[state.first_target + i];
    if (target == BackwardGraph::kNone || !graph_->states[target].wanted) continue;
    Tensor gradient;
    if (i < outputs.size()) gradient = std::move(outputs[i]);
    const Edge& edge = edges[i];
    fit_gradient(state.node, i, edge.function->input_metadata(edge.input_nr), gradient);
    deliver(target, edge.input_nr, std::move(gradient));
  }
}

void GraphTask::deliver(uint32_t target, uint32_t input_nr, Tensor&& gradient) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (shared_) lock.lock();
  NodeState& state = graph_->states[target];
  if (gradient.defined()) {
    if (state.grads.empty()) state.grads.resize(state.node->num_inputs());
    if (has_streams() && is_accelerator(gradient.device())) {
      deliver_ordered(state.grads, *state.node, input_nr, std::move(gradient));
    } else {
      add_gradient(state.grads[input_nr], std::move(gradient));
    }
  }
  if (--state.dependencies == 0) make_ready(target);
}

}  // namespace opweave

// Gradients as they come, and the collectives that they fill.
#include "runtime/distributed/training/reducer.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/zero_.h"
#include "runtime/autograd/api.h"
#include "runtime/autograd/node.h"
#include "runtime/autograd/view.h"
#include "runtime/core/devices.h"
#include "runtime/core/error.h"
#include "runtime/core/str.h"
#include "runtime/core/tensor_impl.h"
#include "runtime/core/thread_state.h"

namespace opweave::distributed {
namespace {

double seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

bool is_same_memory(const Tensor& a, const Tensor& b) {
  return a.raw_data() == b.raw_data() && a.nbytes() == b.nbytes();
}

// The nodes of the graph of some tensors.
std::unordered_set<const Node*> nodes_below(const std::vector<Tensor>& outputs) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> left;
  const auto visit = [&](const Node* node) {
    if (node != nullptr && seen.insert(node).second) left.push_back(node);
  };
  for (const Tensor& t : outputs) visit(gradient_edge(t).function.get());
  while (!left.empty()) {
    const Node* node = left.back();
    left.pop_back();
    for (const Edge& edge : node->next_edges()) visit(edge.function.get());
  }
  return seen;
}

}  // namespace

Reducer::Reducer(std::vector<Tensor> parameters, std::vector<std::string> names,
                 ProcessGroupPtr group, const ReducerOptions& options)
    : parameters_(std::move(parameters)),
      names_(std::move(names)),
      group_(std::move(group)),
      options_(options),
      hook_(average_hook(group_)),
      ready_(parameters_.size()),
      used_(parameters_.size()) {
  OW_CHECK_VALUE(!parameters_.empty(), "Reducer: there are no parameters that require a gradient");
  OW_CHECK_VALUE(parameters_.size() == names_.size(), "Reducer: ", parameters_.size(),
                 " parameters and ", names_.size(), " names");
  // The last layer's gradients come first.
  std::vector<size_t> order(parameters_.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  make_buckets(order);
}

std::shared_ptr<Reducer> Reducer::make(std::vector<Tensor> parameters,
                                       std::vector<std::string> names, ProcessGroupPtr group,
                                       const ReducerOptions& options) {
  std::shared_ptr<Reducer> reducer(
      new Reducer(std::move(parameters), std::move(names), std::move(group), options));
  reducer->add_hooks();
  return reducer;
}

Reducer::~Reducer() {
  for (HookHandle& hook : hooks_) hook.remove();
}

void Reducer::make_buckets(const std::vector<size_t>& order) {
  buckets_.clear();
  places_.resize(parameters_.size());
  for (auto& parameters : assign_buckets(parameters_, order, options_.limits)) {
    for (size_t i = 0; i < parameters.size(); ++i) places_[parameters[i]] = {buckets_.size(), i};
    buckets_.push_back({Bucket(std::move(parameters), parameters_)});
  }
}

void Reducer::add_hooks() {
  for (size_t p = 0; p < parameters_.size(); ++p)
    hooks_.push_back(register_post_accumulate_grad_hook(
        parameters_[p], [self = weak_from_this(), p](const Tensor&) {
          if (const auto reducer = self.lock()) reducer->on_gradient(p);
        }));
}

void Reducer::prepare_for_backward(const std::vector<Tensor>& outputs) {
  const std::lock_guard lock(mutex_);
  OW_CHECK(!expects_ || arrived_.empty(),
           "Expected to have finished reduction in the prior iteration before starting a new one. "
           "Parameters without a gradient: ",
           names_of_missing(),
           ". If the outputs do not depend on them, use find_unused_parameters=True.");
  expects_ = true;
  next_ = 0;
  arrived_.clear();
  std::fill(ready_.begin(), ready_.end(), false);
  for (State& state : buckets_) {
    state.pending = state.bucket.parameters.size();
    state.reduction.reset();
  }
  began_ = Clock::now();
  ++pass_;
  unused_.clear();
  if (options_.finds_unused) find_unused(outputs);
  watch(outputs);
}

namespace {

// Tells whether the backward pass that has it comes to its end.
class Watch {
 public:
  explicit Watch(std::function<void()> failed) : failed_(std::move(failed)) {}
  ~Watch() {
    if (!done_) failed_();
  }
  void done() { done_ = true; }

 private:
  const std::function<void()> failed_;
  bool done_ = false;
};

}  // namespace

// The gradient of an output is the first of the model's part of a backward pass.
void Reducer::watch(const std::vector<Tensor>& outputs) {
  for (const Tensor& t : outputs) {
    register_hook(t, [self = shared_from_this(), pass = pass_](const Tensor&) {
      self->begin_watch(pass);
      return Tensor();
    });
  }
}

void Reducer::begin_watch(uint64_t pass) {
  {
    const std::lock_guard lock(mutex_);
    if (!expects_ || pass != pass_ || watched_ == pass) return;
    watched_ = pass;
    mark_unused();
  }
  const auto watch = std::make_shared<Watch>([self = weak_from_this(), pass] {
    if (const auto reducer = self.lock()) reducer->fail(pass);
  });
  queue_backward_callback([watch] { watch->done(); });
  launch_ready();  // of a pass that uses few parameters
}

void Reducer::fail(uint64_t pass) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (pass != pass_ || !expects_) return;
  }
  group_->abort(str("rank ", group_->rank(), " raised in its backward pass"));
}

void Reducer::set_hook(std::unique_ptr<CommHook> hook) {
  const std::lock_guard lock(mutex_);
  OW_CHECK(!has_own_hook_,
           "register_comm_hook or register_builtin_comm_hook can only be called once.");
  OW_CHECK(pass_ == 0, "register_comm_hook: call it before the first forward pass");
  hook_ = std::move(hook);
  has_own_hook_ = true;
}

void Reducer::find_unused(const std::vector<Tensor>& outputs) {
  const auto nodes = nodes_below(outputs);
  for (size_t p = 0; p < parameters_.size(); ++p) {
    if (!nodes.contains(gradient_edge(parameters_[p]).function.get())) unused_.push_back(p);
  }
}

// What they have summed up before takes part.
void Reducer::mark_unused() {
  const NoGradGuard no_grad;
  for (const size_t p : std::exchange(unused_, {})) {
    Tensor view = buckets_[places_[p].bucket].bucket.views[places_[p].view];
    const Tensor& grad = grad_of(parameters_[p]);
    if (!grad.defined()) ops::zero_::call(view);
    if (grad.defined() && !is_same_memory(grad, view)) ops::copy_::call(view, grad, false);
    mark_ready(p);
  }
}

void Reducer::on_gradient(size_t p) {
  {
    const std::lock_guard lock(mutex_);
    used_[p] = true;
    if (!expects_) return;
    OW_CHECK(!ready_[p], "Expected to mark a variable ready only once. The parameter '", names_[p],
             "' has got a gradient twice in one backward pass, or its graph was used in several");
    mark_unused();
    const NoGradGuard no_grad;
    const Tensor& grad = grad_of(parameters_[p]);
    Tensor view = buckets_[places_[p].bucket].bucket.views[places_[p].view];
    if (!is_same_memory(grad, view)) ops::copy_::call(view, grad, false);
    arrived_.push_back(p);
    mark_ready(p);
  }
  launch_ready();
}

void Reducer::expect_nothing() {
  const std::lock_guard lock(mutex_);
  if (arrived_.empty()) expects_ = false;
}

void Reducer::mark_ready(size_t p) {
  ready_[p] = true;
  State& state = buckets_[places_[p].bucket];
  if (--state.pending == 0) state.ready = Clock::now();
}

void Reducer::launch_ready() {
  const std::lock_guard order(launching_);
  for (;;) {
    GradBucket bucket;
    {
      const std::lock_guard lock(mutex_);
      if (next_ == buckets_.size() || buckets_[next_].pending > 0) return;
      bucket = shown(next_++);
    }
    const size_t index = bucket.index;
    const bool is_last = bucket.is_last;
    auto reduction = hook_->start(std::move(bucket));
    {
      const std::lock_guard lock(mutex_);
      buckets_[index].reduction = std::move(reduction);
    }
    if (is_last) queue_backward_callback([self = shared_from_this()] { self->finish(); });
  }
}

GradBucket Reducer::shown(size_t index) const {
  const Bucket& bucket = buckets_[index].bucket;
  GradBucket shown{.index = index,
                   .is_last = index + 1 == buckets_.size(),
                   .buffer = bucket.flat,
                   .gradients = bucket.views};
  for (const size_t p : bucket.parameters) shown.parameters.push_back(parameters_[p]);
  return shown;
}

void Reducer::in_group(Tensor& host, Collective collective) {
  const Device device = parameters_[0].device();
  Tensor sent = host;
  if (!is_host(device)) {
    sent = make_tensor(host.sizes(), host.dtype(), device);
    ops::copy_::call(sent, host, false);
  }
  collective.inputs = collective.outputs = {sent};
  group_->start(std::move(collective))->wait();
  if (!is_host(device)) ops::copy_::call(host, sent, false);
}

std::vector<bool> Reducer::used_anywhere() {
  if (!options_.finds_unused) return std::vector<bool>(parameters_.size(), true);
  Tensor used = make_tensor({static_cast<int64_t>(used_.size())}, kByte, host_device());
  auto* flags = static_cast<uint8_t*>(used.raw_data());
  std::copy(used_.begin(), used_.end(), flags);
  in_group(used, {.kind = CollectiveKind::kAllReduce, .op = ReduceOp::kMax});
  return std::vector<bool>(flags, flags + used_.size());
}

// Whoever waits for this rank shall not do so for ever.
void Reducer::finish() try { reduce_all(); } catch (const std::exception& error) {
  group_->abort(str("rank ", group_->rank(), " could not reduce its gradients: ", error.what()));
  throw;
} catch (...) {
  group_->abort(str("rank ", group_->rank(), " could not reduce its gradients"));
  throw;
}

// Nobody else is here: all gradients have come.
void Reducer::reduce_all() {
  const std::vector<bool> used = used_anywhere();
  const NoGradGuard no_grad;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    State& state = buckets_[i];
    const Tensor result = state.reduction->wait();
    OW_CHECK(result.defined() && result.numel() == state.bucket.flat.numel(),
             "communication hook: expected a tensor of ", state.bucket.flat.numel(),
             " elements for the bucket ", i, ", got ",
             result.defined() ? str("one of the sizes ", result.sizes()) : "none");
    Tensor flat = state.bucket.flat;
    if (!is_same_memory(result, flat))
      ops::copy_::call(flat, ops::reshape::call(result, {flat.numel()}), false);
    write_back(state, used);
  }
  ReducerStatistics found = times();
  {
    const std::lock_guard lock(mutex_);
    statistics_ = std::move(found);
    std::fill(used_.begin(), used_.end(), false);
    expects_ = false;
  }
  take_order();
}

// All ranks are in the same pass here. Those that use different parameters have no order in common.
void Reducer::take_order() {
  if (is_rebuilt_ || options_.finds_unused) return;
  Tensor order = make_tensor({static_cast<int64_t>(arrived_.size())}, kLong, host_device());
  auto* places = static_cast<int64_t*>(order.raw_data());
  std::copy(arrived_.begin(), arrived_.end(), places);
  in_group(order, {.kind = CollectiveKind::kBroadcast});
  const std::lock_guard lock(mutex_);
  make_buckets(std::vector<size_t>(places, places + arrived_.size()));
  is_rebuilt_ = true;
}

ReducerStatistics Reducer::times() const {
  ReducerStatistics found;
  double all = 0, within = 0;
  for (const State& state : buckets_) {
    BucketTimes times{.nbytes = state.bucket.flat.nbytes(),
                      .ready = seconds(state.ready - began_),
                      .reduced = seconds(state.reduction->ended() - began_)};
    for (const size_t p : state.bucket.parameters) times.parameters.push_back(names_[p]);
    found.backward = std::max(found.backward, times.ready);
    found.buckets.push_back(std::move(times));
  }
  for (const BucketTimes& times : found.buckets) {
    all += times.reduced - times.ready;
    within += std::min(times.reduced, found.backward) - times.ready;
  }
  found.hidden = all > 0 ? std::max(within, 0.0) / all : 0;
  found.total = seconds(Clock::now() - began_);
  return found;
}

void Reducer::write_back(State& state, const std::vector<bool>& used) {
  for (size_t i = 0; i < state.bucket.parameters.size(); ++i) {
    const size_t p = state.bucket.parameters[i];
    if (!used[p]) continue;  // what nobody has used keeps what it has
    const Tensor& view = state.bucket.views[i];
    Tensor grad = grad_of(parameters_[p]);
    if (grad.defined() && is_same_memory(grad, view)) continue;
    if (options_.gradients_are_views || !grad.defined())
      set_grad(parameters_[p], options_.gradients_are_views ? view : ops::clone::call(view, {}));
    else
      ops::copy_::call(grad, view, false);
  }
}

std::string Reducer::names_of_missing() const {
  std::string names;
  for (size_t p = 0; p < names_.size(); ++p) {
    if (!ready_[p]) names += str(names.empty() ? "" : ", ", names_[p]);
  }
  return names;
}

ReducerStatistics Reducer::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace opweave::distributed

// Gradients as they come: which pass they are of, and which buckets they fill.
#include "runtime/distributed/training/reducer.h"

#include <algorithm>
#include <utility>

#include "opweave/ops/copy_.h"
#include "opweave/ops/zero_.h"
#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/distributed/store/error_text.h"
#include "runtime/distributed/training/memory.h"

namespace opweave::distributed {

Reducer::Reducer(std::vector<Tensor> parameters, std::vector<std::string> names,
                 ProcessGroupPtr group, const ReducerOptions& options)
    : parameters_(std::move(parameters)),
      names_(std::move(names)),
      group_(std::move(group)),
      options_(options),
      hook_(average_hook()),
      divisor_(group_->size()),
      ready_(parameters_.size()),
      used_(parameters_.size()),
      left_out_(parameters_.size()),
      reduced_(parameters_.size()),
      apart_(parameters_.size()),
      came_(parameters_.size()) {
  OW_CHECK_VALUE(!parameters_.empty(), "Reducer: there are no parameters that require a gradient");
  OW_CHECK_VALUE(!options_.limits.empty(), "Reducer: there is no limit of the buckets' sizes");
  OW_CHECK_VALUE(parameters_.size() == names_.size(), "Reducer: ", parameters_.size(),
                 " parameters and ", names_.size(), " names");
  make_buckets(first_order(parameters_.size()));
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
  for (HookHandle& hook : before_) hook.remove();
}

void Reducer::make_buckets(const std::vector<size_t>& order) {
  buckets_.clear();
  order_ = order;
  places_.resize(parameters_.size());
  for (auto& parameters : assign_buckets(parameters_, order, options_.limits)) {
    for (size_t i = 0; i < parameters.size(); ++i) places_[parameters[i]] = {buckets_.size(), i};
    buckets_.push_back({Bucket(std::move(parameters), parameters_)});
    if (!options_.is_lazy) buckets_.back().bucket.allocate(parameters_);
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
  const CallSite site = take_call_site();
  check_finished();
  const std::lock_guard lock(mutex_);
  expects_ = true;
  begins_by_outputs_ = stays_local_ = false;
  next_ = 0;
  arrived_.clear();
  std::fill(ready_.begin(), ready_.end(), false);
  std::fill(left_out_.begin(), left_out_.end(), false);
  std::fill(came_.begin(), came_.end(), 0);
  expected_used_.assign(parameters_.size(), true);
  for (State& state : buckets_) {
    state.pending = state.bucket.parameters.size();
    state.reduction.reset();
  }
  began_ = Clock::now();
  began_at_ = std::chrono::system_clock::now();
  site_ = site;
  ++pass_;
  watch(outputs);
}

void Reducer::check_finished() const {
  const std::lock_guard lock(mutex_);
  OW_CHECK(!expects_ || arrived_.empty(),
           "Expected to have finished reduction in the prior iteration before starting a new one. "
           "Parameters without a gradient on rank ",
           group_->rank(), ": ", names_of_missing(),
           ". If the outputs do not depend on them, or the loss not on all outputs, use "
           "find_unused_parameters=True.");
}

// Outputs that were not found begin nothing: then any gradient does, as with PyTorch.
void Reducer::expect_nothing() {
  check_finished();
  const std::lock_guard lock(mutex_);
  begins_by_outputs_ = !watches_.empty();
  stays_local_ = true;
  std::fill(left_out_.begin(), left_out_.end(), false);
}

// The gradient of an output is the first of the model's part of a backward pass. An output may be
// the same leaf in each pass.
void Reducer::watch(const std::vector<Tensor>& outputs) {
  for (HookHandle& hook : watches_) hook.remove();
  watches_.clear();
  for (const Tensor& t : outputs) {
    watches_.push_back(register_hook(t, [self = shared_from_this(), pass = pass_](const Tensor&) {
      self->begin(pass);
      return Tensor();
    }));
  }
}

namespace {

// Whether a backward call computes gradients of parameters: gradients() asks for others, and so
// may backward() of some inputs.
bool concerns(const BackwardCall& call, std::span<const Tensor> parameters) {
  if (!call.accumulates) return false;
  return !call.is_restricted ||
         std::any_of(parameters.begin(), parameters.end(), current_backward_reaches);
}

}  // namespace

bool Reducer::is_to_begin(uint64_t pass) {
  const std::lock_guard lock(mutex_);
  if (!expects_) check_reduced(pass);
  if (!expects_ || pass != pass_ || begun_ == pass) return false;
  if (!concerns(current_backward_call(), parameters_)) return false;
  begun_ = pass;
  return true;
}

// What is left out of a reduction has to stay what the others take it for.
void Reducer::check_reduced(uint64_t pass) const {
  if (pass != pass_ || !current_backward_call().accumulates) return;
  for (size_t p = 0; p < parameters_.size(); ++p) {
    OW_CHECK(!left_out_[p] || !current_backward_reaches(parameters_[p]),
             "find_unused_parameters: the gradients of this forward pass are reduced, without the "
             "parameter '",
             names_[p],
             "', which the backward pass did not come to; a second backward pass of the same "
             "outputs does. Add up the losses, and call backward() once");
  }
}

void Reducer::begin(uint64_t pass) {
  if (!is_to_begin(pass)) return;
  if (options_.note_site) options_.note_site();
  const CallSite site = take_call_site();
  const BackwardCall call = current_backward_call();
  {
    const std::lock_guard lock(mutex_);
    if (!site.frames().empty()) site_ = site;
    for (size_t p = 0; asks_first() && p < parameters_.size(); ++p)
      expected_used_[p] = used_[p] || call.is_nested || current_backward_reaches(parameters_[p]);
    for (size_t p = 0; p < parameters_.size(); ++p) {
      if (!ready_[p] && is_unused(p, call)) fill(p);
    }
  }
  queue_backward_callback(
      [self = shared_from_this(), pass, call] {
        if (!call.is_nested) self->end(pass);
      },
      [self = weak_from_this(), pass](const std::exception_ptr& error) {
        if (const auto reducer = self.lock()) reducer->fail(pass, error);
      });
  launch_ready();  // of a pass that uses few parameters
}

// A call within another comes to a part of what the outer one does.
bool Reducer::is_unused(size_t p, const BackwardCall& call) const {
  if (options_.is_static) return !expected_.empty() && expected_[p] == 0;
  return options_.finds_unused && !call.is_nested && !current_backward_reaches(parameters_[p]);
}

void Reducer::on_gradient(size_t p) {
  uint64_t pass = 0;
  {
    const std::lock_guard lock(mutex_);
    used_[p] = true;
    if (!expects_ || waits_for_outputs()) return;
    pass = pass_;
  }
  begin(pass);
  {
    const std::lock_guard lock(mutex_);
    ++came_[p];
    if (came_[p] == 1) arrived_.push_back(p);
    if (counts_only()) return;
    OW_CHECK(!ready_[p] || !options_.is_static,
             "Your training graph has changed in this iteration, which is not compatible with "
             "static_graph=True: the parameter '",
             names_[p], "' has ", expected_[p], " gradients in the first iteration, and more now");
    OW_CHECK(!ready_[p], "Expected to mark a variable ready only once. The parameter '", names_[p],
             "' has got a gradient twice in one backward pass, or its graph was used in several");
    if (options_.is_static && came_[p] < expected_[p]) return;
    fill(p);
  }
  launch_ready();
}

// The bucket has what the parameter has: also what one without a gradient in this pass has summed
// up before.
void Reducer::fill(size_t p) {
  const NoGradGuard no_grad;
  Bucket& bucket = buckets_[places_[p].bucket].bucket;
  bucket.allocate(parameters_);
  if (keeps(p)) set_apart(p);
  Tensor view = bucket.views[places_[p].view];
  const Tensor& grad = grad_of(parameters_[p]);
  if (!grad.defined()) ops::zero_::call(view);
  if (grad.defined() && !is_same_memory(grad, view)) ops::copy_::call(view, grad, false);
  if (!keeps(p)) set_grad(parameters_[p], Tensor());
  left_out_[p] = came_[p] == 0;
  mark_ready(p);
}

void Reducer::mark_ready(size_t p) {
  ready_[p] = true;
  State& state = buckets_[places_[p].bucket];
  if (--state.pending == 0) state.ready = Clock::now();
}

// What has not come by now does not come.
void Reducer::end(uint64_t pass) {
  {
    const std::lock_guard lock(mutex_);
    if (pass != pass_ || !expects_) return;
    if (counts_only()) {
      expected_ = came_;
    } else if (options_.is_static) {
      const std::string missing = names_of_missing();
      OW_CHECK(missing.empty(),
               "Your training graph has changed in this iteration, which is not compatible with "
               "static_graph=True: it had gradients in the first iteration of the parameters ",
               missing, ", which have fewer now");
    } else if (!options_.finds_unused) {
      return;  // the next forward pass tells
    }
    for (size_t p = 0; p < parameters_.size(); ++p) {
      if (!ready_[p]) fill(p);
    }
  }
  launch_ready();
}

void Reducer::fail(uint64_t pass, const std::exception_ptr& error) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (pass != pass_ || !expects_) return;
  }
  abort(str(" raised in its backward pass: ", text_of(error)));
}

// Whoever waits for this rank shall not do so for ever.
void Reducer::abort(const std::string& what) noexcept try {
  const std::string reason = str("rank ", group_->rank(), what);
  group_->abort(reason);
  hook_->abort(reason);
} catch (...) {  // the error that is the reason is on its way
}

void Reducer::drop_hook() {
  std::shared_ptr<CommHook> other =
      average_hook();  // destroyed without the mutex: it is the user's
  const std::lock_guard lock(mutex_);
  other.swap(hook_);
}

void Reducer::set_hook(std::shared_ptr<CommHook> hook) {
  const std::lock_guard lock(mutex_);
  OW_CHECK(!has_own_hook_,
           "register_comm_hook or register_builtin_comm_hook can only be called once.");
  OW_CHECK(pass_ == 0, "register_comm_hook: call it before the first forward pass");
  hook_ = std::move(hook);
  has_own_hook_ = true;
}

void Reducer::set_group(ProcessGroupPtr group) {
  const std::lock_guard lock(mutex_);
  divisor_ = group->size();
  group_ = std::move(group);
  expects_ = is_rebuilt_ = false;
  arrived_.clear();
  for (auto* flags : {&ready_, &used_, &left_out_, &reduced_})
    flags->assign(parameters_.size(), false);
  apart_.assign(parameters_.size(), Tensor());
  expected_.clear();
  used_always_.clear();
  came_before_.clear();
  make_buckets(first_order(parameters_.size()));
}

void Reducer::set_divisor(int ranks) {
  const std::lock_guard lock(mutex_);
  divisor_ = ranks;
}

std::string Reducer::names_of_missing() const {
  std::string names;
  for (size_t p = 0; p < names_.size(); ++p) {
    if (!ready_[p]) names += str(names.empty() ? "" : ", ", names_[p]);
  }
  return names;
}

std::vector<size_t> Reducer::arrived() const {
  const std::lock_guard lock(mutex_);
  return arrived_;
}

bool Reducer::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

std::vector<size_t> Reducer::order() const {
  const std::lock_guard lock(mutex_);
  return order_;
}

void Reducer::set_order(const std::vector<size_t>& order) {
  const std::lock_guard lock(mutex_);
  OW_CHECK(pass_ == 0, "set_bucket_order: call it before the first forward pass");
  std::vector<size_t> sorted = order, all = first_order(parameters_.size());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  OW_CHECK_VALUE(sorted == all,
                 "set_bucket_order: names: expected each parameter that is reduced once");
  make_buckets(order);
  is_rebuilt_ = true;
}

bool Reducer::is_rebuilt() const {
  const std::lock_guard lock(mutex_);
  return is_rebuilt_;
}

ReducerStatistics Reducer::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

}  // namespace opweave::distributed

// Observers of threads and of all, and what they are told of a call.
#include "runtime/dispatch/observer.h"

#include <algorithm>
#include <utility>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

using Observers = std::vector<std::shared_ptr<CallObserver>>;

struct ObserverList final : RefCounted {
  explicit ObserverList(Observers o) : list(std::move(o)) {}
  const Observers list;
};

constinit ThreadReference<ObserverList> of_thread;
constinit ThreadValue<const ObservedCall*> innermost;

struct OfAll {
  ForkSafeMutex mutex;
  intrusive_ptr<const ObserverList> observers;
};
OfAll& of_all() {
  static auto* all = new OfAll;
  return *all;
}
// Read by those who go past the dispatcher where nobody looks.
constinit std::atomic<bool> any_of_all{false};

Observers without(Observers list, const CallObserver& observer) {
  std::erase_if(list, [&](const auto& o) { return o.get() == &observer; });
  return list;
}

Observers list_of_thread() {
  const ObserverList* list = of_thread.get();
  return list != nullptr ? list->list : Observers();
}

void change_thread(Observers list) {
  ThreadState& state = thread_state();
  const DispatchKeySet key = DispatchKey::kThreadObserver;
  state.included = list.empty() ? state.included - key : state.included | key;
  of_thread.set(list.empty() ? nullptr : make_intrusive<ObserverList>(std::move(list)));
}

void change_all(Observers list) {
  const bool any = !list.empty();
  of_all().observers = any ? make_intrusive<ObserverList>(std::move(list)) : nullptr;
  if (any_of_all.exchange(any) == any) return;
  const std::lock_guard lock(registry_mutex());
  for (OperatorEntry* op : all_operators()) op->set_observed(any);
}

Observers list_of_all() {
  const std::lock_guard lock(of_all().mutex);
  return of_all().observers ? of_all().observers->list : Observers();
}

// What an observer does itself is not observed.
struct Unobserved : ExcludeDispatchKeys {
  Unobserved() : ExcludeDispatchKeys(observer_keys()) {}
};

}  // namespace

ObservedCall::ObservedCall(const OperatorEntry& op, DispatchKeySet keys)
    : op_(op),
      keys_(keys - observer_keys()),
      caller_(innermost.get()),
      depth_(caller_ == nullptr ? 0 : caller_->depth_ + 1),
      observers_(keys.has(DispatchKey::kThreadObserver) ? list_of_thread() : Observers()) {
  if (keys.has(DispatchKey::kGlobalObserver)) {
    for (auto& observer : list_of_all()) observers_.push_back(std::move(observer));
  }
  wants_values_ = std::ranges::any_of(observers_, [](const auto& o) { return o->wants_values(); });
}

void ObservedCall::begin() {
  {
    const Unobserved quiet;
    for (const auto& observer : observers_) {
      ++begun_;
      observer->begin(*this);
    }
  }
  innermost.set(this);
}

ObservedCall::~ObservedCall() {
  innermost.set(caller_);
  const Unobserved quiet;
  for (size_t i = begun_; i > 0; --i) observers_[i - 1]->end(*this);
}

void ObservedCall::set_arguments(Stack arguments) {
  arguments_ = std::move(arguments);
  has_arguments_ = true;
}

void ObservedCall::set_results(Stack results) {
  results_ = std::move(results);
  has_results_ = true;
}

void add_thread_observer(std::shared_ptr<CallObserver> observer) {
  Observers list = list_of_thread();
  list.push_back(std::move(observer));
  change_thread(std::move(list));
}

void remove_thread_observer(const CallObserver& observer) {
  change_thread(without(list_of_thread(), observer));
}

void add_global_observer(std::shared_ptr<CallObserver> observer) {
  const std::lock_guard lock(of_all().mutex);
  Observers list = of_all().observers ? of_all().observers->list : Observers();
  list.push_back(std::move(observer));
  change_all(std::move(list));
}

void remove_global_observer(const CallObserver& observer) {
  const std::lock_guard lock(of_all().mutex);
  if (of_all().observers) change_all(without(of_all().observers->list, observer));
}

bool observed_by_all() { return any_of_all.load(std::memory_order_relaxed); }

void run_observed(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  ObservedCall call(op, keys);
  if (call.wants_values()) call.set_arguments(stack);
  call.begin();
  op.call_resolved(call.keys(), stack);
  if (call.wants_values()) call.set_results(stack);
  call.succeeded();
}

}  // namespace opweave

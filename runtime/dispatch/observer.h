// Observers: who sees the begin and the end of every operator call, in one thread or in all.
//
// Nobody pays for them while there are none: the keys of observers are bits like those of
// functionalities, and a call that has none of them takes the same instructions as ever. Observed
// calls go through the operator's boxed trampoline, which packs arguments only when they are
// wanted.
//
// A call that autograd records is two calls of the operator, one inside of the other: that which
// records, and that below autograd.
#pragma once

#include <memory>
#include <vector>

#include "runtime/dispatch/operator.h"

namespace opweave {

class CallObserver;

class ObservedCall {
 public:
  // The call begins.
  ObservedCall(const OperatorEntry& op, DispatchKeySet keys);
  // It is over, also by an exception.
  ~ObservedCall();
  ObservedCall(const ObservedCall&) = delete;

  const OperatorEntry& op() const { return op_; }
  // What the call was dispatched on: the highest says who serves it.
  DispatchKeySet keys() const { return keys_; }
  // The call in whose kernel this one was made; null for the outermost of a thread.
  const ObservedCall* caller() const { return caller_; }
  int depth() const { return depth_; }
  // In schema order; null unless an observer wants values. The results come with the end, null if
  // there are none because the call failed; arguments that were written show what was written.
  const Stack* arguments() const { return has_arguments_ ? &arguments_ : nullptr; }
  const Stack* results() const { return has_results_ ? &results_ : nullptr; }
  // At the end: whether it threw.
  bool failed() const { return failed_; }

  // --- for those who make the call ---------------------------------------------------------------
  bool wants_values() const { return wants_values_; }
  void begin();  // tells the observers, once the arguments are there
  void set_arguments(Stack arguments);
  void set_results(Stack results);
  // Says that the call has come to its end.
  void succeeded() { failed_ = false; }

 private:
  const OperatorEntry& op_;
  const DispatchKeySet keys_;
  const ObservedCall* const caller_;
  const int depth_;
  bool wants_values_ = false, has_arguments_ = false, has_results_ = false;
  bool failed_ = true;
  Stack arguments_, results_;
  std::vector<std::shared_ptr<CallObserver>> observers_;  // the same at the end as at the begin
  size_t begun_ = 0;                                      // how many know of it
};

// Calls may come from several threads at once: those of the pool and of the engine work in the
// state of their caller. Calls that an observer makes itself are not observed.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // Whether arguments and results are wanted, which costs a copy of each.
  virtual bool wants_values() const { return false; }
  virtual void begin(const ObservedCall& call) = 0;
  virtual void end(const ObservedCall& call) noexcept = 0;
};

// An observer may be removed while calls are on their way: they still tell it their end.
void add_thread_observer(std::shared_ptr<CallObserver> observer);
void remove_thread_observer(const CallObserver& observer);
void add_global_observer(std::shared_ptr<CallObserver> observer);
void remove_global_observer(const CallObserver& observer);

// --- for the registry ----------------------------------------------------------------------------
bool observed_by_all();

// A boxed call that was resolved to `keys`, of which the highest is an observer's.
void run_observed(const OperatorEntry& op, DispatchKeySet keys, Stack& stack);

}  // namespace opweave

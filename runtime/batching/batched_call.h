// One call with batched arguments: takes the examples out of the arguments, and puts them back into
// the results. And the vmaps around it: as a whole, to be taken up again, and all levels of a
// tensor.
#pragma once

#include <chrono>

#include "runtime/autograd/custom_node.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/batching/rules.h"
#include "runtime/dispatch/ivalue.h"

namespace opweave {

// A loop over the examples of a call, each of which leaves results in memory: RuntimeError where
// they are too many for that.
class ExampleLoop {
 public:
  ExampleLoop(const OperatorEntry& op, int64_t count);
  // Whether there is another example. Interrupts end the loop by an exception.
  bool next();
  int64_t at() const { return at_; }

 private:
  using Clock = std::chrono::steady_clock;
  const int64_t count_;
  int64_t at_ = -1;
  Clock::time_point asked_ = Clock::now();
};

class BatchedCall {
 public:
  // The highest level among the arguments is the one that is taken out.
  BatchedCall(const OperatorEntry& op, Stack& stack);

  int64_t level() const { return level_; }
  int64_t size() const { return size_; }  // the number of examples
  std::string name() const { return op_.full_name(); }
  Stack& stack() { return stack_; }

  bool batches(const Tensor& t) const { return batch_level(t) == level_; }
  // Calls `f(Tensor&)` for every defined tensor among the arguments.
  template <class F>
  void for_each_tensor(F f) {
    for (IValue& v : stack_) visit(v, f);
  }
  template <class F>
  static void visit(IValue& v, F f) {
    if (v.is_tensor()) {
      if (v.to_tensor().defined()) f(v.to_tensor());
    } else if (auto* list = std::get_if<std::vector<Tensor>>(&v.value())) {
      for (Tensor& t : *list) {
        if (t.defined()) f(t);
      }
    }
  }

  // Replaces batched tensors by their values, runs the operator, and batches what it returns.
  // Written arguments are returned as they were given.
  void run_on_values();
  void run_on_values(AnyKernel kernel);
  // Makes `results` those of the call.
  void finish(Stack results);

 private:
  // What is written has to be batched when anything is: examples cannot share one result.
  void keep_written();
  void take_values();

  const OperatorEntry& op_;
  Stack& stack_;
  Stack written_;  // the arguments that are written, as they came
  int64_t level_ = 0, size_ = 0;
};

// --- the vmaps that run in a thread, as a whole: kept, and taken up again elsewhere or later
// Levels hold those outside of them, so that nothing is needed to leave one.
struct OpenLevels final : RefCounted {
  std::vector<BatchLevel> list;
  intrusive_ptr<const OpenLevels> outside;
};
using OpenLevelsPtr = intrusive_ptr<const OpenLevels>;

// Those of this thread; null: none.
OpenLevelsPtr open_levels();
void set_open_levels(OpenLevelsPtr levels);
// The outermost `depth` of them.
OpenLevelsPtr outermost_levels(size_t depth);
// One more inside of `outside`.
OpenLevelsPtr with_level(OpenLevelsPtr outside, BatchLevel level);

// Takes up levels for a while.
class OpenLevelsGuard {
 public:
  explicit OpenLevelsGuard(OpenLevelsPtr levels) : previous_(open_levels()) {
    set_open_levels(std::move(levels));
  }
  ~OpenLevelsGuard() { set_open_levels(std::move(previous_)); }
  OpenLevelsGuard(const OpenLevelsGuard&) = delete;

 private:
  OpenLevelsPtr previous_;
};

// --- all levels of a tensor
// A tensor that is not batched, whose first dimensions count the examples of the levels, outermost
// first.
struct AllExamples {
  Tensor tensor;
  std::vector<int64_t> levels;
};
AllExamples all_examples(const Tensor& t);
Tensor batched_again(const AllExamples& all);

// Makes functions with gradients of their own, hooks and backward passes know of vmap.
void offer_examples();

}  // namespace opweave

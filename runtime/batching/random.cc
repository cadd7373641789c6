// Random operators under vmap: whether each example draws for itself. Their kernels for a dispatch
// key of its own, which is above all others and included while a vmap runs: what they draw may
// differ between the examples though no argument does.
#include "runtime/batching/random.h"

#include <algorithm>
#include <mutex>

#include "opweave/ops/clone.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/select.h"
#include "opweave/ops/stack.h"
#include "runtime/batching/batched_call.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

class RandomCall {
 public:
  explicit RandomCall(const OperatorEntry& op) : op_(op), record_(op.record()) {}

  // For the vmaps up to `level`; the arguments are those of one example of all others.
  void run(Stack& stack, size_t level) const {
    if (level == 0) return op_.call(stack);
    const BatchLevel& here = batch_levels()[level - 1];
    check_allowed(here);
    const bool batched = is_batched_at(stack, level);
    const bool same = here.randomness == Randomness::kSame;
    if (same && !batched) return run(stack, level - 1);
    // The rules of batched tensors draw for the whole batch at once.
    if (!same && batched && batch_levels().size() == 1) return op_.call(stack);
    if (record_.written() >= 0) return write(stack, level, same);
    return same ? share(stack, level) : draw_each(stack, level);
  }

 private:
  bool has_training() const { return record_.argument_with(ArgRole::kTraining) >= 0; }
  // Dropout, whose factors no element decides.
  bool scales() const {
    return has_training() && record_.argument_with(ArgRole::kProbability) >= 0;
  }

  void check_allowed(const BatchLevel& here) const {
    OW_CHECK(here.randomness != Randomness::kError, "vmap: called random operation ",
             op_.full_name(),
             " while in randomness error mode. Please either use the 'same' or 'different' "
             "randomness flags on vmap or perform the randomness operation out of vmap");
  }

  static bool batches(const Tensor& t, size_t level) {
    return batch_level(t) == static_cast<int64_t>(level);
  }
  static bool is_batched_at(Stack& stack, size_t level) {
    bool any = false;
    for (IValue& v : stack) BatchedCall::visit(v, [&](Tensor& t) { any |= batches(t, level); });
    return any;
  }

  static Stack example(Stack stack, size_t level, int64_t i) {
    for (IValue& v : stack) {
      BatchedCall::visit(v, [&](Tensor& t) {
        if (batches(t, level)) t = opweave::select(Tensor(batched_value(t).value), 0, i);
      });
    }
    return stack;
  }

  // Results of their own.
  void draw_each(Stack& stack, size_t level) const {
    std::vector<std::vector<Tensor>> parts;  // of each result
    for (ExampleLoop loop(op_, batch_levels()[level - 1].size); loop.next();) {
      Stack one = example(stack, level, loop.at());
      run(one, level - 1);
      parts.resize(one.size());
      for (size_t k = 0; k < one.size(); ++k) parts[k].push_back(one[k].to_tensor());
    }
    OW_CHECK(!parts.empty(), "vmap: ", op_.full_name(),
             " cannot tell the shape of its result when there are no examples");
    stack.clear();
    for (const auto& part : parts)
      stack.emplace_back(make_batched(opweave::stack(part, 0), static_cast<int64_t>(level)));
  }

  // One draw, where examples differ: possible when they lend their shape alone, or are scaled.
  void share(Stack& stack, size_t level) const {
    Stack one = example(stack, level, 0);
    const bool scales = this->scales();
    OW_CHECK(scales || op_.def().name.ends_with("_like"), "vmap: ", op_.full_name(),
             " does not currently support same randomness with a batched tensor input");
    const Tensor input = stack[0].to_tensor();
    if (scales) one[0] = opweave::ones_like(one[0].to_tensor());
    run(one, level - 1);
    OW_CHECK(one.size() == 1, "vmap: ", op_.full_name(),
             " does not currently support same randomness with a batched tensor input");
    if (scales) one[0] = opweave::mul(input, one[0].to_tensor());
    stack = std::move(one);
  }

  // In place.
  void write(Stack& stack, size_t level, bool same) const {
    const auto at = static_cast<size_t>(record_.written());
    const Tensor written = stack[at].to_tensor();
    OW_CHECK(batches(written, level),
             "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will "
             "appear like same randomness. Draw with an operator that returns a new tensor instead "
             "of ",
             op_.full_name());
    const int64_t size = same ? 1 : batch_levels()[level - 1].size;
    for (ExampleLoop loop(op_, size); loop.next();) {
      Stack one = example(stack, level, loop.at());
      if (same) one[at] = opweave::clone(one[at].to_tensor());
      run(one, level - 1);
      if (same) copy_to_all(written, one[0].to_tensor(), stack, at, level);
    }
    stack = {written};
  }

  void copy_to_all(Tensor written, const Tensor& drawn, Stack& stack, size_t at,
                   size_t level) const {
    stack[at] = drawn;
    OW_CHECK(!has_training() && !is_batched_at(stack, level), "vmap: ", op_.full_name(),
             " does not currently support same randomness with a batched tensor input");
    opweave::copy_(written, drawn);
  }

  const OperatorEntry& op_;
  const OperatorRecord& record_;
};

// dropout outside of training, or of nothing or everything, draws no numbers.
bool draws(const OperatorRecord& record, const Stack& stack) {
  const int at = record.argument_with(ArgRole::kTraining);
  if (at < 0) return true;
  const IValue& train = stack[static_cast<size_t>(at)];
  if (!train.is_none() && !train.to_bool()) return false;
  const int p_at = record.argument_with(ArgRole::kProbability);
  const double p = p_at < 0 ? 0.5 : stack[static_cast<size_t>(p_at)].to_double();
  return p > 0 && p < 1;
}

void run(const OperatorEntry& op, DispatchKeySet, Stack& stack) {
  const ExcludeDispatchKeys below(vmap_random_key());
  if (!draws(op.record(), stack)) return op.call(stack);
  RandomCall(op).run(stack, batch_levels().size());
}

constinit FunctionalityKey random_key{"VmapRandomness"};

}  // namespace

DispatchKey vmap_random_key() { return random_key.key(); }

void register_random_rules() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_rule(vmap_random_key(), [](OperatorEntry& op, DispatchKey key) {
      const OperatorRecord& record = op.record();
      if (record.has_tag("random") && record.form != OperatorForm::kOut)
        op.set_boxed_kernel(key, run);
    });
  });
}

}  // namespace opweave

// Taking examples out of arguments and putting them back into results.
#include "runtime/batching/batched_call.h"

#include <atomic>

#include "runtime/dispatch/boxed_scalar.h"

namespace opweave {
namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};

}  // namespace

void set_interrupt_check(InterruptCheck check) { interrupt_check.store(check); }

ExampleLoop::ExampleLoop(const OperatorEntry& op, int64_t count) : count_(count) {
  constexpr int64_t kMost = int64_t{1} << 24;
  OW_CHECK(count <= kMost, "vmap: ", op.full_name(), " runs example by example, and ", count,
           " examples are more than the ", kMost,
           " that it can take at once. Give vmap a chunk_size");
}

bool ExampleLoop::next() {
  const Clock::time_point now = Clock::now();
  if (now - asked_ > std::chrono::milliseconds(100)) {
    asked_ = now;
    if (InterruptCheck check = interrupt_check.load(std::memory_order_relaxed)) check();
  }
  return ++at_ < count_;
}

namespace {

void check_open(const OperatorEntry& op, int64_t level) {
  OW_CHECK(
      level <= static_cast<int64_t>(batch_levels().size()), "vmap: ", op.full_name(),
      " got an example of a vmap that has ended. What a function under vmap returns stands for "
      "all examples afterwards; what it keeps elsewhere, such as in a list or a global variable, "
      "does not.");
}

}  // namespace

BatchedCall::BatchedCall(const OperatorEntry& op, Stack& stack) : op_(op), stack_(stack) {
  for_each_tensor([&](const Tensor& t) { level_ = std::max(level_, batch_level(t)); });
  check_open(op_, level_);
  for_each_tensor([&](const Tensor& t) {
    if (batches(t)) size_ = batched_value(t).value.sizes()[0];
  });
  keep_written();
}

void BatchedCall::keep_written() {
  for (size_t i = 0; i < stack_.size(); ++i) {
    if (!op_.record().arguments[i].type.written) continue;
    IValue& argument = stack_[i];
    visit(argument, [&](const Tensor& t) {
      OW_CHECK(
          batches(t), "vmap: ", op_.full_name(), " cannot write to a tensor of shape ", t.sizes(),
          " that is the same for all ", size_,
          " examples: other arguments differ between them. Use the operator's functional form, "
          "or make the tensor from a batched one, for example with new_zeros().");
    });
    written_.push_back(argument);
  }
}

// Where the elements lie is another matter for a batch, which has a dimension more than the format
// speaks of.
void drop_format(IValue& v) {
  if (auto* format = std::get_if<MemoryFormat>(&v.value())) {
    if (*format != MemoryFormat::kPreserve) *format = MemoryFormat::kContiguous;
  }
}

void BatchedCall::take_values() {
  for (IValue& v : stack_) drop_format(v);
  for_each_tensor([&](Tensor& t) {
    if (batches(t)) t = Tensor(batched_value(t).value);
  });
}

void BatchedCall::run_on_values() { run_on_values(op_.def().call); }

void BatchedCall::run_on_values(AnyKernel kernel) {
  take_values();
  op_.def().call_boxed(kernel, stack_);
  finish(std::move(stack_));
}

void BatchedCall::finish(Stack results) {
  const auto batch = [&](Tensor& t) { t = make_batched(std::move(t), level_); };
  for (size_t i = 0; i < results.size(); ++i) {
    const bool is_number = boxed_scalar_of(results[i].value()) != nullptr;
    const bool is_object = std::holds_alternative<Object>(results[i].value()) && !is_number;
    OW_CHECK(results[i].is_tensor() || results[i].is_tensor_list(), "vmap: ", op_.full_name(),
             " makes a ", is_object ? results[i].kind_name() : "number",
             " of a tensor that differs between the examples: a function under vmap "
             "cannot decide by its values");
    visit(results[i], batch);
  }
  // In-place and out forms return what they were given.
  if (written_.size() == results.size()) results = std::move(written_);
  stack_ = std::move(results);
}

}  // namespace opweave

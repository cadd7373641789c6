// The rules themselves.
#include "runtime/batching/rules.h"

#include <algorithm>

#include "opweave/ops/expand.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/select.h"
#include "opweave/ops/stack.h"
#include "opweave/ops/to.h"
#include "opweave/ops/view.h"
#include "runtime/batching/batched_call.h"
#include "runtime/batching/random.h"
#include "runtime/batching/statistics.h"
#include "runtime/core/tensor/type_promotion.h"

namespace opweave {
namespace {

// --- pointwise ----------------------------------------------------------------------------------

// A value whose example has fewer dimensions than `rank` gets ones behind the examples.
Tensor lined_up(const Tensor& value, int64_t rank) {
  const int64_t missing = rank + 1 - value.dim();
  if (missing <= 0) return value;
  DimVector sizes{value.sizes()[0]};
  for (int64_t i = 0; i < missing; ++i) sizes.push_back(1);
  for (int64_t size : value.sizes().subspan(1)) sizes.push_back(size);
  return opweave::reshape(value, sizes);
}

// Whether an example without dimensions meets another dtype; masks stay what they are.
bool has_numbers_of_other_dtypes(BatchedCall& call) {
  ScalarType first = kBool;
  bool differ = false, any = false, scalars = false;
  call.for_each_tensor([&](const Tensor& t) {
    if (t.dtype() == kBool) return;
    differ |= any && t.dtype() != first;
    first = t.dtype();
    any = true;
    scalars |= call.batches(t) && t.dim() == 0;
  });
  return differ && scalars;
}

// Examples without dimensions weigh less in promotion than their batch, which has one: they are
// cast beforehand when that would make a difference. What is written stays: a cast is a copy, and
// the write would be lost with it.
void settle_dtypes(const OperatorEntry& op, NumberDtype numbers, BatchedCall& call) {
  if (numbers == NumberDtype::kOwn || !has_numbers_of_other_dtypes(call)) return;
  const int written = op.record().written();
  const Tensor* target =
      written < 0 ? nullptr : &call.stack()[static_cast<size_t>(written)].to_tensor();
  ResultType promoted;
  call.for_each_tensor([&](const Tensor& t) { promoted.add(t); });
  const ScalarType common = promoted.result();
  if (numbers == NumberDtype::kFloats && !is_floating(common)) return;
  call.for_each_tensor([&](Tensor& t) {
    // A mask stays one.
    if (&t != target && call.batches(t) && t.dim() == 0 && t.dtype() != kBool &&
        t.dtype() != common) {
      t = opweave::to(t, common);
    }
  });
}

void run_pointwise(const OperatorEntry& op, NumberDtype numbers, BatchedCall& call) {
  settle_dtypes(op, numbers, call);
  int64_t rank = 0;
  call.for_each_tensor([&](const Tensor& t) { rank = std::max(rank, t.dim()); });
  call.for_each_tensor([&](Tensor& t) {
    if (!call.batches(t)) return;
    const Tensor value = lined_up(batched_value(t).value, rank);
    t = make_batched(value, call.level());
  });
  call.run_on_values();
}

// --- one example after the other ----------------------------------------------------------------

Stack example(BatchedCall& call, int64_t i) {
  Stack arguments = call.stack();
  for (IValue& v : arguments) {
    BatchedCall::visit(v, [&](Tensor& t) {
      if (call.batches(t)) t = opweave::select(Tensor(batched_value(t).value), 0, i);
    });
  }
  return arguments;
}

Tensor stacked(const BatchedCall& call, const std::vector<Tensor>& parts) {
  for (const Tensor& part : parts) {
    OW_CHECK(part.defined(), call.name(), "(): the kernel returned no tensor for an example");
    OW_CHECK(same_sizes(part.sizes(), parts[0].sizes()), "vmap: the results of ", call.name(),
             " differ in shape between the examples: ", parts[0].sizes(), " and ", part.sizes());
  }
  return opweave::stack(parts, 0);
}

// The k-th results of all examples as one.
IValue gathered(const BatchedCall& call, std::vector<Stack>& results, size_t k) {
  const IValue& first = results[0][k];
  if (first.is_tensor()) {
    std::vector<Tensor> parts;
    for (Stack& r : results) parts.push_back(r[k].to_tensor());
    const bool none = std::ranges::none_of(parts, [](const Tensor& t) { return t.defined(); });
    return none ? Tensor() : stacked(call, parts);
  }
  if (!first.is_tensor_list()) return first;
  const size_t length = first.to_tensor_list().size();
  for (const Stack& r : results) {
    OW_CHECK(r[k].to_tensor_list().size() == length, "vmap: the results of ", call.name(),
             " differ in number between the examples: ", length, " and ",
             r[k].to_tensor_list().size());
  }
  std::vector<Tensor> list;
  for (size_t j = 0; j < length; ++j) {
    std::vector<Tensor> parts;
    for (Stack& r : results) parts.push_back(r[k].to_tensor_list()[j]);
    list.push_back(stacked(call, parts));
  }
  return list;
}

void run_loop(const OperatorEntry& op, BatchedCall& call) {
  OW_CHECK(call.size() > 0, "vmap: ", call.name(),
           " runs example by example and cannot tell the shape of its result when there are none");
  std::vector<Stack> results;
  for (ExampleLoop loop(op, call.size()); loop.next();) {
    Stack one = example(call, loop.at());
    op.call(one);
    results.push_back(std::move(one));
  }
  Stack whole;
  for (size_t k = 0; k < results[0].size(); ++k) whole.push_back(gathered(call, results, k));
  call.finish(std::move(whole));
}

// --- random numbers ----------------------------------------------------------------------------

// What was allowed has been asked: random.cc.
void run_random(const OperatorEntry& op, BatchedCall& call) {
  if (op.record().written() < 0) return run_loop(op, call);
  run_pointwise(op, NumberDtype::kCommon, call);
}

// --- dimensions ---------------------------------------------------------------------------------

// A dimension of an example as one of the batch. Negative ones count from the end, where nothing
// changes, but must not reach the examples.
int64_t shifted(int64_t dim, int64_t rank) { return wrap_dim(dim, rank) + 1; }

IValue shifted_dims(const IValue& v, int64_t rank, bool none_means_all) {
  if (const auto* dim = std::get_if<int64_t>(&v.value())) return shifted(*dim, rank);
  std::vector<int64_t> dims;
  if (!v.is_none()) dims = v.to_int_list();
  if (dims.empty() && none_means_all) {
    for (int64_t d = 1; d <= rank; ++d) dims.push_back(d);
    return dims;
  }
  if (v.is_none()) return v;
  for (int64_t& d : dims) d = shifted(d, rank);
  return dims;
}

// The sizes of a batch of so many examples.
DimVector with_examples(IntList sizes, int64_t count) {
  DimVector all{count};
  for (const int64_t size : sizes) all.push_back(size);
  return all;
}

IValue with_examples_first(const IValue& order, int64_t rank) {
  std::vector<int64_t> all = order.to_int_list();
  for (int64_t& d : all) d = shifted(d, rank);
  all.insert(all.begin(), 0);
  return all;
}

bool names_no_dim(const OperatorRecord& record, const Stack& stack) {
  for (size_t i = 0; i < stack.size(); ++i) {
    if (record.arguments[i].role == ArgRole::kDim && stack[i].is_none()) return true;
  }
  return false;
}

// The tensor that the arguments speak of: the first one, or the first of a list, all of which get
// the examples in front.
Tensor& subject(BatchedCall& call) {
  Tensor* first = nullptr;
  call.for_each_tensor([&](Tensor& t) {
    if (first == nullptr) first = &t;
    if (call.batches(t)) return;
    t = make_batched(opweave::expand(t, with_examples(t.sizes(), call.size())), call.level());
  });
  return *first;
}

// Of the tensors of a list; cat() skips empty ones of any shape.
bool same_ranks(BatchedCall& call, int64_t rank) {
  bool same = true;
  call.for_each_tensor([&](const Tensor& t) { same &= t.dim() == rank; });
  return same;
}

// An argument as the batch needs it.
IValue for_batch(ArgRole role, const IValue& argument, int64_t rank, int64_t examples) {
  switch (role) {
    case ArgRole::kPlain:
    case ArgRole::kIndex:
    case ArgRole::kTraining:
    case ArgRole::kProbability:
      return argument;
    case ArgRole::kDim:
      return shifted_dims(argument, rank, /*none_means_all=*/false);
    case ArgRole::kDimsOrAll:
      return shifted_dims(argument, rank, /*none_means_all=*/true);
    case ArgRole::kOrder:
      return with_examples_first(argument, rank);
    case ArgRole::kNewDim:
      return shifted(argument.to_int(), rank + 1);
    case ArgRole::kSize:
      return IntList(with_examples(argument.to_int_list(), examples));
  }
  return argument;
}

bool gives_views(const OperatorRecord& record) {
  return record.written() < 0 && std::ranges::all_of(record.returns, [](const ReturnRecord& r) {
           return r.type.is_tensor() && r.type.alias != 0;
         });
}

// Views of tensors without dimensions: of one element, in sizes of one. A loop would copy it.
void run_views_of_elements(const OperatorEntry& op, BatchedCall& call, const Tensor& self) {
  Stack results = example(call, 0);
  op.call(results);
  for (IValue& result : results) {
    result = opweave::view(batched_value(self).value,
                           with_examples(result.to_tensor().sizes(), call.size()));
  }
  call.finish(std::move(results));
}

void run_dims(const OperatorEntry& op, BatchedCall& call) {
  const std::span<const ArgumentRecord> arguments = op.record().arguments;
  Stack& stack = call.stack();
  Tensor& self = subject(call);
  const int64_t rank = self.dim();
  const bool counted = std::ranges::any_of(arguments, [](const ArgumentRecord& a) {
    return a.role == ArgRole::kDim || a.role == ArgRole::kDimsOrAll;
  });
  // Without dimensions, 0 and -1 still name one: the example's operator knows what they mean.
  if (counted && rank == 0 && call.size() > 0 && gives_views(op.record()))
    return run_views_of_elements(op, call, self);
  if ((counted && rank == 0) || names_no_dim(op.record(), stack) || !same_ranks(call, rank)) {
    return run_loop(op, call);
  }
  for (size_t i = 0; i < stack.size(); ++i) {
    stack[i] = for_batch(arguments[i].role, stack[i], rank, call.size());
    // What is expanded may have fewer dimensions than the result; ones do no harm elsewhere.
    if (arguments[i].role != ArgRole::kSize) continue;
    const auto result_rank = static_cast<int64_t>(stack[i].to_int_list().size()) - 1;
    if (rank < result_rank) {
      self = make_batched(lined_up(batched_value(self).value, result_rank), call.level());
    }
  }
  call.run_on_values();
}

// The state in which operators run on values. A kernel that works below autograd on batched tensors
// counts on a recording that has not happened: autograd sees the values only.
ThreadState state_for_values() {
  ThreadState state = thread_state();
  state.excluded = (state.excluded - DispatchKey::kADInplaceOrView) | vmap_random_key();
  if (state.grad_enabled) state.excluded = state.excluded - DispatchKey::kAutograd;
  return state;
}

void check_example(const OperatorEntry& op, const BatchRuleDef& def, const Stack& stack) {
  if (def.check == nullptr) return;
  Stack examples = stack;
  op.def().call_boxed(def.check, examples);
}

void run_rule(const OperatorEntry& op, const BatchRuleDef& def, BatchedCall& call) {
  switch (def.rule) {
    case BatchRule::kPointwise:
      if (def.numbers == NumberDtype::kApart && call.size() > 0 &&
          has_numbers_of_other_dtypes(call))
        return run_loop(op, call);
      return run_pointwise(op, def.numbers, call);
    case BatchRule::kDims:
      return run_dims(op, call);
    case BatchRule::kLeadingDims:
      return def.kernel != nullptr ? call.run_on_values(def.kernel) : call.run_on_values();
    case BatchRule::kRandom:
      return run_random(op, call);
    case BatchRule::kLoop:
      return run_loop(op, call);
  }
}

void run_on_values(const OperatorEntry& op, const BatchRuleDef& def, Stack& stack) {
  BatchedCall call(op, stack);
  if (def.statistics == 0) {
    check_example(op, def, stack);
    return run_rule(op, def, call);
  }
  const Statistics statistics(op, def, call);
  check_example(op, def, stack);
  run_rule(op, def, call);
  statistics.update();
}

void run(const OperatorEntry& op, const BatchRuleDef& def, Stack& stack) {
  // Writes may include keys, for what other tensors get by them.
  DispatchKeySet included;
  {
    const ThreadStateGuard guard(state_for_values());
    run_on_values(op, def, stack);
    included = thread_state().included;
  }
  ThreadState& state = thread_state();
  state.included = state.included | included;
}

}  // namespace

void register_batch_rules(std::span<const BatchRuleDef> rules) {
  register_random_rules();
  for (const BatchRuleDef& def : rules) {
    def.op->set_boxed_kernel(batched_key(), [&def](const OperatorEntry& op, DispatchKeySet,
                                                   Stack& stack) { run(op, def, stack); });
  }
}

}  // namespace opweave

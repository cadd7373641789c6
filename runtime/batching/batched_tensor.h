// Batched tensors: what a function under vmap sees of a tensor. One looks like a single example and
// stands for all of them: its value has one more dimension, the examples, in front.
//
// Levels number nested vmaps from 1 on, the outermost first. A tensor that several of them batch is
// a batched tensor of the highest level whose value is one of the next lower level, and so on.
// A batched tensor carries batched_key(), above autograd: its operators run on the value, and
// autograd records them there.
#pragma once

#include "runtime/core/tensor/tensor.h"
#include "runtime/dispatch/functionality.h"

namespace opweave {

namespace detail {
extern FunctionalityKey batched_key;
}
inline DispatchKey batched_key() { return detail::batched_key.key(); }

struct BatchedValue final : TensorExtension {
  BatchedValue(Tensor v, int64_t l) : value(std::move(v)), level(l) {}
  std::string_view what() const override { return "vmap: a batched tensor"; }
  const Tensor value;
  const int64_t level;
};

inline bool is_batched(const Tensor& t) { return t.key_set().has_any(detail::batched_key.keys()); }
// Of a batched tensor.
inline const BatchedValue& batched_value(const Tensor& t) {
  return static_cast<const BatchedValue&>(*t.impl()->extension());
}
// 0: not batched.
inline int64_t batch_level(const Tensor& t) {
  return t.defined() && is_batched(t) ? batched_value(t).level : 0;
}

// RuntimeError for a batched tensor: its operators work on the value.
inline void check_has_memory(std::string_view op, const Tensor& t) {
  OW_CHECK(!is_batched(t), "vmap: ", op, " works on memory, and a batched tensor of shape ",
           t.sizes(), " has no memory of its own");
}

// One example of `value`, whose dimension 0 counts them; of at least one dimension.
Tensor make_batched(Tensor value, int64_t level);

// The values of all levels up to `depth` as dimensions in front, outermost first; a tensor that
// some level does not batch is repeated for it. Levels above stay batched.
// [B_depth] of size sizes[depth - 1].
Tensor to_physical(const Tensor& t, IntList sizes);
// The reverse, for a tensor with `depth` such dimensions in front.
Tensor from_physical(const Tensor& t, int64_t depth);

// What random operators do under a vmap: refuse, draw once for all examples, or anew for each.
enum class Randomness : uint8_t { kError, kSame, kDifferent };

// The vmaps that run in this thread, and in those that work for it.
struct BatchLevel {
  int64_t size;
  Randomness randomness;
};
const std::vector<BatchLevel>& batch_levels();
// Enters a vmap over `size` examples and returns its level.
int64_t push_batch_level(int64_t size, Randomness randomness);
void pop_batch_level();

// What long loops over examples call now and then; it throws to end them. Python's signals.
using InterruptCheck = void (*)();
void set_interrupt_check(InterruptCheck check);

}  // namespace opweave

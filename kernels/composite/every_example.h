// Checks of values, which look at all examples at once under vmap.
#pragma once

#include "opweave/ops/all.h"
#include "opweave/ops/item.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// The values of all examples that a tensor stands for; the tensor itself outside vmap. Only for
// checks: what is computed of them is no example's result.
inline Tensor every_example(Tensor t) {
  while (is_batched(t)) t = Tensor(batched_value(t).value);
  return t;
}

// Whether a condition holds for every element of every example; of tensors without data nothing
// says otherwise.
inline bool holds_everywhere(const Tensor& condition) {
  const Tensor examples = every_example(condition);
  return examples.is_meta() || opweave::item(ops::all::call(examples)).to_bool();
}

}  // namespace opweave::composite

// AutogradMeta: what autograd keeps beside a tensor: its gradient, its hooks, a leaf's accumulator.
#pragma once

#include <memory>

#include "runtime/autograd/hooks.h"
#include "runtime/autograd/node.h"
#include "runtime/autograd/spin_lock.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

class AccumulateGrad;

struct AutogradMeta final : AutogradMetaBase {
  Tensor grad;                            // of a leaf, or set by the user
  std::shared_ptr<Tensor> retained_grad;  // of a non-leaf, after retain_grad()
  std::shared_ptr<TensorHooks> hooks;     // of a leaf; a non-leaf's are on its node
  std::shared_ptr<AccumulateHooks> post_accumulate_hooks;
  // What a transform made for a function to be differentiated by: nobody differentiates by it once
  // that has ended.
  bool of_transform = false;
  ForkFreedMutex grad_mutex;  // held while a gradient is added to `grad`
  // The accumulator owns the leaf, so the leaf does not own it: the accumulator's destructor clears
  // this under the lock.
  SpinLock accumulator_lock;
  AccumulateGrad* accumulator = nullptr;
};

// Null when the tensor has none yet.
inline AutogradMeta* find_autograd_meta(const Tensor& t) {
  return static_cast<AutogradMeta*>(t.impl()->autograd_meta().get());
}
// Made when missing. set_requires_grad() has made it for every leaf, before threads share it.
AutogradMeta& autograd_meta(const Tensor& t);

// The accumulator of a leaf that requires grad: one per leaf while any graph refers to it.
intrusive_ptr<Node> grad_accumulator(const Tensor& leaf);
// The accumulator if there is one now.
intrusive_ptr<Node> try_grad_accumulator(const Tensor& leaf);

}  // namespace opweave

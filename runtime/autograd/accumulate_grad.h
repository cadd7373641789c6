// AccumulateGrad: the node at the end of every path, which adds a gradient to a leaf's `grad`.
#pragma once

#include "runtime/autograd/autograd_meta.h"
#include "runtime/autograd/node.h"
#include "runtime/core/devices/free_list.h"

namespace opweave {

class AccumulateGrad final : public Node, public Recycled<AccumulateGrad> {
 public:
  explicit AccumulateGrad(const Tensor& leaf) : Node(kRunFirst), leaf_(leaf) {
    add_input_metadata(leaf);
  }

  const char* name() const override { return "AccumulateGrad"; }
  TensorVec apply(TensorVec&& grads) override;
  std::shared_ptr<TensorHooks> leaf_hooks() const override;
  const Tensor& leaf() const { return leaf_; }

 protected:
  void destroy() override;

 private:
  AutogradMeta& meta() const { return *find_autograd_meta(leaf_); }

  Tensor leaf_;
};

// Nobody else refers to the gradient or its memory, so it may be taken over or written to.
bool is_sole_owner(const Tensor& gradient);

}  // namespace opweave

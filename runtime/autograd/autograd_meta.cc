// AutogradMeta: making it, and finding a leaf's accumulator.
#include "runtime/autograd/autograd_meta.h"

#include "runtime/autograd/accumulate_grad.h"
#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave {

AutogradMeta& autograd_meta(const Tensor& t) {
  if (AutogradMeta* meta = find_autograd_meta(t)) return *meta;
  // What hangs on a tensor that stands for others, nobody would find.
  const TensorExtension* const extension = t.impl()->extension();
  OW_CHECK(extension == nullptr, extension->what(), " of shape ", t.sizes(),
           " has no gradient, hooks or history of its own: autograd records what it stands for");
  static ForkSafeMutex making;
  std::lock_guard lock(making);
  if (find_autograd_meta(t) == nullptr) {
    t.impl()->autograd_meta() = std::make_unique<AutogradMeta>();
  }
  return *find_autograd_meta(t);
}

intrusive_ptr<Node> try_grad_accumulator(const Tensor& leaf) {
  AutogradMeta* meta = find_autograd_meta(leaf);
  if (meta == nullptr) return nullptr;
  std::lock_guard lock(meta->accumulator_lock);
  if (meta->accumulator == nullptr || !meta->accumulator->try_retain()) return nullptr;
  return intrusive_ptr<Node>::adopt(meta->accumulator);
}

intrusive_ptr<Node> grad_accumulator(const Tensor& leaf) {
  AutogradMeta& meta = autograd_meta(leaf);
  std::lock_guard lock(meta.accumulator_lock);
  if (meta.accumulator != nullptr && meta.accumulator->try_retain()) {
    return intrusive_ptr<Node>::adopt(meta.accumulator);
  }
  auto fresh = make_node<AccumulateGrad>(leaf);
  meta.accumulator = fresh.get();
  return fresh;
}

}  // namespace opweave

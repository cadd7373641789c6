// Making batched tensors, and turning them into plain ones with the examples in front.
#include "runtime/batching/batched_tensor.h"

#include "opweave/ops/expand.h"
#include "opweave/ops/movedim.h"
#include "runtime/batching/random.h"
#include "runtime/core/thread_state.h"

namespace opweave {
namespace {

// Levels hold those outside of them, so that nothing is needed to leave one.
struct OpenLevels final : RefCounted {
  std::vector<BatchLevel> list;
  intrusive_ptr<const OpenLevels> outside;
};
constinit ThreadReference<OpenLevels> open_levels;

void change_levels(intrusive_ptr<const OpenLevels> levels) {
  const bool any = static_cast<bool>(levels);
  open_levels.set(std::move(levels));
  ThreadState& state = thread_state();
  const DispatchKeySet key = vmap_random_key();
  state.included = any ? state.included | key : state.included - key;
}

Tensor repeated(const Tensor& t, int64_t count) {
  DimVector sizes{count};
  for (int64_t size : t.sizes()) sizes.push_back(size);
  return opweave::expand(t, sizes);
}

}  // namespace

Tensor make_batched(Tensor value, int64_t level) {
  OW_INTERNAL_ASSERT(value.dim() > 0, "a batch needs a dimension");
  // Without data: no kernel may read it.
  Storage none = StorageImpl::wrap(nullptr, 0, value.device(), {});
  auto impl = make_intrusive<TensorImpl>(std::move(none), value.dtype(), value.device(),
                                         value.sizes().subspan(1), value.strides().subspan(1),
                                         value.storage_offset());
  impl->set_extension(batched_key(), std::make_unique<BatchedValue>(std::move(value), level));
  return Tensor(std::move(impl));
}

Tensor to_physical(const Tensor& t, IntList sizes) {
  const auto depth = static_cast<int64_t>(sizes.size());
  const int64_t level = batch_level(t);
  if (level > depth) {
    const Tensor inner = to_physical(batched_value(t).value, sizes);
    return make_batched(opweave::movedim(inner, depth, 0), level);
  }
  if (depth == 0) return t;
  const int64_t size = sizes[static_cast<size_t>(depth) - 1];
  const Tensor value = level == depth ? batched_value(t).value : repeated(t, size);
  return to_physical(value, sizes.subspan(0, static_cast<size_t>(depth) - 1));
}

Tensor from_physical(const Tensor& t, int64_t depth) {
  const int64_t level = batch_level(t);
  if (level > depth) {
    const Tensor inner = opweave::movedim(batched_value(t).value, 0, depth);
    return make_batched(from_physical(inner, depth), level);
  }
  Tensor result = t;
  for (int64_t l = 1; l <= depth; ++l) result = make_batched(std::move(result), l);
  return result;
}

const std::vector<BatchLevel>& batch_levels() {
  static const std::vector<BatchLevel> none;
  const OpenLevels* levels = open_levels.get();
  return levels != nullptr ? levels->list : none;
}

int64_t push_batch_level(int64_t size, Randomness randomness) {
  auto levels = make_intrusive<OpenLevels>();
  levels->list = batch_levels();
  levels->list.push_back({size, randomness});
  levels->outside = intrusive_ptr<const OpenLevels>(open_levels.get());
  const auto level = static_cast<int64_t>(levels->list.size());
  change_levels(intrusive_ptr<const OpenLevels>(levels.get()));
  return level;
}

void pop_batch_level() {
  const OpenLevels* levels = open_levels.get();
  OW_CHECK(levels != nullptr, "there is no vmap to leave");
  change_levels(levels->outside);
}

}  // namespace opweave

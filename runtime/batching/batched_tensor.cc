// Making batched tensors, and turning them into plain ones with the examples in front.
#include "runtime/batching/batched_tensor.h"

#include <limits>

#include "opweave/ops/expand.h"
#include "opweave/ops/movedim.h"
#include "runtime/batching/batched_call.h"
#include "runtime/batching/random.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {
namespace {

constinit ThreadReference<OpenLevels> levels_of_thread;

Tensor repeated(const Tensor& t, int64_t count) {
  DimVector sizes{count};
  for (int64_t size : t.sizes()) sizes.push_back(size);
  return opweave::expand(t, sizes);
}

}  // namespace

Tensor make_batched(Tensor value, int64_t level) {
  OW_INTERNAL_ASSERT(value.dim() > 0, "a batch needs a dimension");
  // Without data: no kernel may read it. It is as large as the geometry wants it.
  Storage none =
      StorageImpl::wrap(nullptr, std::numeric_limits<int64_t>::max(), value.device(), {});
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

OpenLevelsPtr open_levels() { return OpenLevelsPtr(levels_of_thread.get()); }

void set_open_levels(OpenLevelsPtr levels) {
  const bool any = static_cast<bool>(levels);
  levels_of_thread.set(std::move(levels));
  ThreadState& state = thread_state();
  const DispatchKeySet key = vmap_random_key();
  state.included = any ? state.included | key : state.included - key;
}

OpenLevelsPtr outermost_levels(size_t depth) {
  OpenLevelsPtr levels = open_levels();
  while (levels && levels->list.size() > depth) levels = levels->outside;
  return levels;
}

OpenLevelsPtr with_level(OpenLevelsPtr outside, BatchLevel level) {
  auto levels = make_intrusive<OpenLevels>();
  if (outside) levels->list = outside->list;
  levels->list.push_back(level);
  levels->outside = std::move(outside);
  return levels;
}

const std::vector<BatchLevel>& batch_levels() {
  static const std::vector<BatchLevel> none;
  const OpenLevels* levels = levels_of_thread.get();
  return levels != nullptr ? levels->list : none;
}

int64_t push_batch_level(int64_t size, Randomness randomness) {
  offer_examples();
  set_open_levels(with_level(open_levels(), {size, randomness}));
  return static_cast<int64_t>(batch_levels().size());
}

void pop_batch_level() {
  const OpenLevels* levels = levels_of_thread.get();
  OW_CHECK(levels != nullptr, "there is no vmap to leave");
  set_open_levels(levels->outside);
}

}  // namespace opweave

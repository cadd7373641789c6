// What a thread keeps for autocast, for the kernels and the settings.
#pragma once

#include <array>
#include <unordered_map>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/base/ref_counted.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/functionality.h"

namespace opweave::autocast {

// Above derivatives, which see the casts; below vmap, which hands on whole batches.
extern constinit FunctionalityKey autocast_key;

// Leaves and what they were cast to. The threads of one region share it.
class Cache : public RefCounted {
 public:
  // The leaf in `dtype`, from the cache if that is the leaf's value still.
  Tensor cast(const Tensor& leaf, ScalarType dtype);
  void clear();

 private:
  struct Entry {
    Tensor leaf;  // holds its address
    Tensor value;
    uint32_t version = 0;
  };
  // Undefined where it is not in the cache, or has been written to since.
  Tensor find(const Tensor& leaf, ScalarType dtype, uint32_t version);

  ForkSafeMutex mutex_;
  std::unordered_map<const TensorImpl*, Entry> entries_;
};

// Not changed once a thread has it.
struct State : RefCounted {
  uint32_t enabled = 0;  // a bit for each type of device
  std::array<ScalarType, kMaxDeviceTypes> dtypes;
  bool cache_enabled = true;
  int nesting = 0;
  intrusive_ptr<Cache> cache = make_intrusive<Cache>();

  State();
  State(const State& o)
      : enabled(o.enabled),
        dtypes(o.dtypes),
        cache_enabled(o.cache_enabled),
        nesting(o.nesting),
        cache(o.cache) {}

  bool is_enabled(DeviceType type) const { return (enabled >> static_cast<int>(type) & 1) != 0; }
  ScalarType dtype_of(DeviceType type) const { return dtypes[static_cast<size_t>(type)]; }
};

// Of this thread; one with nothing enabled where it has set nothing.
const State& state();

}  // namespace opweave::autocast

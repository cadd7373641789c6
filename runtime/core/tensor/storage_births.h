// The storages that a thread makes while somebody asks for them.
#pragma once

#include <atomic>
#include <unordered_set>

#include "runtime/core/tensor/storage.h"

namespace opweave::detail {

using StorageBirths = std::unordered_set<const StorageImpl*>;

// How many ask, in all threads: nothing is noted while it is 0.
extern constinit std::atomic<int> birth_watches;
// Where this thread's are noted; null: nowhere.
extern constinit thread_local StorageBirths* births;

}  // namespace opweave::detail

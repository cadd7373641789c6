// Waiting for a number in shared memory to change.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed::shm {

// Returns when `word` is no longer `seen`, or now and then before; at the latest at the deadline.
// Looks a few times itself first where the processes that it waits for have processors of their
// own.
void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen, const Deadline& deadline,
                     bool spins);
void wake_all(std::atomic<uint32_t>& word);
// Whether so many processes can run at once.
bool have_processors(int processes);

}  // namespace opweave::distributed::shm

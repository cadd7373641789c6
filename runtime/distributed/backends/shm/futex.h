// Waiting for a number in shared memory to change.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed::shm {

// How a process waits before it lets the system put it to sleep.
enum class Patience {
  kLooks,   // it looks again and again: those that it waits for run at the same time
  kYields,  // it lets the others run: some of those that it waits for have this processor as well
  kNone,    // so many share the processors that each would be handed on in vain most of the time
};
// Of one of so many processes that work together.
Patience patience_among(int processes);

// Returns when `word` is no longer `seen`, or now and then before; at the latest at the deadline.
void wait_for_change(std::atomic<uint32_t>& word, uint32_t seen, const Deadline& deadline,
                     Patience patience = Patience::kNone);
void wake_all(std::atomic<uint32_t>& word);
// Whether so many processes can run at once.
bool have_processors(int processes);

}  // namespace opweave::distributed::shm

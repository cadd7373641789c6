// The handler.
#include "runtime/distributed/watch/dump_signal.h"

#include <signal.h>
#include <string.h>

#include <atomic>

#include "runtime/core/base/str.h"
#include "runtime/distributed/watch/report.h"

namespace opweave::distributed {
namespace {

std::atomic<bool> asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void ask(int) { asked.store(true, std::memory_order_relaxed); }

}  // namespace

void dump_on_signal(int signal) {
  struct sigaction before = {};
  if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler == ask) return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    say(str("OPWEAVE_DISTRIBUTED_DUMP_SIGNAL: the program handles SIG", sigabbrev_np(signal),
            " itself"));
    return;
  }
  struct sigaction own = {};
  own.sa_handler = ask;
  own.sa_flags = SA_RESTART;
  sigemptyset(&own.sa_mask);
  sigaction(signal, &own, nullptr);
}

bool take_asked_dump() noexcept { return asked.exchange(false, std::memory_order_relaxed); }

}  // namespace opweave::distributed

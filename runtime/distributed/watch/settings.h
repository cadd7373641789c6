// What the environment says of the watchdog, the flight recorder and the ways between processes; in
// PyTorch's variables where it has them.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace opweave::distributed {

// What happens when a group has failed, after the report. See docs/failures.md.
enum class FailurePolicy : uint8_t { log, raise, abort };

struct WatchSettings {
  // TORCH_FR_BUFFER_SIZE, TORCH_NCCL_TRACE_BUFFER_SIZE: so many collectives are remembered.
  size_t buffer_size = 2000;
  // TORCH_FR_DUMP_ON_TIMEOUT, TORCH_NCCL_DUMP_ON_TIMEOUT.
  bool dump_on_failure = true;
  // TORCH_FR_DUMP_TEMP_FILE, TORCH_NCCL_DEBUG_INFO_TEMP_FILE: where; the rank is appended.
  std::string dump_prefix;
  // TORCH_NCCL_ENABLE_MONITORING: whether the watchdog is watched.
  bool monitors = true;
  // TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC.
  std::chrono::milliseconds heartbeat_timeout{480'000};
  // TORCH_NCCL_ASYNC_ERROR_HANDLING: 0 log, 2 raise, 1 and 3 abort.
  FailurePolicy policy = FailurePolicy::raise;
  // TORCH_NCCL_BLOCKING_WAIT: whether the host waits for what a device does, and not a stream.
  bool blocking_wait = false;
  // OPWEAVE_DISTRIBUTED_DUMP_SIGNAL: "USR1", "SIGUSR1" or 10; 0 for none.
  int dump_signal = 0;
  // OPWEAVE_SHM_DIRECT: whether a process reads large tensors of another where they lie.
  bool reads_peers = true;
};

// Whether a variable says yes or no; ValueError for other words. `otherwise` where it is not set.
bool read_flag(const char* name, bool otherwise);

// Read once. ValueError that names the variable, what it says and what it may say.
const WatchSettings& watch_settings();
WatchSettings read_watch_settings();

}  // namespace opweave::distributed

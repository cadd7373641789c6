// Variables of the environment.
#include "runtime/distributed/watch/settings.h"

#include <signal.h>
#include <string.h>

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "runtime/core/base/error.h"
#include "runtime/core/base/str.h"

namespace opweave::distributed {
namespace {

struct Variable {
  std::string_view name, text;
};
using Names = std::initializer_list<const char*>;

// The first that is set and not empty.
std::optional<Variable> find(Names names) {
  for (const char* name : names) {
    const char* text = std::getenv(name);
    if (text != nullptr && *text != 0) return Variable{name, text};
  }
  return {};
}

[[noreturn]] void refuse(const Variable& variable, std::string_view expected) {
  OW_THROW(ErrorKind::kValue, variable.name, "=", variable.text, ": expected ", expected);
}

int64_t number(const Variable& variable, int64_t least, int64_t most) {
  int64_t value = 0;
  const char* end = variable.text.data() + variable.text.size();
  const auto [at, error] = std::from_chars(variable.text.data(), end, value);
  if (error != std::errc() || at != end || value < least || value > most)
    refuse(variable, str("a whole number from ", least, " to ", most));
  return value;
}

bool flag(Names names, bool otherwise) {
  const auto variable = find(names);
  if (!variable) return otherwise;
  for (const std::string_view yes : {"1", "y", "Y", "t", "T", "yes", "true", "on"})
    if (variable->text == yes) return true;
  for (const std::string_view no : {"0", "n", "N", "f", "F", "no", "false", "off"})
    if (variable->text == no) return false;
  refuse(*variable, "1 or 0, true or false");
}

int64_t number(Names names, int64_t otherwise, int64_t least, int64_t most) {
  const auto variable = find(names);
  return variable ? number(*variable, least, most) : otherwise;
}

std::string default_prefix() {
  const auto folder = find({"TMPDIR"});
  return str(folder ? folder->text : "/tmp", "/opweave_trace_rank_");
}

FailurePolicy policy() {
  switch (number({"TORCH_NCCL_ASYNC_ERROR_HANDLING"}, 2, 0, 3)) {
    case 0:
      return FailurePolicy::log;
    case 2:
      return FailurePolicy::raise;
    default:
      return FailurePolicy::abort;
  }
}

// Not of those that end a process whatever it does, or that a crash sends.
int dump_signal() {
  const auto variable = find({"OPWEAVE_DISTRIBUTED_DUMP_SIGNAL"});
  if (!variable) return 0;
  std::string_view name = variable->text;
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (const int signal : {SIGUSR1, SIGUSR2, SIGHUP, SIGQUIT, SIGALRM, SIGVTALRM, SIGPROF})
    if (name == sigabbrev_np(signal) || name == std::to_string(signal)) return signal;
  refuse(*variable, "USR1, USR2, HUP, QUIT, ALRM, VTALRM or PROF");
}

}  // namespace

bool read_flag(const char* name, bool otherwise) { return flag({name}, otherwise); }

WatchSettings read_watch_settings() {
  WatchSettings s;
  s.buffer_size = static_cast<size_t>(
      number({"TORCH_FR_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE"}, 2000, 0, 100'000));
  s.dump_on_failure = flag({"TORCH_FR_DUMP_ON_TIMEOUT", "TORCH_NCCL_DUMP_ON_TIMEOUT"}, true);
  const auto prefix = find({"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"});
  s.dump_prefix = prefix ? std::string(prefix->text) : default_prefix();
  s.monitors = flag({"TORCH_NCCL_ENABLE_MONITORING"}, true);
  s.heartbeat_timeout =
      std::chrono::seconds(number({"TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC"}, 480, 1, 1'000'000));
  s.policy = policy();
  s.blocking_wait = flag({"TORCH_NCCL_BLOCKING_WAIT"}, false);
  s.dump_signal = dump_signal();
  s.reads_peers = flag({"OPWEAVE_SHM_DIRECT"}, true);
  return s;
}

const WatchSettings& watch_settings() {
  static const WatchSettings& settings = *new WatchSettings(read_watch_settings());
  return settings;
}

}  // namespace opweave::distributed

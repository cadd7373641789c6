// Processes as file descriptors.
#include "runtime/distributed/backends/shm/peer_watch.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed::shm {

PeerWatch::PeerWatch(const std::vector<int>& processes, std::function<void(size_t)> ended)
    : ended_(std::move(ended)) {
  for (const int process : processes) {
    processes_.emplace_back(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    if (!processes_.back().is_open() && errno != ESRCH)
      throw DistBackendError(
          str("shm: cannot watch over process ", process, ": ", system_error_text(errno)));
  }
  thread_ = begin_thread([this] { watch(); });
}

PeerWatch::~PeerWatch() {
  stop_.set();
  thread_.join();
}

void PeerWatch::watch() {
  std::vector<pollfd> wanted;
  for (const Descriptor& process : processes_) wanted.push_back({process.get(), POLLIN, 0});
  wanted.push_back({stop_.descriptor(), POLLIN, 0});
  // One that could not be opened has ended before.
  for (size_t i = 0; i + 1 < wanted.size(); ++i) {
    if (wanted[i].fd < 0) ended_(i);
  }
  while (true) {
    if (poll(wanted.data(), wanted.size(), -1) < 0) continue;
    if (wanted.back().revents != 0) return;
    for (size_t i = 0; i + 1 < wanted.size(); ++i) {
      if (wanted[i].revents == 0) continue;
      wanted[i].fd = -1;
      ended_(i);
    }
  }
}

}  // namespace opweave::distributed::shm

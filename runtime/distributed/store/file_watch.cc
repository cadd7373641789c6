// A file is watched by inotify.
#include "runtime/distributed/store/file_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <thread>

namespace opweave::distributed {
namespace {

// Changes that another host makes to a network file system are not told.
constexpr Milliseconds kLookAgain{250};
constexpr Milliseconds kLookAgainUnwatched{10};

Deadline earlier(const Deadline& deadline, Milliseconds time) {
  const Deadline soon = Deadline::after(time);
  return soon.at() < deadline.at() ? soon : deadline;
}

}  // namespace

FileWatch::FileWatch(const std::string& path)
    : descriptor_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  if (!descriptor_.is_open()) return;
  constexpr uint32_t changes = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
  if (inotify_add_watch(descriptor_.get(), path.c_str(), changes) < 0) descriptor_.reset();
}

bool FileWatch::wait(const Deadline& deadline) {
  if (deadline.passed()) return false;
  if (!descriptor_.is_open()) {
    check_interrupts();
    std::this_thread::sleep_for(earlier(deadline, kLookAgainUnwatched).remaining());
    return true;
  }
  if (wait_for(descriptor_.get(), POLLIN, earlier(deadline, kLookAgain))) {
    char events[4096];
    while (read(descriptor_.get(), events, sizeof events) > 0) {
    }
  }
  return true;
}

}  // namespace opweave::distributed

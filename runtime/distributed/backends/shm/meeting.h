// Meeting: where all ranks of a group on one host wait for one another.
#pragma once

#include <string>
#include <vector>

#include "runtime/distributed/backends/shm/futex.h"
#include "runtime/distributed/backends/shm/layout.h"
#include "runtime/distributed/group/collective.h"

namespace opweave::distributed::shm {

class Meeting {
 public:
  Meeting(Layout layout, int rank, int ranks);

  // Returns when every rank has come. DistBackendError, which begins with the call that they come
  // for, where that will not be: after the deadline it names the ranks that are missing, and ends
  // the group for all.
  void come(const Deadline& deadline, const Collective& call);
  // Throws if the group has been ended.
  void check(const Collective& call) const;
  // Ends the group for all ranks because of what has come in the way of a call, and throws that.
  [[noreturn]] void give_up(const Collective& call, const std::string& why);
  // Ends the group for all ranks. The first reason counts.
  void abort(const std::string& reason) noexcept;
  // Why it has been ended; empty while it goes on.
  std::string failure() const;
  // This rank will come no more.
  void leave() noexcept;

 private:
  void check_signals(const Collective& call);
  void tell() noexcept;
  void tell_letters() noexcept;
  // Of those that have not come to a meeting, all, or those that will come to none any more.
  std::vector<int> missing(uint32_t meeting, bool only_left) const;

  const Layout layout_;
  const int rank_, ranks_;
  const Patience patience_;
  uint32_t come_ = 0;  // to so many
  std::atomic<bool> gone_ = false;
};

}  // namespace opweave::distributed::shm

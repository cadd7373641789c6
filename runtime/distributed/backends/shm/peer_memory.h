// PeerMemory: the tensors of the other processes of a group, read where they lie. One copy instead
// of the two through shared memory, and none for what is combined, where the block is a file that
// can be mapped (SharedBlocks).
//
// The memory of a process is only ever read: one that gives a collective up frees its tensors, and
// whoever is late, a stopped process above all, must not write into what has become something else.
// What a late reader has read it throws away, as its group has been ended by then. A file may be
// written as well: whoever gives up takes its block out of that (SharedBlocks::Lent::revoke).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "runtime/distributed/backends/shm/layout.h"
#include "runtime/distributed/backends/shm/peer_files.h"

namespace opweave::distributed::shm {

// What a rank is to read or write: there, and here as well where it is mapped.
struct Source {
  int rank = 0;
  uint64_t address = 0;
  char* mapped = nullptr;

  Source operator+(size_t n) const {
    return {rank, address + n, mapped == nullptr ? nullptr : mapped + n};
  }
};

class PeerMemory {
 public:
  // Finds out whether the system lets this process read the memory of each of the others, which is
  // a matter of users, of namespaces and of security modules. Every rank has said before which
  // process it is, and where its block lies there. OPWEAVE_SHM_DIRECT=0 in the environment says no.
  PeerMemory(const Layout& layout, int rank, int ranks);

  bool readable() const { return readable_; }
  // Whether a reader can get at all of it, as it cannot at a device's registers or a file that has
  // become shorter.
  static bool can_be_read(const void* data, size_t nbytes);
  // Mapped, if it can be.
  Source source(int rank, const Place& place);
  // `between` is called every few MiB, and may throw. Returns 0 or the system's error, of which
  // ESRCH says that the process has ended.
  int read(void* to, Source from, size_t nbytes, const std::function<void()>& between) const;

 private:
  std::vector<pid_t> processes_;  // by rank
  bool readable_ = false;
  PeerFiles files_;
};

}  // namespace opweave::distributed::shm

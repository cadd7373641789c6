// PeerFiles: the blocks of other processes that are files (SharedBlocks), mapped here.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/distributed/backends/shm/layout.h"

namespace opweave::distributed::shm {

class PeerFiles {
 public:
  // One call may need a file of each of `ranks`.
  explicit PeerFiles(int ranks) : kept_(kOthers + static_cast<size_t>(ranks)) {}
  PeerFiles(const PeerFiles&) = delete;
  ~PeerFiles();

  // Where the file of a place begins here; null where it cannot be mapped. It stays until as many
  // others have been asked for as are kept, or the process has forked.
  char* find(pid_t process, const Place& place);

 private:
  // A training loop reduces some hundred buckets at most. What another process has freed since
  // takes no memory here, unless it has forked before.
  static constexpr size_t kOthers = 256;

  struct Mapping {
    pid_t process;
    uint64_t inode, era;
    void* base;  // of the room, in which the file begins with a huge page
    size_t room;
    char* data;
    uint64_t used;
  };
  char* map(pid_t process, const Place& place);
  void drop_oldest();

  const size_t kept_;
  std::vector<Mapping> mappings_;
  uint64_t uses_ = 0;
};

}  // namespace opweave::distributed::shm

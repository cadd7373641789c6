// What is mapped is copied here; process_vm_readv copies the rest from one process into another.
#include "runtime/distributed/backends/shm/peer_memory.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtime/distributed/backends/shm/copy.h"
#include "runtime/distributed/watch/settings.h"

namespace opweave::distributed::shm {
namespace {

// Of one call: what the system copies before it looks whether the process is to end.
constexpr size_t kMost = 4 * 1024 * 1024;

// How many bytes, or -1 and errno.
ssize_t read_once(pid_t process, void* to, uint64_t from, size_t nbytes) {
  const iovec local{to, nbytes};
  const iovec remote{reinterpret_cast<void*>(from), nbytes};
  return process_vm_readv(process, &local, 1, &remote, 1, 0);
}

}  // namespace

PeerMemory::PeerMemory(const Layout& layout, int rank, int ranks) : files_(ranks) {
  readable_ = ranks > 1 && watch_settings().reads_peers;
  for (int r = 0; r < ranks; ++r) {
    const RankBlock& other = layout.rank(r);
    processes_.push_back(other.process.load());
    if (!readable_ || r == rank) continue;
    // Whatever process has this number by now, it shares this memory where the rank has it.
    int32_t found = 0;
    const uint64_t at = other.place.load() + offsetof(RankBlock, process);
    readable_ = read_once(processes_.back(), &found, at, sizeof found) == sizeof found &&
                found == processes_.back();
  }
}

bool PeerMemory::can_be_read(const void* data, size_t nbytes) {
  char byte;
  const auto first = reinterpret_cast<uint64_t>(data);
  return nbytes == 0 || (read_once(getpid(), &byte, first, 1) == 1 &&
                         read_once(getpid(), &byte, first + nbytes - 1, 1) == 1);
}

Source PeerMemory::source(int rank, const Place& place) {
  char* file = files_.find(processes_[static_cast<size_t>(rank)], place);
  return {rank, place.address, file == nullptr ? nullptr : file + place.offset};
}

int PeerMemory::read(void* to, Source from, size_t nbytes,
                     const std::function<void()>& between) const {
  const pid_t process = processes_[static_cast<size_t>(from.rank)];
  const bool streams = nbytes >= kLarge;
  char* target = static_cast<char*>(to);
  for (size_t n = 0; nbytes > 0; target += n, from = from + n, nbytes -= n) {
    n = std::min(nbytes, kMost);
    if (from.mapped != nullptr) {
      copy(target, from.mapped, n, streams);
    } else {
      const ssize_t got = read_once(process, target, from.address, n);
      if (got <= 0) return got < 0 ? errno : EFAULT;
      n = static_cast<size_t>(got);
    }
    between();
  }
  return 0;
}

}  // namespace opweave::distributed::shm

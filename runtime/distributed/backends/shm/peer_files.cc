// Opened through the process that has them.
#include "runtime/distributed/backends/shm/peer_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed::shm {
namespace {

constexpr size_t kHugePage = 2 * 1024 * 1024;

// The file, if it is the one that is meant.
Descriptor open_file(pid_t process, const Place& place) {
  const std::string path = str("/proc/", process, "/fd/", place.descriptor);
  // Nothing waits for whoever opens what else may have this number by now.
  Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  const bool is_it = file.is_open() && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                     status.st_ino == place.inode &&
                     static_cast<uint64_t>(status.st_size) >= place.nbytes;
  return is_it ? std::move(file) : Descriptor();
}

}  // namespace

PeerFiles::~PeerFiles() {
  for (const Mapping& m : mappings_) munmap(m.base, m.room);
}

char* PeerFiles::find(pid_t process, const Place& place) {
  if (place.descriptor < 0) return nullptr;
  const auto is_it = [&](const Mapping& m) {
    return m.process == process && m.inode == place.inode;
  };
  auto found = std::find_if(mappings_.begin(), mappings_.end(), is_it);
  if (found != mappings_.end() && found->era == place.era) {
    found->used = ++uses_;
    return found->data;
  }
  // One that was lent during the fork goes on, and is mapped anew.
  std::erase_if(mappings_, [&](const Mapping& m) {
    const bool ended = m.process == process && m.era != place.era;
    if (ended) munmap(m.base, m.room);
    return ended;
  });
  return map(process, place);
}

char* PeerFiles::map(pid_t process, const Place& place) {
  const Descriptor file = open_file(process, place);
  if (!file.is_open()) return nullptr;
  if (mappings_.size() == kept_) drop_oldest();
  const size_t room = place.nbytes + kHugePage;
  void* base = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  char* const begin =
      static_cast<char*>(base) + (kHugePage - reinterpret_cast<uintptr_t>(base) % kHugePage);
  if (mmap(begin, place.nbytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
           file.get(), 0) == MAP_FAILED) {
    munmap(base, room);
    return nullptr;
  }
  mappings_.push_back({process, place.inode, place.era, base, room, begin, ++uses_});
  return begin;
}

void PeerFiles::drop_oldest() {
  const auto oldest = std::min_element(mappings_.begin(), mappings_.end(),
                                       [](auto& a, auto& b) { return a.used < b.used; });
  munmap(oldest->base, oldest->room);
  mappings_.erase(oldest);
}

}  // namespace opweave::distributed::shm

// Files that are mapped over the blocks whose contents they hold.
//
// A private copy takes memory, which the system may refuse (RLIMIT_DATA, overcommitment that is
// limited). Then a block remains shared where nobody else can get at it, and a forked process says
// so on stderr and has no memory there: it ends where it touches it.
#include "runtime/target/shared_blocks.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/core/base/no_fork.h"
#include "runtime/target/memory_file.h"

namespace opweave {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kHugePage = 2 * 1024 * 1024;
// After the system has had no memory for a block, it is not asked again for so many uses.
constexpr int kPatience = 1000;

size_t whole_pages(size_t nbytes) { return (nbytes + kPage - 1) / kPage * kPage; }

// Room that begins as `data` does within a huge page, so that such can be moved there as they are.
class Room {
 public:
  Room(const void* data, size_t nbytes)
      : nbytes_(nbytes + kHugePage),
        base_(mmap(nullptr, nbytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    const auto base = reinterpret_cast<uintptr_t>(base_);
    const auto wanted = reinterpret_cast<uintptr_t>(data) % kHugePage;
    place_ = reinterpret_cast<void*>(base + (wanted + kHugePage - base % kHugePage) % kHugePage);
  }
  Room(const Room&) = delete;
  ~Room() {
    if (is_there()) munmap(base_, nbytes_);
  }
  bool is_there() const { return base_ != MAP_FAILED; }
  void* place() const { return place_; }

 private:
  size_t nbytes_;
  void *base_, *place_;
};

bool map_at(void* place, size_t nbytes, int file, int how) {
  return mmap(place, nbytes, PROT_READ | PROT_WRITE, how | MAP_FIXED, file, 0) != MAP_FAILED;
}

// The pages of a file that nobody else writes to, each copied at once if others still do. On
// failure some systems have taken away what was there before.
bool map_private(void* data, const SharedBlocks::File& file) {
  if (map_at(data, file.nbytes, file.descriptor, MAP_PRIVATE)) return true;
  const int error = errno;
  map_at(data, file.nbytes, file.descriptor, MAP_SHARED);
  errno = error;
  return false;
}

// Without memory of its own: a process that forks may be out of it.
void say(size_t nbytes, const char* what) noexcept {
  char text[300];
  const int n = std::snprintf(text, sizeof text,
                              "opweave: a block of %zu bytes that other processes map %s: the "
                              "system has no memory for a private copy (%s)\n",
                              nbytes, what, strerrordesc_np(errno));
  if (n > 0 && write(STDERR_FILENO, text, static_cast<size_t>(n)) < 0) return;
}

[[noreturn]] void end_process(size_t nbytes) noexcept {
  say(nbytes, "cannot be taken from them, and they may still write to it");
  std::abort();
}

// New memory, of zeros. What is shared does not count as this process's data, and a forked process
// does not have it.
void empty(void* data, size_t nbytes) noexcept {
  if (map_at(data, nbytes, -1, MAP_PRIVATE | MAP_ANONYMOUS)) return;
  if (!map_at(data, nbytes, -1, MAP_SHARED | MAP_ANONYMOUS) ||
      madvise(data, nbytes, MADV_DONTFORK) != 0)
    end_process(nbytes);
}

// In a forked process: what its parent still writes must not be seen there, nor the other way
// round.
void hide(void* data, size_t nbytes) noexcept {
  say(nbytes, "is not in this forked process");
  if (mmap(data, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
           0) == MAP_FAILED)
    std::abort();
}

}  // namespace

SharedBlocks& SharedBlocks::of_process() {
  static auto* blocks = new SharedBlocks;  // outlives every tensor
  return *blocks;
}

SharedBlocks::SharedBlocks() {
  at_fork({[] { of_process().before_fork(); }, [] { of_process().after_fork(); },
           [] { of_process().in_forked_process(); }});
}

std::optional<SharedBlocks::Lent> SharedBlocks::lend(void* data, size_t nbytes) {
  if (nbytes < kLeast || reinterpret_cast<uintptr_t>(data) % kPage != 0) return {};
  std::lock_guard moving(moving_);
  std::unique_lock lock(mutex_);
  Block& block = blocks_[data];  // stays where it is, and cannot be forgotten while it is in use
  // A fork that could not has left this to be done.
  if (block.has_copies && block.lent == 0) make_private(data, block);
  if (block.has_copies && block.lent == 0) return {};
  const size_t wanted = whole_pages(nbytes);
  if (block.file.descriptor < 0 || block.file.nbytes < wanted) {
    if (++block.asks < kAsks || block.lent > 0) return {};
    lock.unlock();
    const bool moved = move(data, wanted, block);
    lock.lock();
    block.asks = moved ? kAsks : -kPatience;
    if (!moved) return {};
  }
  ++block.lent;
  block.file.era = era_;
  return std::optional<Lent>(std::in_place, *this, data, block.file);
}

void SharedBlocks::take_back(void* data) noexcept {
  std::lock_guard moving(moving_);
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end() || found->second.lent == 0) return;
  Block& block = found->second;
  if (--block.lent > 0) return;
  if (block.has_copies) make_private(data, block);
  if (block.mapped == 0) blocks_.erase(found);  // forgotten while it was lent
}

// What a fork has put off while the block was lent. Changes nothing where there is no memory for
// it.
void SharedBlocks::make_private(void* data, Block& block) noexcept {
  if (!map_private(data, block.file)) return;
  close_file(block);
  block.asks = 0;
}

// The file is mapped anew as a private copy on write, of which each page is copied at once.
void SharedBlocks::revoke(void* data) noexcept {
  std::lock_guard moving(moving_);
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end() || found->second.file.descriptor < 0) return;
  Block& block = found->second;
  const size_t nbytes = block.file.nbytes;
  if (!map_private(data, block.file)) {
    // For a new file, which nobody else knows, other limits hold.
    if (block.lent > 1 || !move(data, nbytes, block)) end_process(nbytes);
    return;
  }
  auto* const bytes = static_cast<volatile char*>(data);
  for (size_t i = 0; i < nbytes; i += kPage) bytes[i] = bytes[i];
  if (block.lent > 1) block.has_copies = true;  // another group's call still reads the file
  close_file(block);
  block.asks = 0;
}

bool SharedBlocks::move(void* data, size_t nbytes, Block& block) {
  File file{make_memory_file("opweave block", nbytes), 0, nbytes, 0};
  const Room room(data, nbytes);
  struct stat status {};
  if (file.descriptor < 0 || !room.is_there() || fstat(file.descriptor, &status) != 0 ||
      !map_at(room.place(), nbytes, file.descriptor, MAP_SHARED)) {
    if (file.descriptor >= 0) close(file.descriptor);
    return false;
  }
  ask_for_huge_pages(static_cast<char*>(room.place()), nbytes);
  std::memcpy(room.place(), data, nbytes);
  if (mremap(room.place(), nbytes, nbytes, MREMAP_MAYMOVE | MREMAP_FIXED, data) == MAP_FAILED) {
    close(file.descriptor);
    return false;
  }
  close_file(block);  // a smaller one, from before
  file.inode = status.st_ino;
  block.file = file;
  block.mapped = std::max(block.mapped, nbytes);
  return true;
}

// Its memory goes although others may still map it: what is late reads zeros, and throws them away.
void SharedBlocks::close_file(Block& block) noexcept {
  File& file = block.file;
  if (file.descriptor < 0) return;
  if (!block.has_copies)
    fallocate(file.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              static_cast<off_t>(file.nbytes));
  close(file.descriptor);
  file = File();
  block.has_copies = false;
}

// An address whose block is still lent is not lent again before that has been given back.
void SharedBlocks::forget(void* data) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end()) return;
  Block& block = found->second;
  if (block.mapped > 0) empty(data, block.mapped);
  close_file(block);
  block.mapped = 0;
  if (block.lent == 0) blocks_.erase(found);
}

void SharedBlocks::before_fork() noexcept {
  moving_.lock();
  mutex_.lock();
  ++era_;
  for (auto& [data, block] : blocks_) {
    if (block.file.descriptor < 0) continue;
    block.has_copies = true;
    if (block.lent == 0) make_private(data, block);
  }
}

void SharedBlocks::after_fork() noexcept {
  mutex_.unlock();
  moving_.unlock();
}

void SharedBlocks::in_forked_process() noexcept {
  for (auto& [data, block] : blocks_) {
    const bool is_shared = block.file.descriptor >= 0;
    const bool stays = is_shared && block.lent == 0;  // as the parent could not make it private
    if (stays) errno = ENOMEM;
    if (stays || (is_shared && !map_private(data, block.file))) hide(data, block.file.nbytes);
    close_file(block);
    block.asks = block.lent = 0;
  }
  after_fork();
}

}  // namespace opweave

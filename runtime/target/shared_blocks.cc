// Files that are mapped over the blocks whose contents they hold.
#include "runtime/target/shared_blocks.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

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

}  // namespace

SharedBlocks& SharedBlocks::of_process() {
  static auto* blocks = new SharedBlocks;  // outlives every tensor
  return *blocks;
}

SharedBlocks::SharedBlocks() {
  pthread_atfork([] { of_process().before_fork(); }, [] { of_process().after_fork(); },
                 [] { of_process().in_forked_process(); });
}

std::optional<SharedBlocks::Lent> SharedBlocks::lend(void* data, size_t nbytes) {
  if (nbytes < kLeast || reinterpret_cast<uintptr_t>(data) % kPage != 0) return {};
  std::lock_guard moving(moving_);
  std::unique_lock lock(mutex_);
  Block& block = blocks_[data];  // stays where it is, and cannot be forgotten while it is in use
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
  if (--block.lent == 0 && block.has_copies) make_private(data, block);
}

// What a fork has put off while the block was lent.
void SharedBlocks::make_private(void* data, Block& block) noexcept {
  if (!map_at(data, block.file.nbytes, block.file.descriptor, MAP_PRIVATE)) return;
  close_file(block);
  block.asks = 0;
}

// The file is mapped anew as a private copy on write, of which each page is copied at once.
void SharedBlocks::revoke(void* data) noexcept {
  std::lock_guard moving(moving_);
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end()) return;
  Block& block = found->second;
  const size_t nbytes = block.file.nbytes;
  if (block.file.descriptor < 0 || !map_at(data, nbytes, block.file.descriptor, MAP_PRIVATE))
    return;
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

void SharedBlocks::forget(void* data) noexcept {
  std::lock_guard lock(mutex_);
  const auto found = blocks_.find(data);
  if (found == blocks_.end()) return;
  Block& block = found->second;
  if (block.mapped > 0) map_at(data, block.mapped, -1, MAP_PRIVATE | MAP_ANONYMOUS);
  close_file(block);
  blocks_.erase(found);
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
    if (block.file.descriptor >= 0)
      map_at(data, block.file.nbytes, block.file.descriptor, MAP_PRIVATE);
    close_file(block);
    block.asks = block.lent = 0;
  }
  after_fork();
}

}  // namespace opweave

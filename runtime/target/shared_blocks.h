// SharedBlocks: blocks of host memory that other processes of this host map, and so read and write
// without a copy by the system. It is for what is lent again and again: the buckets of a training
// loop.
//
// A block that has been asked for several times moves: its contents go into a file without a name
// (memfd_create), which is then mapped where the block lies. Pointers to it stay right, and it
// remains shared until its allocator gives it back to the system.
//
// A forked process must not see what its parent writes later, nor the other way round. Before a
// fork, the file is therefore mapped anew as a private copy on write; nobody writes to it any more,
// and the block counts as one that has never been lent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace opweave {

class SharedBlocks {
 public:
  // Blocks of so many bytes and more are shared: below, a huge page of the file would be wasted.
  static constexpr size_t kLeast = 4 * 1024 * 1024;
  // How often a block is asked for before it moves, which costs a copy and a fault for each page.
  static constexpr int kAsks = 3;

  // What another process opens as /proc/<process>/fd/<descriptor>, if that has this inode. `nbytes`
  // is a multiple of a page. Whoever sees a file of a later `era` lets those of earlier ones go: a
  // fork has ended them, and they take memory for as long as they are mapped.
  struct File {
    int descriptor = -1;
    uint64_t inode = 0;
    size_t nbytes = 0;
    uint64_t era = 0;
  };

  // Keeps a block shared while others read it, across a fork as well: in the forked process alone
  // it is a private copy then, in which what is written meanwhile may or may not be seen.
  class Lent {
   public:
    Lent(SharedBlocks& owner, void* data, const File& file)
        : owner_(&owner), data_(data), file_(file) {}
    Lent(Lent&& other) noexcept : owner_(other.owner_), data_(other.data_), file_(other.file_) {
      other.owner_ = nullptr;
    }
    Lent(const Lent&) = delete;
    ~Lent() {
      if (owner_ != nullptr) owner_->take_back(data_);
    }
    const File& file() const { return file_; }
    // What others write to the file from here on is not seen in the block, which keeps what it has.
    // For whoever gives up a call that others may still be at.
    void revoke() noexcept {
      if (owner_ != nullptr) owner_->revoke(data_);
    }

   private:
    SharedBlocks* owner_;
    void* data_;
    File file_;
  };

  static SharedBlocks& of_process();

  // `data` begins a block of the host's allocator with `nbytes` or more, to which nobody writes
  // during the call. Nothing if it is too small, has not been asked for often enough, or the system
  // has no shared memory for it.
  std::optional<Lent> lend(void* data, size_t nbytes);
  // The allocator gives the block back to the system: from here on it is memory like any other.
  void forget(void* data) noexcept;

 private:
  struct Block {
    int asks = 0;
    int lent = 0;
    size_t mapped = 0;  // bytes of a file at its address, shared as long as that is open
    File file;
    bool has_copies = false;  // a forked process reads what is in the file
  };

  SharedBlocks();
  void take_back(void* data) noexcept;
  void revoke(void* data) noexcept;
  // Into a file of its own; false if there is none to be had.
  static bool move(void* data, size_t nbytes, Block& block);
  static void close_file(Block& block) noexcept;
  static void make_private(void* data, Block& block) noexcept;

  // Around a fork: in the parent before it and after it, in the child.
  void before_fork() noexcept;
  void after_fork() noexcept;
  void in_forked_process() noexcept;

  uint64_t era_ = 0;   // counts forks
  std::mutex moving_;  // held by what moves blocks, and taken before the next
  std::mutex mutex_;
  std::unordered_map<void*, Block> blocks_;
};

}  // namespace opweave

// What lies where in the memory that the ranks of a group share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/distributed/backends/calls.h"

namespace opweave::distributed::shm {

inline constexpr size_t kLine = 64;  // of the cache
inline constexpr size_t align_up(size_t n) { return (n + kLine - 1) / kLine * kLine; }

// Where all ranks look.
struct alignas(kLine) Control {
  static constexpr size_t kReason = 1000;
  std::atomic<uint32_t> changes;   // counts whatever a waiting rank has to look at; a futex
  std::atomic<uint32_t> meeting;   // how many all ranks have come to
  std::atomic<uint32_t> arrivals;  // how many have come to the next
  std::atomic<uint32_t> aborted;   // 1 + the rank that did it; its reason is written before
  std::atomic<uint32_t> aborting;
  char reason[kReason];
};

// What one rank writes.
struct alignas(kLine) RankBlock {
  std::atomic<uint32_t> arrived;  // the last meeting that it came to
  std::atomic<uint32_t> left;     // whether it will come to none any more
  std::atomic<int32_t> process;
  std::atomic<uint64_t> place;  // of this block in the memory of that process
  bool runs;                    // whether there is a processor for each rank
  std::atomic<uint32_t> mail;   // counts what is put into its mailboxes; a futex
  std::atomic<uint32_t> room;   // counts what is taken out of those it has filled; a futex
  Call calls[2];                // in turns, as the blocks
  bool offers[2];               // whether the others may read its tensors where they lie
};

// Where in the memory of a rank lies what another is to read.
struct Place {
  uint64_t address;
  // Of the file that is mapped there (SharedBlocks), if one is: its descriptor, or -1, its inode,
  // its size, its era, and how far into it the place is.
  int32_t descriptor;
  uint64_t inode, nbytes, era, offset;
};

// From one rank to another: a ring of bytes.
struct alignas(kLine) Mailbox {
  alignas(kLine) std::atomic<uint64_t> written;
  alignas(kLine) std::atomic<uint64_t> read;
};

class Layout {
 public:
  Layout(char* base, int ranks) : base_(base), ranks_(static_cast<size_t>(ranks)) {}

  // Of each rank two, so that one can be filled while the others still read what was in the other.
  static constexpr size_t kBlock = 512 * 1024;
  size_t mail_bytes() const { return ranks_ <= 16 ? 64 * 1024 : 8 * 1024; }
  size_t nbytes() const { return mail_at() + ranks_ * ranks_ * (sizeof(Mailbox) + mail_bytes()); }

  Control& control() const { return *reinterpret_cast<Control*>(base_); }
  RankBlock& rank(int r) const {
    return reinterpret_cast<RankBlock*>(base_ + ranks_at())[static_cast<size_t>(r)];
  }
  // How many bytes a rank gives each other one, and has room for.
  uint64_t* given(int r, int turn) const { return sizes(r, turn); }
  uint64_t* taken(int r, int turn) const { return sizes(r, turn) + ranks_; }
  // What each other one is to read of it, if it offers that.
  Place* places(int r, int turn) const {
    return reinterpret_cast<Place*>(sizes(r, turn) + 2 * ranks_);
  }
  char* block(int r, int turn) const {
    return base_ + blocks_at() + (static_cast<size_t>(r) * 2 + static_cast<size_t>(turn)) * kBlock;
  }
  Mailbox& mailbox(int from, int to) const {
    return *reinterpret_cast<Mailbox*>(base_ + mail_at() +
                                       pair(from, to) * (sizeof(Mailbox) + mail_bytes()));
  }
  char* mail(int from, int to) const { return reinterpret_cast<char*>(&mailbox(from, to) + 1); }

 private:
  size_t pair(int from, int to) const {
    return static_cast<size_t>(from) * ranks_ + static_cast<size_t>(to);
  }
  static constexpr size_t ranks_at() { return align_up(sizeof(Control)); }
  size_t sizes_at() const { return ranks_at() + ranks_ * sizeof(RankBlock); }
  size_t sizes_of_rank() const { return align_up(ranks_ * (2 * sizeof(uint64_t) + sizeof(Place))); }
  uint64_t* sizes(int r, int turn) const {
    const size_t at = static_cast<size_t>(r) * 2 + static_cast<size_t>(turn);
    return reinterpret_cast<uint64_t*>(base_ + sizes_at() + at * sizes_of_rank());
  }
  size_t blocks_at() const {
    return (sizes_at() + 2 * ranks_ * sizes_of_rank() + 4095) / 4096 * 4096;
  }
  size_t mail_at() const { return blocks_at() + ranks_ * 2 * kBlock; }

  char* base_;
  size_t ranks_;
};

}  // namespace opweave::distributed::shm

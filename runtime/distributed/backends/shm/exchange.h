// Exchange: collectives through blocks of shared memory. Every rank fills its block, all meet, and
// every rank reads what it needs of the others' blocks; meanwhile the next are filled. Of large
// tensors the ranks read what they need where it lies, if all of them can (direct.cc).
#pragma once

#include <map>
#include <optional>

#include "runtime/distributed/backends/shm/meeting.h"
#include "runtime/distributed/backends/shm/peer_memory.h"
#include "runtime/distributed/group/collective.h"
#include "runtime/target/shared_blocks.h"

namespace opweave::distributed::shm {

// Of tensors of so many bytes the ranks read what they need where it lies: below, the system takes
// longer to find it than to copy it.
inline constexpr size_t kDirect = 2 * 1024 * 1024;
// The same of what a first round has left, for which nobody has to meet to offer it.
inline constexpr size_t kDirectRest = 128 * 1024;
// Of a tensor of more bytes than `kWhole`, so many go through the block before all know how much
// there is: what is read directly saves a copy. A multiple of every element.
inline constexpr size_t kFirstRound = 16 * 1024;
// What has fewer goes as a whole, so that the ranks meet once.
inline constexpr size_t kWhole = 64 * 1024;

class Exchange {
 public:
  Exchange(Layout layout, int rank, int ranks);

  // DistBackendError where the ranks call different things, or do not come.
  void run(const Collective& collective, const Deadline& deadline);
  Meeting& meeting() { return meeting_; }
  const Meeting& meeting() const { return meeting_; }

 private:
  // One collective under way.
  struct Run {
    const Collective& collective;
    const Deadline& deadline;
    bool compared = false;
    std::map<const void*, std::optional<SharedBlocks::Lent>> lent = {};  // blocks, by address

    bool others_write = false;  // to these blocks

    // Who gives up lets nobody write any more.
    ~Run() {
      for (auto& [data, block] : lent)
        if (others_write && block) block->revoke();
    }
    ScalarType dtype() const {
      return (collective.inputs.empty() ? collective.outputs : collective.inputs)[0].dtype();
    }
  };
  // Whose outputs lie over inputs only where each part is read before it is written.
  void run_apart(const Collective& collective, const Deadline& deadline);
  // Before the first meeting of a collective; after it.
  void announce(const Collective& collective);
  void compare(int turn, const Collective& collective) const;

  char* block(int rank) const { return layout_.block(rank, turn_); }
  // Ends the filling of a block; what is behind it is filled into the other.
  void meet(Run& call);
  void next_block() { turn_ = 1 - turn_; }

  size_t broadcast_step(const Tensor& tensor) const;
  void broadcast(Run& call);
  void reduce(Run& call, bool everywhere);
  // `gets` is whether this rank is to have the result.
  void reduce_few(Run& call, const Tensor& tensor, bool gets);
  struct Shares;
  void reduce_in_shares(Run& call, const Tensor& tensor, bool gets);
  void give_shares(const Shares& shares, int64_t step, int turn);
  void combine_share(Run& call, const Shares& shares, int64_t step, bool gets);
  void take_shares(const Shares& shares, int64_t step, int turn);
  void gather(Run& call);
  void scatter(Run& call);
  void reduce_scatter(Run& call);
  // Each rank's bytes for this one.
  using Sources = std::vector<Source>;
  // As many rounds of `fill(done)`, meeting and `read(done)` as the largest tensor needs, `done`
  // bytes of which have gone before: `step` in each, and less in the first. What that has left is
  // one `read_rest(sources)` where it is much and all ranks can read it.
  template <class Fill, class Read, class ReadRest>
  void in_rounds(Run& call, size_t step, Fill fill, Read read, ReadRest read_rest);

  static size_t first_share(const Tensor& tensor, size_t step);
  static size_t share(const Tensor& tensor, size_t done, size_t step);

  // Whether the others may read this rank's inputs, what a first round leaves of them, while it
  // writes its outputs.
  bool can_offer_inputs(const Collective& collective, size_t step) const;
  void offer_inputs(Run& call, size_t step);
  // Where the others read a tensor: in a file, if its block can be lent.
  Place place_of(Run& call, const Tensor& t) const;
  // The file of a block; null while it has none.
  static const SharedBlocks::File* lend(Run& call, const Storage& storage);
  // Of the meeting that has just been: whether all offered, and what.
  bool all_offer() const;
  Sources sources();
  // Meets to offer a tensor, if it is a large one; nothing unless all ranks do.
  std::optional<Sources> meet_to_offer(Run& call, const Tensor& t);
  // Ends what is read directly: until then the others' tensors must stay.
  void meet_after(Run& call);

  void all_reduce_directly(Run& call, const Tensor& t, const Sources& sources);
  // Meets to find out whether every rank has mapped what all others offered, to which it may write
  // then.
  bool all_map(Run& call, const Sources& sources);
  void reduce_for_all(Run& call, const Tensor& t, const Sources& sources);
  void reduce_and_read(Run& call, const Tensor& t, const Sources& sources);
  // Whether it could.
  bool broadcast_directly(Run& call, const Tensor& t);
  // What all ranks have from `offset` on, `mine` of this one, combined into `to`.
  void combine_directly(Run& call, const Sources& sources, size_t offset, const char* mine,
                        char* to, size_t nbytes);
  void read_memory(Run& call, char* to, const Source& from, size_t nbytes);
  // Into `to`, `done` bytes of which are there; of this rank's own what is in `mine`.
  void read_rest(Run& call, const Source& from, const Tensor& to, const Tensor& mine, size_t done);

  size_t part() const;
  // Of the block of a rank.
  char* part_of(int rank, int turn, int part_of_rank) const {
    return layout_.block(rank, turn) + static_cast<size_t>(part_of_rank) * part();
  }
  void give_part(int to, const Tensor& tensor, size_t done);
  size_t most_given() const;

  const Layout layout_;
  Meeting meeting_;
  PeerMemory memory_;
  const int rank_, ranks_;
  bool all_run_ = true;        // each rank has a processor for every one
  std::vector<Said> said_[2];  // by each rank, where it lies in memory for each turn
  int turn_ = 0;
};

}  // namespace opweave::distributed::shm

// Exchange: collectives through blocks of shared memory. Every rank fills its block, all meet, and
// every rank reads what it needs of the others' blocks; meanwhile the next are filled.
#pragma once

#include "runtime/distributed/backends/shm/meeting.h"
#include "runtime/distributed/group/collective.h"

namespace opweave::distributed::shm {

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

    ScalarType dtype() const {
      return (collective.inputs.empty() ? collective.outputs : collective.inputs)[0].dtype();
    }
  };
  // Before the first meeting of a collective; after it.
  void announce(const Collective& collective);
  void compare(int turn, const Collective& collective) const;

  char* block(int rank) const { return layout_.block(rank, turn_); }
  // Ends the filling of a block; what is behind it is filled into the other.
  void meet(Run& call);
  void next_block() { turn_ = 1 - turn_; }

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
  // As many rounds of `fill(done)`, meeting and `read(done)` as the largest tensor needs, `done`
  // bytes of which have gone in steps.
  template <class Fill, class Read>
  void in_rounds(Run& call, size_t step, Fill fill, Read read);
  size_t part() const;
  // Of the block of a rank.
  char* part_of(int rank, int turn, int part_of_rank) const {
    return layout_.block(rank, turn) + static_cast<size_t>(part_of_rank) * part();
  }
  size_t most_given() const;

  const Layout layout_;
  Meeting meeting_;
  const int rank_, ranks_;
  std::vector<Said> said_[2];  // by each rank, where it lies in memory for each turn
  int turn_ = 0;
};

}  // namespace opweave::distributed::shm

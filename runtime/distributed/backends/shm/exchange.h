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
  struct Run;
  // Before the first meeting of a collective; after it.
  void announce(const Collective& collective);
  void compare(int turn, const Collective& collective) const;

  char* block(int rank) const { return layout_.block(rank, turn_); }
  // Ends the filling of a block; what is behind it is filled into the other.
  void meet(Run& call);
  void next_block() { turn_ = 1 - turn_; }

  void broadcast(Run& call);
  void reduce(Run& call, bool everywhere);
  void reduce_block(Run& call, char* out, int64_t count, bool everywhere);
  void reduce_in_shares(Run& call, char* out, int64_t count);
  void gather(Run& call);
  void scatter(Run& call);
  void reduce_scatter(Run& call);
  // As many rounds of `fill(done)`, meeting and `read(done)` as the largest tensor needs, `done`
  // bytes of which have gone in steps.
  template <class Fill, class Read>
  void in_rounds(Run& call, size_t step, Fill fill, Read read);
  size_t part() const;
  void fill_parts(const std::vector<Tensor>& inputs, size_t done);
  size_t most_given() const;

  const Layout layout_;
  Meeting meeting_;
  const int rank_, ranks_;
  std::vector<Said> said_[2];  // by each rank, where it lies in memory for each turn
  int turn_ = 0;
};

}  // namespace opweave::distributed::shm

// World: the ranks of a communicator of the stand-in, which are threads of one process, and how
// they meet: each call of a collective, and each pair of a send and a receive.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/distributed/backends/nccl/interface.h"

namespace opweave::distributed::nccl {

// One call of one rank.
struct Operation {
  enum Kind { kAllReduce, kReduce, kBroadcast, kAllGather, kReduceScatter, kSend, kRecv };
  Kind kind;
  const void* from;
  void* to;
  size_t count;
  DataType type;
  RedOp op = RedOp::kSum;
  int root = 0;  // of send and recv the other rank
};

// Carries one collective out, for all ranks, by rank.
void carry_out(const std::vector<Operation>& ranks);
size_t size_of(DataType type);

class World {
 public:
  explicit World(int ranks) : ranks_(ranks) {}
  int ranks() const { return ranks_; }

  // The ranks that have come; nobody is waited for. A stand-in of one process alone (the variable
  // NCCL_STAND_IN_ALONE) takes the others as there: what they do together never ends.
  void come() {
    const std::lock_guard lock(mutex);
    ++here_;
  }
  bool all_here() {
    const std::lock_guard lock(mutex);
    return here_ == ranks_ || std::getenv("NCCL_STAND_IN_ALONE") != nullptr;
  }

  // A call that waits for those of other ranks; `done` then. Nothing is done any more with one of a
  // communicator that is aborted.
  struct Call {
    Operation operation;
    std::shared_ptr<bool> done;
    std::shared_ptr<std::atomic<bool>> aborted;
  };
  void add(int rank, uint64_t number, const Call& call);

  std::mutex mutex;
  std::condition_variable changed;

 private:
  void pair(std::deque<Call>& sends, std::deque<Call>& receives);

  const int ranks_;
  int here_ = 0;
  std::map<uint64_t, std::map<int, Call>> collectives_;
  std::map<std::pair<int, int>, std::deque<Call>> sends_, receives_;  // from, to
};

}  // namespace opweave::distributed::nccl

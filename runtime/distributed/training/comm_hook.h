// Communication hooks: what makes the buckets of all ranks one, where that is not their average by
// all_reduce.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime/core/tensor/tensor.h"
#include "runtime/distributed/group/process_group.h"

namespace opweave::distributed {

// A bucket as a hook sees it. What the gradients of this rank are, is not divided by anything.
struct GradBucket {
  size_t index = 0;  // in the order in which they are reduced
  bool is_last = false;
  int divisor = 1;  // how many ranks' gradients the average is of
  Tensor buffer;    // one-dimensional: all gradients of the bucket
  std::vector<Tensor> parameters = {};
  std::vector<bool> used = {};  // whether any rank has used each parameter; none: all are
  ProcessGroupPtr group = {};   // of the reducer
  // Parts of the buffer, also of one that a hook has put in its place, of the sizes of the
  // parameters.
  std::vector<Tensor> gradients() const;
};

// On its way.
class Reduction {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~Reduction() = default;
  // Returns when it is done: what the bucket has to hold, of as many elements. Throws what it
  // failed with.
  virtual Tensor wait() = 0;
  // When it was done; after wait().
  virtual Clock::time_point ended() const = 0;
};

class CommHook {
 public:
  virtual ~CommHook() = default;
  // In the order of buckets, the same on all ranks; returns before it is done.
  virtual std::unique_ptr<Reduction> start(GradBucket bucket) = 0;
  // Ends what it has begun in groups other than the reducer's, which has failed on this rank.
  virtual void abort(const std::string& /*reason*/) {}
};

// The average, by all_reduce in the reducer's group.
std::unique_ptr<CommHook> average_hook();

}  // namespace opweave::distributed

// Guards: the conditions under which what was worked out with symbols holds.
#pragma once

#include <string>
#include <vector>

#include "rules/size.h"

namespace opweave::symbolic {

// While one lives, comparisons that the names leave open are decided by the hints and recorded
// here, each once. Belongs to its thread.
class Guards {
 public:
  Guards() : outer_(current_) { current_ = this; }
  ~Guards() { current_ = outer_; }
  Guards(const Guards&) = delete;

  // Whether it holds; `hint` is what the hints say. RuntimeError where it is open and nobody
  // records.
  static bool decide(const rule::Condition& condition, bool hint);

  // `H == W`, `!(H < W)`, in the order in which they were met.
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  Guards* outer_;
  static thread_local Guards* current_;
};

}  // namespace opweave::symbolic

// Waiting for a file to change.
#pragma once

#include <string>

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

// Sees changes from when it was made. Where the system cannot tell (no more watches, a file system
// that other hosts write to), waits are short instead, and whoever waits looks again.
class FileWatch {
 public:
  explicit FileWatch(const std::string& path);
  // False when the deadline passed.
  bool wait(const Deadline& deadline);

 private:
  Descriptor descriptor_;
};

}  // namespace opweave::distributed

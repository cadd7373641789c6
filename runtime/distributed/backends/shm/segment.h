// Segment: memory that the processes of a group on one host share. It has no name in any file
// system: it goes with the last process that has it, however those end.
#pragma once

#include <cstddef>

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

class Segment {
 public:
  // Rank 0 makes it and says in the store where it is; the others take it up. All bytes are zero.
  // DistBackendError where there is no room for it, or where another rank's cannot be reached.
  Segment(const BackendContext& context, size_t nbytes);
  ~Segment();
  Segment(const Segment&) = delete;

  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  size_t nbytes_;
};

}  // namespace opweave::distributed

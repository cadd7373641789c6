// Segment: memory that the processes of a group on one host share. It has no name in any file
// system: it goes with the last process that has it, however those end.
#pragma once

#include <cstddef>
#include <memory>

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

class Segment {
 public:
  // Rank 0 makes it and says in the store where it is; the others take it up. All bytes are zero.
  // DistBackendError where there is no room for it, or where another rank's cannot be reached.
  Segment(const BackendContext& context, size_t nbytes);
  char* data() const { return data_.get(); }

 private:
  struct Unmap {
    size_t nbytes;
    void operator()(char* data) const noexcept;
  };
  // By itself: what the constructor still waits for may fail.
  std::unique_ptr<char, Unmap> data_;
};

}  // namespace opweave::distributed

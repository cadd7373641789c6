// Scratch: memory for what is not combined yet, kept from one collective to the next.
#pragma once

#include <cstddef>
#include <vector>

namespace opweave::distributed::exchange {

class Scratch {
 public:
  static constexpr size_t kLine = 64;  // of the cache
  static constexpr size_t in_lines(size_t nbytes) { return (nbytes + kLine - 1) / kLine * kLine; }

  // From the beginning of a line on; what it had before is gone.
  char* of(size_t nbytes) {
    if (memory_.size() < nbytes + kLine) memory_.resize(nbytes + kLine);
    return reinterpret_cast<char*>(in_lines(reinterpret_cast<size_t>(memory_.data())));
  }

 private:
  std::vector<char> memory_;
};

}  // namespace opweave::distributed::exchange

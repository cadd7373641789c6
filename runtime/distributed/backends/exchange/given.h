// Given: what a rank gives the others in a collective. The others may take it while its outputs are
// written: where these lie over it, it is a copy.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/distributed/backends/calls.h"
#include "runtime/distributed/backends/overlap.h"

namespace opweave::distributed::exchange {

class Given {
 public:
  Given(const Collective& collective, int rank) : collective_(collective) {
    if (!writes_inputs(collective, rank)) return;
    for (const Tensor& in : collective.inputs) {
      const char* data = static_cast<const char*>(in.raw_data());
      copies_.emplace_back(data, data + in.nbytes());
    }
  }

  // Nothing of a rank that gets nothing.
  std::optional<std::span<char>> to(int rank) {
    const Tensor* in = given_to(collective_, rank);
    if (in == nullptr) return {};
    const auto i = static_cast<size_t>(in - collective_.inputs.data());
    char* data = copies_.empty() ? static_cast<char*>(in->raw_data()) : copies_[i].data();
    return std::span(data, in->nbytes());
  }

 private:
  const Collective& collective_;
  std::vector<std::vector<char>> copies_;  // of all inputs, or none
};

}  // namespace opweave::distributed::exchange

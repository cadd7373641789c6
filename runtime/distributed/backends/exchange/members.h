// Members: those ranks of a group among which a step of a collective goes, and which of them this
// is.
#pragma once

#include <algorithm>
#include <vector>

namespace opweave::distributed::exchange {

struct Members {
  std::vector<int> ranks;  // in the group, ascending
  int index = 0;           // of this rank among them

  Members(std::vector<int> all, int rank) : ranks(std::move(all)) {
    index = static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }
  static Members of_all(int rank, int count) {
    std::vector<int> all;
    for (int r = 0; r < count; ++r) all.push_back(r);
    return {std::move(all), rank};
  }

  int size() const { return static_cast<int>(ranks.size()); }
  int rank(int i) const { return ranks[static_cast<size_t>(i)]; }
};

}  // namespace opweave::distributed::exchange

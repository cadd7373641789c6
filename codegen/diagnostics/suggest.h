// "Did you mean": the known name that a misspelt one is nearest to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opweave::codegen {

// The number of insertions, deletions, replacements and swaps of neighbours from `a` to `b`;
// `limit + 1` as soon as it is more than `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Remembers the best candidate offered so far, if it is near enough to be what was meant.
class Suggester {
 public:
  explicit Suggester(std::string_view name);
  void offer(std::string_view candidate);
  const std::string& best() const { return best_; }  // empty if nothing is near

 private:
  std::string_view name_;
  size_t limit_;
  std::string best_;
};

template <typename Range>
std::string closest(std::string_view name, const Range& candidates) {
  Suggester suggester(name);
  for (const auto& candidate : candidates) suggester.offer(candidate);
  return suggester.best();
}

}  // namespace opweave::codegen

// "Did you mean": the known name that a misspelt one is nearest to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opweave::codegen {

// The number of insertions, deletions, replacements and swaps of neighbours from `a` to `b`;
// `limit + 1` as soon as it is more than `limit`.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Remembers the best candidate offered so far, if it is near enough to be what was meant. Nearest
// is what differs in case and `_` alone (`keep_dim`), then what has the same words in another
// order, then what takes few edits, then what begins so (`float`: floating) or what it begins with
// (`minimum`: min). Digits where there are none, or none where there are, come last. Of equally
// near ones the first that was offered.
class Suggester {
 public:
  explicit Suggester(std::string_view name);
  void offer(std::string_view candidate);
  const std::string& best() const { return best_; }  // empty if nothing is near

 private:
  // Smaller is nearer; kFar if it cannot be what was meant.
  size_t rank(std::string_view candidate) const;
  size_t rank_of_letters(std::string_view candidate, std::string_view other) const;

  std::string_view name_;
  std::string folded_, sorted_;  // without case and `_`; its words in order
  size_t limit_;
  size_t best_rank_;
  std::string best_;
};

template <typename Range>
std::string closest(std::string_view name, const Range& candidates) {
  Suggester suggester(name);
  for (const auto& candidate : candidates) suggester.offer(candidate);
  return suggester.best();
}

}  // namespace opweave::codegen

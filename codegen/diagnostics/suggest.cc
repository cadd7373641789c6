// Edit distance with transpositions (optimal string alignment), bounded.
#include "codegen/diagnostics/suggest.h"

#include <algorithm>
#include <vector>

namespace opweave::codegen {

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    if (*std::min_element(row.begin(), row.end()) > limit) return limit + 1;
    before_last.swap(last);
    last.swap(row);
  }
  return std::min(last[b.size()], limit + 1);
}

Suggester::Suggester(std::string_view name) : name_(name), limit_((name.size() + 2) / 3) {}

void Suggester::offer(std::string_view candidate) {
  size_t distance = edit_distance(name_, candidate, limit_);
  // A short name must keep something of what was written.
  if (distance > limit_ || distance >= std::max(name_.size(), candidate.size())) return;
  if (distance == 0) return;
  best_ = candidate;
  limit_ = distance - 1;
}

}  // namespace opweave::codegen

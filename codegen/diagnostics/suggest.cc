// Edit distance with transpositions (optimal string alignment), bounded.
#include "codegen/diagnostics/suggest.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace opweave::codegen {

namespace {

// Three rows of the table, which are as long as `b` and one more.
size_t distance_in(std::string_view a, std::string_view b, size_t limit, size_t* before_last,
                   size_t* last, size_t* row) {
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t least = row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = last[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
    size_t* const free = before_last;
    before_last = last;
    last = row;
    row = free;
  }
  return std::min(last[b.size()], limit + 1);
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  const size_t gap = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (gap > limit) return limit + 1;
  const size_t width = b.size() + 1;
  constexpr size_t kUsual = 64;  // names, of which there are many, take no memory
  if (width <= kUsual) {
    std::array<size_t, 3 * kUsual> rows;
    return distance_in(a, b, limit, rows.data(), &rows[width], &rows[2 * width]);
  }
  std::vector<size_t> rows(3 * width);
  return distance_in(a, b, limit, rows.data(), &rows[width], &rows[2 * width]);
}

namespace {

constexpr size_t kFar = SIZE_MAX;

// Who writes a digit means one: `float` is floating before it is float16.
constexpr size_t kUnlikely = 1000;

bool has_digit(std::string_view name) {
  return std::ranges::any_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

// Fewer letters than that are the beginning of too many names.
constexpr size_t kShortestStem = 3;

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// In a name of a word that is written as one.
constexpr size_t kMostSeparators = 3;

bool separates(char c) { return c == '_' || c == '-'; }

// Without case and what stands between words.
std::string folded(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (!separates(c)) out += small(c);
  }
  return out;
}

// The words in order; empty of a single one.
std::string sorted_words(std::string_view name) {
  std::vector<std::string> words(1);
  for (char c : name) separates(c) ? words.emplace_back() : words.back() += small(c);
  if (words.size() < 2) return "";
  std::ranges::sort(words);
  std::string out;
  for (const std::string& word : words) out += word + " ";
  return out;
}

// How many letters the longer one of two has more, where it begins with the other; a letter at the
// end of `name` may differ (`floats`: floating). kFar where it does not.
size_t letters_more(std::string_view name, std::string_view candidate) {
  const auto [x, y] = std::ranges::mismatch(name, candidate);
  const auto common = static_cast<size_t>(x - name.begin());
  if (common < kShortestStem) return kFar;
  if (common + 1 >= name.size() && candidate.size() > name.size()) return candidate.size() - common;
  // What goes on much longer is another word.
  const bool begins_so = common == candidate.size() && name.size() <= 3 * candidate.size();
  return begins_so ? name.size() - common : kFar;
}

}  // namespace

Suggester::Suggester(std::string_view name)
    : name_(name),
      folded_(folded(name)),
      sorted_(sorted_words(name)),
      limit_((name.size() + 2) / 3),
      best_rank_(kFar) {}

// Every operator is offered for every name that is wrong: what cannot be near is told by its
// length.
size_t Suggester::rank(std::string_view candidate) const {
  const size_t shorter = std::min(name_.size(), candidate.size());
  const bool begins_alike = shorter > 0 && small(name_[0]) == small(candidate[0]);
  const bool long_way =
      std::max(name_.size(), candidate.size()) - shorter > limit_ + kMostSeparators;
  if (long_way && !begins_alike) return kFar;
  const std::string other = folded(candidate);
  if (!other.empty() && other == folded_) return 0;
  if (!sorted_.empty() && candidate.size() == name_.size() && sorted_ == sorted_words(candidate))
    return 1;
  const size_t found = rank_of_letters(candidate, other);
  const bool alike = found == kFar || has_digit(name_) == has_digit(candidate);
  return alike ? found : found + kUnlikely;
}

size_t Suggester::rank_of_letters(std::string_view candidate, std::string_view other) const {
  const size_t limit = best_rank_ < kUnlikely ? std::min(limit_, best_rank_ / 2) : limit_;
  const bool same = folded_ == name_ && other == candidate;
  const size_t written = edit_distance(name_, candidate, limit);
  const size_t distance = same ? written : std::min(written, edit_distance(folded_, other, limit));
  // A short name must keep something of what was written. An `_` more or less counts a little.
  if (distance <= limit && distance < std::max(name_.size(), candidate.size()))
    return 2 * distance + (written > distance ? 1 : 0);
  const size_t more = letters_more(folded_, other);
  return more == kFar ? kFar : 2 * (limit_ + 1) + more;
}

void Suggester::offer(std::string_view candidate) {
  if (candidate == name_) return;
  const size_t found = rank(candidate);
  if (found >= best_rank_) return;
  best_rank_ = found;
  best_ = candidate;
}

}  // namespace opweave::codegen

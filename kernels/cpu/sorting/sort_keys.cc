// The least of a line of keys.
#include "kernels/cpu/sorting/sort_keys.h"

#include <algorithm>

namespace opweave::cpu {
namespace {

// Below this many elements a comparison sort of the few is done first.
constexpr int64_t kFewOf = 16;
constexpr int64_t kFewWords = 256;

template <class Word>
void select_least(Word* words, int64_t n, int64_t k) {
  if (k <= 0) return;
  if (k * kFewOf <= n) {
    std::nth_element(words, words + k - 1, words + n);
    std::sort(words, words + k - 1);
  } else {
    sort_words(words, n);
  }
}

}  // namespace

// Words of one part are sorted by vectors sooner than a few are found.
void keep_words(uint64_t* words, int64_t n, int64_t k) {
  if (n <= kFewWords) return sort_words(words, n);
  std::nth_element(words, words + k - 1, words + n);
}
void keep_words(WideWord* words, int64_t n, int64_t k) {
  std::nth_element(words, words + k - 1, words + n);
}
void select_words(uint64_t* words, int64_t n, int64_t k) { select_least(words, n, k); }
void select_words(WideWord* words, int64_t n, int64_t k) { select_least(words, n, k); }

}  // namespace opweave::cpu

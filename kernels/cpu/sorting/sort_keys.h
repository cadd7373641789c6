// SortKeys: the elements of a line as integers in the same order, each with its position below it,
// so that sorting the integers sorts the line and keeps equal elements in their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "kernels/cpu/sorting/candidates.h"
#include "runtime/core/base/error.h"
#include "runtime/core/numbers/half.h"

namespace opweave::cpu {

// Unsigned integers in the order of the elements: both zeros are equal, NaN comes last.
template <class T>
auto order_key(T x) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return order_key(static_cast<float>(x));
  } else if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    constexpr U kSign = U(1) << (sizeof(T) * 8 - 1);
    if (x != x) return ~U(0);
    const U bits = std::bit_cast<U>(x + T(0));  // -0 + 0 is 0
    return (bits & kSign) != 0 ? static_cast<U>(~bits) : static_cast<U>(bits | kSign);
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(x);
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<uint64_t>(x) ^ (uint64_t{1} << 63);
  } else {
    return static_cast<uint32_t>(static_cast<int64_t>(x) + (int64_t{1} << 31));
  }
}

// The element whose key this is: 0 for both zeros, one NaN for all.
template <class T, class Key>
T element_of(Key key) {
  if constexpr (std::is_floating_point_v<T>) {
    using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    constexpr U kSign = U(1) << (sizeof(T) * 8 - 1);
    const U bits = static_cast<U>(key);
    return std::bit_cast<T>((bits & kSign) != 0 ? static_cast<U>(bits ^ kSign)
                                                : static_cast<U>(~bits));
  } else if constexpr (sizeof(T) == 8) {
    return static_cast<T>(static_cast<uint64_t>(key) ^ (uint64_t{1} << 63));
  } else {
    return static_cast<T>(static_cast<uint32_t>(key) ^ (uint32_t{1} << 31));
  }
}

// Sorts in place, ascending, or finds the least `k` and sorts those.
void sort_words(uint64_t* words, int64_t n);
void select_words(uint64_t* words, int64_t n, int64_t k);
// Moves the least `k` to the front, the last of them to place k - 1.
void keep_words(uint64_t* words, int64_t n, int64_t k);

struct WideWord {
  uint64_t low, high;  // position, key
  friend bool operator<(const WideWord& a, const WideWord& b) {
    return (a.high < b.high) | ((a.high == b.high) & (a.low < b.low));  // without a jump
  }
};
void sort_words(WideWord* words, int64_t n);
void select_words(WideWord* words, int64_t n, int64_t k);
void keep_words(WideWord* words, int64_t n, int64_t k);

template <class T>
class SortKeys {
 public:
  static constexpr bool kWide = sizeof(order_key(T())) == 8;
  using Word = std::conditional_t<kWide, WideWord, uint64_t>;

  // For lines of up to `n` elements.
  explicit SortKeys(int64_t n) : words_(new Word[static_cast<size_t>(n + 2 * kMargin)]) {
    OW_CHECK(kWide || n <= int64_t{UINT32_MAX}, "sort: lines of more than 2^32 elements");
  }

  void load(const T* line, int64_t n, int64_t stride, bool descending) {
    n_ = n;
    for (int64_t i = 0; i < n; ++i) words_[i] = word(line[i * stride], i, descending);
  }
  void sort() { sort_words(words_.get(), n_); }
  // Only the first k are in their places afterwards.
  void select(int64_t k) { select_words(words_.get(), n_, k); }

  // load() and select() of a few, for which most elements are not kept: those that do not come
  // before the k-th of others are left out.
  void load_least(const T* line, int64_t n, int64_t stride, bool descending, int64_t k) {
    const int64_t room = 2 * k + 2 * kMargin;
    if (places_ == nullptr) places_.reset(new int64_t[static_cast<size_t>(room)]);
    T limit{};
    Beyond beyond{descending, stride == 1 && find_limit(line, n, descending, k, limit)};
    n_ = 0;
    if (!beyond.equal) load(line, std::min(n, room), stride, descending);
    for (int64_t i = n_; i < n;) {
      if (n_ + kMargin > room) {
        keep(k);
        limit = line[position(k - 1) * stride];
        beyond.equal = false;
      }
      const Collected found = collect(line, i, n, stride, limit, beyond, room - n_);
      for (int64_t c = 0; c < found.count; ++c) {
        const int64_t at = places_[c];
        const Word next = word(line[at * stride], at, descending);
        if (beyond.equal || next < words_[k - 1]) words_[n_++] = next;
      }
      i = found.next;
    }
    select(k);
  }

  // The position in the line of the element at place i.
  int64_t position(int64_t i) const {
    if constexpr (kWide) {
      return static_cast<int64_t>(words_[i].low);
    } else {
      return static_cast<int64_t>(words_[i] & UINT32_MAX);
    }
  }

 private:
  static constexpr int64_t kMargin = CandidateSearch<T>::kRoom;
  static constexpr int64_t kGroup = 16;  // elements of a group at most: a limit needs not all

  static constexpr bool kSearched = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                    std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;

  // At least k elements of the line are beyond `limit` or equal it: the best ones of k groups. Few
  // more are where there are more groups than that.
  bool find_limit(const T* line, int64_t n, bool descending, int64_t k, T& limit) {
    if constexpr (kSearched) {
      const int64_t groups = (5 * k / 2 + 63) / 64 * 64;
      if (2 * groups > n) return false;
      if (best_ == nullptr) {
        best_.reset(new T[static_cast<size_t>(groups)]);
        keys_.reset(new uint64_t[static_cast<size_t>(groups)]);
      }
      search().best(line, std::min(n, kGroup * groups), best_.get(), groups, descending);
      for (int64_t i = 0; i < groups; ++i) {
        const auto key = order_key(best_[i]);
        keys_[i] = static_cast<decltype(key)>(descending ? ~key : key);
      }
      keep_words(keys_.get(), groups, k);
      limit = element_of<T>(descending ? ~keys_[k - 1] : keys_[k - 1]);
      return true;
    }
    return false;
  }

  static const CandidateSearch<T>& search() {
    static const CandidateSearch<T> search = candidate_search<T>();
    return search;
  }

  // Places of elements that may be beyond `limit`.
  Collected collect(const T* line, int64_t i, int64_t n, int64_t stride, T limit, Beyond beyond,
                    int64_t room) {
    if constexpr (kSearched) {
      if (stride == 1) return search().collect(line, i, n, limit, beyond, places_.get(), room);
    }
    int64_t count = 0;
    for (const auto key = order_key(limit); i < n && count < room; ++i) {
      const auto other = order_key(line[i * stride]);
      if (beyond.largest ? other > key : other < key) places_[count++] = i;
    }
    return {count, i};
  }

  // The first k, the last of them in its place.
  void keep(int64_t k) {
    keep_words(words_.get(), n_, k);
    n_ = k;
  }

  static Word word(T element, int64_t position, bool descending) {
    auto key = order_key(element);
    if (descending) key = static_cast<decltype(key)>(~key);
    if constexpr (kWide) {
      return {static_cast<uint64_t>(position), key};
    } else {
      return uint64_t{key} << 32 | static_cast<uint64_t>(position);
    }
  }

  std::unique_ptr<Word[]> words_;
  std::unique_ptr<int64_t[]> places_;
  std::unique_ptr<T[]> best_;  // of groups, and their keys
  std::unique_ptr<uint64_t[]> keys_;
  int64_t n_ = 0;
};

}  // namespace opweave::cpu

// Looking through a line for elements that may be among the least or the largest.
#pragma once

#include <cstdint>

namespace opweave::cpu {

// Which elements are looked for: beyond a limit, larger or less, and with `equal` at it as well.
struct Beyond {
  bool largest, equal;
};

struct Collected {
  int64_t count, next;  // of places, and where to go on
};

// Of adjacent elements. NaN is beyond every limit, and every number beyond NaN.
template <class T>
struct CandidateSearch {
  // Writes the places in [from, n) of elements that are beyond `limit`, in their order, to
  // `places`, which has room for kRoom or more. Goes as far as n, or until there is room for fewer.
  static constexpr int64_t kRoom = 64;
  Collected (*collect)(const T* line, int64_t from, int64_t n, T limit, Beyond beyond,
                       int64_t* places, int64_t room);
  // The largest or the least of each of `groups` groups, elements that lie as far apart: of the
  // first n elements or nearly so. Any element where a group has NaN. `groups` is a multiple of
  // 64, and no more than n.
  void (*best)(const T* line, int64_t n, T* best, int64_t groups, bool largest);
};

// Of float, double, int32_t and int64_t.
template <class T>
CandidateSearch<T> candidate_search();

}  // namespace opweave::cpu

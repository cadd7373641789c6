// Looking through a line for elements that may be among the least or the largest.
#pragma once

#include <cstdint>

namespace opweave::cpu {

// Which elements are looked for: beyond a limit, larger or less, and with `equal` at it as well.
struct Beyond {
  bool largest, equal;
};

// Of adjacent elements. NaN is beyond every limit, and every number beyond NaN.
template <class T>
struct CandidateSearch {
  // The first place in [from, n) of an element that is beyond `limit`; n if there is none.
  int64_t (*find)(const T* line, int64_t from, int64_t n, T limit, Beyond beyond);
  // The largest or the least of each of `groups` groups, elements that lie as far apart: of the
  // first n elements or nearly so. Any element where a group has NaN. `groups` is a multiple of
  // 64, and no more than n.
  void (*best)(const T* line, int64_t n, T* best, int64_t groups, bool largest);
};

// Of float, double, int32_t and int64_t.
template <class T>
CandidateSearch<T> candidate_search();

}  // namespace opweave::cpu

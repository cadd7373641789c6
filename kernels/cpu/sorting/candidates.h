// Looking through a line for elements that may be among the least or the largest.
#pragma once

#include <cstdint>

namespace opweave::cpu {

// The first place in [from, n) of adjacent elements whose element is larger than `limit`, or less
// where `largest` is not set; n if there is none. NaN counts as both.
template <class T>
using FindCandidate = int64_t (*)(const T* line, int64_t from, int64_t n, T limit, bool largest);

// Of float, double, int32_t and int64_t.
template <class T>
FindCandidate<T> find_candidate();

}  // namespace opweave::cpu

// Segment: a run of elements as a contiguous array of the type that is computed with.
#pragma once

#include "kernels/cpu/pointwise/convert.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

inline constexpr int64_t kSegment = 1024;

// Returns `in` itself where its elements lie side by side and are of the compute type; otherwise
// they are gathered and converted into `buffer`. At most kSegment elements.
template <class T>
const compute_type<T>* segment(const T* in, int64_t n, int64_t stride, compute_type<T>* buffer) {
  if constexpr (std::is_same_v<T, compute_type<T>>) {
    if (stride == 1) return in;
    for (int64_t i = 0; i < n; ++i) buffer[i] = in[i * stride];
  } else {
    if (stride == 1) {
      convert(buffer, kFloat, in, scalar_type_of<T>, n);
    } else {
      for (int64_t i = 0; i < n; ++i) buffer[i] = in[i * stride];
    }
  }
  return buffer;
}

// Calls fold(array, n, position of its first element) for the segments of a run.
template <class T, class Fold>
inline __attribute__((always_inline)) void for_segments(const T* in, int64_t n, int64_t stride,
                                                        Fold&& fold) {
  if constexpr (std::is_same_v<T, compute_type<T>>) {
    if (stride == 1) return fold(in, n, int64_t{0});
  }
  alignas(64) compute_type<T> buffer[kSegment];
  for (int64_t i = 0; i < n; i += kSegment) {
    const int64_t m = n - i < kSegment ? n - i : kSegment;
    fold(segment(in + i * stride, m, stride, buffer), m, i);
  }
}

}  // namespace opweave::cpu

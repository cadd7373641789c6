// Loops of weighted_reads and its gradients over floats or doubles, for one example.
#pragma once

#include <cstdint>

#include "runtime/core/numbers/scalar_type.h"

namespace opweave::cpu {

// How many places are read at a time.
inline constexpr int64_t kReadTile = 512;

// Channels of `n` elements, or of n rows of `row` elements each, and what reads them.
struct WeightedReads {
  int64_t n, row;
  int64_t taps, places;  // index and weight are [taps, places]
  const int64_t* index;  // below n; -1 reads zero
  const void* weight;    // not of `products`
};

// Whole channels [begin, end) at the places [first, first + count): kReadTile of them at most where
// they are read; sums of gradients take all places at once.
struct ReadPart {
  int64_t begin, end, first, count;
};

struct WeightedReadsKernel {
  // To `out` [channels, places, row] from `in` [channels, n, row].
  void (*read)(const WeightedReads& reads, const void* in, void* out, const ReadPart& part);
  // Adds `grad` [channels, places, row] to `sums` [channels, n, row].
  void (*spread)(const WeightedReads& reads, const void* grad, void* sums, const ReadPart& part);
  // To `out` [taps, places], of all channels of a part, which `begin` at 0.
  void (*products)(const WeightedReads& reads, const void* grad, const void* in, void* out,
                   const ReadPart& part);
};
WeightedReadsKernel weighted_reads_kernel(ScalarType dtype);

}  // namespace opweave::cpu

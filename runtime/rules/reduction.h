// What a reduction does to shape and dtype; the same for every target.
#pragma once

#include <bitset>
#include <optional>

#include "runtime/core/tensor/tensor.h"

namespace opweave {

inline constexpr size_t kMaxReducedDims = 64;
using DimMask = std::bitset<kMaxReducedDims>;

// RuntimeError for more dimensions than a mask has room for; likewise below.
void check_reducible(int64_t ndim);

// The dimensions that are reduced: those listed, or all when none are. Negative ones count from the
// end; IndexError when out of range, RuntimeError when one appears twice.
DimMask reduced_dims(const std::optional<IntList>& dims, int64_t ndim);
DimMask every_dim(int64_t ndim);

// The sizes of the result: reduced dimensions go, or become 1 when `keepdim`.
DimVector reduced_sizes(IntList sizes, DimMask mask, bool keepdim);
// How many elements fold into one.
int64_t reduced_numel(IntList sizes, DimMask mask);

}  // namespace opweave

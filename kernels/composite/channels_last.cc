#include "kernels/composite/channels_last.h"

#include <algorithm>

namespace opweave::composite {

std::optional<MemoryFormat> channels_last_of(const Tensor& tensor) {
  const IntList sizes = tensor.sizes(), strides = tensor.strides();
  const int64_t rank = tensor.dim();
  if ((rank != 4 && rank != 5) || tensor.numel() == 0 || strides[1] == 0) return std::nullopt;
  // From the innermost dimension, the channels, to the outermost, the batch.
  int64_t least = 0;
  for (int64_t step = 0; step < rank; ++step) {
    const int64_t d = step == 0 ? 1 : step == rank - 1 ? 0 : rank - step;
    if (strides[d] < least || (d == 0 && least == strides[1])) return std::nullopt;
    least = strides[d] * std::max<int64_t>(sizes[d], 1);
  }
  return rank == 4 ? MemoryFormat::kChannelsLast : MemoryFormat::kChannelsLast3d;
}

DimVector strides_as_in(const Tensor& tensor, IntList sizes) {
  const bool same_rank = static_cast<int64_t>(sizes.size()) == tensor.dim();
  const auto format = same_rank ? channels_last_of(tensor) : std::nullopt;
  return format ? strides_for(sizes, *format) : contiguous_strides(sizes);
}

}  // namespace opweave::composite

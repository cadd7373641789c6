// Concatenation: dense parts are copied row by row.
#include "runtime/rules/cat.h"

#include <cstring>

#include "kernels/cpu/copying/copy.h"
#include "opweave/kernels/cpu/cat.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

struct Part {
  const char* data;
  int64_t bytes;  // in each row of the result
};

// The parts, if all of them are dense and of the result's type.
std::vector<Part> dense_parts(TensorList tensors, const Tensor& result, int64_t rows) {
  std::vector<Part> parts;
  if (!result.is_contiguous()) return parts;
  for (const Tensor& t : tensors) {
    if (is_skipped_by_cat(t) || t.numel() == 0) continue;
    if (!t.is_contiguous() || t.dtype() != result.dtype()) return {};
    parts.push_back(
        {static_cast<const char*>(t.raw_data()), static_cast<int64_t>(t.nbytes()) / rows});
  }
  return parts;
}

void copy_rows(const std::vector<Part>& parts, char* to, int64_t row_bytes, int64_t rows) {
  const int64_t grain = std::max<int64_t>(4 * kGrainSize / (row_bytes + 1), 1);
  parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    char* out = to + begin * row_bytes;
    for (int64_t row = begin; row < end; ++row) {
      for (const Part& part : parts) {
        std::memcpy(out, part.data + row * part.bytes, part.bytes);
        out += part.bytes;
      }
    }
  });
}

Tensor part_of(const Tensor& result, int64_t dim, int64_t start, int64_t length) {
  DimVector sizes(result.sizes());
  sizes[dim] = length;
  return make_alias(result, sizes, result.strides(), start * result.strides()[dim]);
}

}  // namespace

void cat(TensorList tensors, int64_t dim, Tensor& result) {
  if (result.numel() == 0) return;
  const int64_t d = wrap_dim(dim, result.dim());
  int64_t rows = 1;
  for (int64_t i = 0; i < d; ++i) rows *= result.sizes()[i];
  // Long rows are left to what copies with several threads and past the cache.
  if (rows > 1 || result.nbytes() <= kGrainSize) {
    const std::vector<Part> parts = dense_parts(tensors, result, rows);
    if (!parts.empty()) {
      return copy_rows(parts, static_cast<char*>(result.raw_data()),
                       static_cast<int64_t>(result.nbytes()) / rows, rows);
    }
  }
  int64_t start = 0;
  for (const Tensor& t : tensors) {
    if (is_skipped_by_cat(t)) continue;
    const int64_t length = t.sizes()[d];
    Tensor part = part_of(result, d, start, length);
    copy_elements(part, t);
    start += length;
  }
}

}  // namespace opweave::cpu

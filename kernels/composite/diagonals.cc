// What is written to the main diagonal of all dimensions.
#include <algorithm>
#include <numeric>

#include "opweave/kernels/composite/fill_diagonal_.h"
#include "opweave/ops/as_strided.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/slice.h"
#include "runtime/batching/batched_tensor.h"

namespace opweave::composite {
namespace {

// Elements at one distance, from the first on.
void fill_line(const Tensor& self, int64_t count, int64_t step, const Scalar& value) {
  Tensor line = opweave::as_strided(self, IntList{count}, IntList{step}, self.storage_offset());
  opweave::fill_(line, value);
}

// Of a matrix, again and again: there is a row between one diagonal and the next.
void fill_wrapped(const Tensor& self, const Scalar& value) {
  const int64_t rows = self.size(0), columns = self.size(1);
  if (!is_batched(self) && self.is_contiguous())
    return fill_line(self, (rows * columns + columns) / (columns + 1), columns + 1, value);
  for (int64_t start = 0; start < rows; start += columns + 1) {
    const Tensor part = opweave::slice(self, 0, start, start + columns, 1);
    Tensor line = opweave::diagonal(part, 0, 0, 1);
    opweave::fill_(line, value);
  }
}

}  // namespace

Tensor& fill_diagonal_(Tensor& self, const Scalar& fill_value, bool wrap) {
  if (self.dim() == 2 && wrap) {
    fill_wrapped(self, fill_value);
    return self;
  }
  const IntList sizes = self.sizes(), strides = self.strides();
  const int64_t count = *std::min_element(sizes.begin(), sizes.end());
  const int64_t step = std::accumulate(strides.begin(), strides.end(), int64_t{0});
  fill_line(self, count, step, fill_value);
  return self;
}

}  // namespace opweave::composite

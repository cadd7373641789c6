// Reversal and triangles.
#include <cstring>

#include "kernels/cpu/common/words.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/plans/odometer.h"
#include "opweave/kernels/cpu/flip.h"
#include "opweave/kernels/cpu/tril.h"
#include "opweave/kernels/cpu/triu.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/rules/broadcast.h"

namespace opweave::cpu {
namespace {

// Merged dimensions of a reversal, innermost first: neighbours that are both reversed, or both not,
// are one.
struct Reversal {
  DimVector sizes;
  std::vector<bool> reversed;

  Reversal(IntList shape, IntList dims) {
    for (size_t d = shape.size(); d-- > 0;) {
      const bool here = std::find(dims.begin(), dims.end(), static_cast<int64_t>(d)) != dims.end();
      if (shape[d] == 1) continue;
      if (!sizes.empty() && reversed.back() == here) {
        sizes.back() *= shape[d];
      } else {
        sizes.push_back(shape[d]);
        reversed.push_back(here);
      }
    }
  }
};

// One row, of `n` items.
template <class Item>
void reverse_row(const char* from, char* to, int64_t n, Item item) {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + (n - 1 - i) * item, from + i * item, item);
}

void reverse(const Tensor& self, const Reversal& r, Tensor& result) {
  const auto item = static_cast<int64_t>(self.element_size());
  const bool inner_reversed = !r.sizes.empty() && r.reversed[0];
  const int64_t row = r.sizes.empty() ? 1 : r.sizes[0];
  DimVector sizes, strides;  // of the rows, in bytes of the result; reversed ones run backwards
  int64_t stride = row * item, start = 0;
  for (size_t d = 1; d < r.sizes.size(); ++d) {
    sizes.push_back(r.sizes[d]);
    strides.push_back(r.reversed[d] ? -stride : stride);
    if (r.reversed[d]) start += (r.sizes[d] - 1) * stride;
    stride *= r.sizes[d];
  }
  const auto* from = static_cast<const char*>(self.raw_data());
  auto* to = static_cast<char*>(result.raw_data()) + start;
  const int64_t rows = self.numel() / row;
  parallel_for(0, rows, std::max<int64_t>(kGrainSize / row, 1), [&](int64_t begin, int64_t end) {
    plans::Odometer odometer(sizes, strides, 0);
    odometer.seek(begin);
    for (int64_t i = begin; i < end; ++i, odometer.next()) {
      const char* in = from + i * row * item;
      char* out = to + odometer.offset();
      if (!inner_reversed) {
        std::memcpy(out, in, row * item);
      } else {
        with_run(item, [&](auto size) { reverse_row(in, out, row, size); });
      }
    }
  });
}

// Copies columns [begin, end) of each row, which follow from the row's number, and clears the rest.
template <class Columns>
void triangle(const Tensor& self, Tensor& result, Columns columns) {
  if (result.numel() == 0) return;
  const Dense source(self);
  const int64_t height = self.size(-2), width = self.size(-1);
  const auto item = static_cast<int64_t>(self.element_size());
  const auto* from = static_cast<const char*>(source->raw_data());
  auto* to = static_cast<char*>(result.raw_data());
  const int64_t grain = std::max<int64_t>(kGrainSize / width, 1);
  parallel_for(0, self.numel() / width, grain, [&](int64_t first, int64_t past) {
    for (int64_t row = first; row < past; ++row) {
      const auto [begin, end] = columns(row % height);
      const int64_t a = std::clamp<int64_t>(begin, 0, width) * item;
      const int64_t b = std::max(a, std::clamp<int64_t>(end, 0, width) * item);
      char* out = to + row * width * item;
      std::memset(out, 0, a);
      std::memcpy(out + a, from + row * width * item + a, b - a);
      std::memset(out + b, 0, width * item - b);
    }
  });
}

// The column behind the diagonal, which may lie anywhere.
int64_t end_of(int64_t row, int64_t diagonal) {
  int64_t end = 0;
  const bool beyond = __builtin_add_overflow(row + 1, diagonal, &end);
  return beyond ? INT64_MAX : end;
}

Tensor permuted(const Tensor& t, IntList order) {
  DimVector sizes, strides;
  for (int64_t d : order) {
    sizes.push_back(t.size(d));
    strides.push_back(t.stride(d));
  }
  return make_alias(t, sizes, strides, t.storage_offset());
}

}  // namespace

void flip(const Tensor& self, IntList dims, Tensor& result) {
  if (result.numel() == 0) return;
  DimVector wrapped;
  for (int64_t d : dims) wrapped.push_back(wrap_dim(d, self.dim()));
  if (result.is_contiguous()) return reverse(Dense(self), Reversal(self.sizes(), wrapped), result);
  // With its dimensions in the order in which they lie, it is.
  const DimVector strides(result.strides());
  DimVector order = dimension_order(result.sizes(), {&strides, 1});
  std::ranges::reverse(order);
  for (int64_t& d : wrapped) d = std::ranges::find(order, d) - order.begin();
  Tensor to = permuted(result, order);
  reverse(Dense(permuted(self, order)), Reversal(to.sizes(), wrapped), to);
}

void tril(const Tensor& self, int64_t diagonal, Tensor& result) {
  triangle(self, result, [=](int64_t row) { return std::pair(int64_t{0}, end_of(row, diagonal)); });
}

void triu(const Tensor& self, int64_t diagonal, Tensor& result) {
  triangle(self, result,
           [=](int64_t row) { return std::pair(end_of(row, diagonal) - 1, INT64_MAX); });
}

}  // namespace opweave::cpu

// What there is of numbers, places and choices: bincount, nonzero_static, combinations, triangles.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/composite/new_tensor.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/bincount.h"
#include "opweave/kernels/composite/combinations.h"
#include "opweave/kernels/composite/nonzero_static.h"
#include "opweave/kernels/composite/tril_indices.h"
#include "opweave/kernels/composite/triu_indices.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/le.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/masked_select.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/new_full.h"
#include "opweave/ops/nonzero.h"
#include "opweave/ops/ones_like.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/slice.h"
#include "opweave/ops/stack.h"
#include "opweave/ops/to.h"

namespace opweave::composite {
namespace {

Tensor counting_to(int64_t n, Device device) { return opweave::arange(0, n, 1, kLong, {}, device); }

// --- places on and beside a diagonal

// Diagonals farther out are beside the matrix as well, and the sums below could not hold them.
int64_t nearest_offset(int64_t offset, int64_t rows, int64_t columns) {
  return std::clamp(offset, -rows, columns);
}

// How many places of a matrix lie on and below a diagonal. The first rows have none, the last have
// all, and those between one more each.
int64_t places_below(int64_t rows, int64_t columns, int64_t offset) {
  const int64_t first = std::clamp<int64_t>(-offset, 0, rows);
  const int64_t whole = std::clamp<int64_t>(columns - offset - 1, first, rows);
  return (whole - first) * (first + whole + 1 + 2 * offset) / 2 + (rows - whole) * columns;
}

// Columns [begin, end) of a row.
struct Range {
  int64_t begin, end;
};

// The places of `count` elements, those of range_of(row) in each of the rows [first, past), in a
// new tensor [2, count].
template <class RangeOf>
Tensor triangle(int64_t first, int64_t past, int64_t count, const TensorOptions& options,
                RangeOf range_of) {
  Tensor result = new_tensor({2, count}, options);
  if (result.is_meta() || count == 0) return result;
  const bool fits = result.in_host_memory() && result.dtype() == kLong;
  const Tensor places = fits ? result : make_tensor({2, count}, kLong, host_device());
  int64_t *row = places.data<int64_t>(), *column = row + count;
  for (int64_t i = first; i < past; ++i) {
    const Range range = range_of(i);
    const int64_t n = range.end - range.begin;
    row = std::fill_n(row, n, i);
    std::iota(column, column + n, range.begin);
    column += n;
  }
  if (!fits) copy_into(result, opweave::to(places, result.device(), result.dtype()));
  return result;
}

// How far from the first row or column a diagonal begins to leave a matrix of so many.
int64_t reached(int64_t from, int64_t offset, int64_t most) {
  return static_cast<int64_t>(std::clamp<__int128>(static_cast<__int128>(from) + offset, 0, most));
}

// --- choices

// Of all places in `r` vectors of n, those that do not fall; with_replacement: that may be equal.
Tensor ordered_choices(const std::vector<Tensor>& grids, bool with_replacement) {
  Tensor keep = opweave::ones_like(grids[0], kBool);
  for (size_t i = 0; i + 1 < grids.size(); ++i) {
    const Tensor rises = with_replacement ? opweave::le(grids[i], grids[i + 1])
                                          : opweave::lt(grids[i], grids[i + 1]);
    keep = opweave::logical_and(keep, rises);
  }
  return keep;
}

// Coordinate d of a grid of r dimensions.
Tensor coordinate(const Tensor& places, int64_t d, int64_t r) {
  const int64_t n = places.numel();
  DimVector own(static_cast<size_t>(r), 1), all(static_cast<size_t>(r), n);
  own[static_cast<size_t>(d)] = n;
  return opweave::expand(opweave::reshape(places, own), all);
}

// Elements in a row that the program itself can read.
Tensor on_host(const Tensor& t, ScalarType dtype) {
  return opweave::contiguous(opweave::to(t, host_device(), dtype));
}

int64_t largest(const int64_t* at, int64_t n) {
  int64_t least = 0, most = -1;
  for (int64_t i = 0; i < n; ++i) {
    least = std::min(least, at[i]);
    most = std::max(most, at[i]);
  }
  OW_CHECK(least >= 0, "bincount only supports 1-d non-negative integral inputs.");
  return most;
}

template <class T>
void add_weights(const Tensor& places, const Tensor& weights, Tensor& sums) {
  const auto* at = places.data<int64_t>();
  const T* weight = weights.data<T>();
  T* sum = sums.data<T>();
  for (int64_t i = 0; i < places.numel(); ++i) sum[at[i]] += weight[i];
}

// Several counters for each number: one that waits for its own last addition is slow.
void count(const int64_t* at, int64_t n, int64_t* counts, int64_t length) {
  if (n < 4 * length) {
    for (int64_t i = 0; i < n; ++i) ++counts[at[i]];
    return;
  }
  std::vector<int64_t> others(static_cast<size_t>(length));
  for (int64_t i = 0; i + 1 < n; i += 2) {
    ++counts[at[i]];
    ++others[static_cast<size_t>(at[i + 1])];
  }
  if (n % 2 != 0) ++counts[at[n - 1]];
  for (int64_t i = 0; i < length; ++i) counts[i] += others[static_cast<size_t>(i)];
}

}  // namespace

// On the host, where what the elements are decides how many results there are. Sums are int64
// unless there are weights, which count as they are in float32 and else in float64.
Tensor bincount(const Tensor& self, const Tensor& weights, int64_t minlength) {
  const Tensor places = on_host(self, kLong);
  const int64_t n = places.numel();
  const int64_t most = largest(places.data<int64_t>(), n);
  OW_CHECK(most < std::numeric_limits<int64_t>::max(), "bincount: the element ", most,
           " asks for more counts than a tensor can have");
  const int64_t length = std::max(minlength, most + 1);
  const bool weighs = weights.defined() && n > 0;
  const ScalarType dtype = !weighs ? kLong : weights.dtype() == kFloat ? kFloat : kDouble;
  Tensor sums = zeroed(make_tensor({length}, dtype, host_device()));
  if (!weighs) {
    count(places.data<int64_t>(), n, sums.data<int64_t>(), length);
  } else if (dtype == kFloat) {
    add_weights<float>(places, on_host(weights, dtype), sums);
  } else {
    add_weights<double>(places, on_host(weights, dtype), sums);
  }
  return opweave::to(sums, self.device(), dtype);
}

Tensor nonzero_static(const Tensor& self, int64_t size, int64_t fill_value) {
  const Tensor found = opweave::slice(opweave::nonzero(self), 0, 0, size, 1);
  const Tensor rest =
      opweave::new_full(found, {size - found.size(0), found.size(1)}, Scalar(fill_value));
  return opweave::cat(std::vector<Tensor>{found, rest}, 0);
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  if (r == 0) return opweave::new_empty(self, {0});
  const Tensor places = counting_to(self.numel(), self.device());
  std::vector<Tensor> grids, columns;
  for (int64_t d = 0; d < r; ++d) grids.push_back(coordinate(places, d, r));
  const Tensor keep = ordered_choices(grids, with_replacement);
  for (const Tensor& grid : grids)
    columns.push_back(opweave::index_select(self, 0, opweave::masked_select(grid, keep)));
  return opweave::stack(columns, 1);
}

Tensor tril_indices(int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
                    std::optional<Layout>, std::optional<Device> device,
                    std::optional<bool> pin_memory) {
  offset = nearest_offset(offset, row, col);
  const int64_t columns = reached(row, offset, col);           // behind them there is nothing
  const int64_t first = std::clamp<int64_t>(-offset, 0, row);  // above it there is nothing
  return triangle(first, row, places_below(row, col, offset),
                  {dtype.value_or(kLong), device, pin_memory}, [=](int64_t i) {
                    return Range{0, reached(i + 1, offset, columns)};
                  });
}

Tensor triu_indices(int64_t row, int64_t col, int64_t offset, std::optional<ScalarType> dtype,
                    std::optional<Layout>, std::optional<Device> device,
                    std::optional<bool> pin_memory) {
  offset = nearest_offset(offset, row, col);
  const int64_t rows = reached(col, -offset, row);  // below them there is nothing
  const int64_t count = rows * col - places_below(rows, col, offset - 1);
  return triangle(0, rows, count, {dtype.value_or(kLong), device, pin_memory}, [=](int64_t i) {
    return Range{reached(i, offset, col), col};
  });
}

}  // namespace opweave::composite

// segment_reduce: sums, means, products and extremes of segments of a dimension, which lie one
// behind the other.
#include <limits>

#include "kernels/composite/every_example.h"
#include "opweave/kernels/composite/segment_reduce.h"
#include "opweave/ops/add.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/cumsum.h"
#include "opweave/ops/diff.h"
#include "opweave/ops/div.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/gt.h"
#include "opweave/ops/index_add.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/new_empty.h"
#include "opweave/ops/new_full.h"
#include "opweave/ops/repeat_interleave.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/scatter_reduce.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "opweave/ops/where.h"
#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/widened.h"

namespace opweave::composite {
namespace {

Tensor numbers_to(int64_t n, const Tensor& like) {
  return ops::arange::call(n, kLong, {}, like.device(), {});
}
Tensor sum_of_rows(const Tensor& t) {
  return ops::sum_dim_IntList::call(t, IntList{-1}, false, {});
}

// What segments are reduced to, and what an empty one is.
struct Reduction {
  std::string_view name;
  Scalar start;
};

Reduction named(std::string_view word) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word == "max" || word == "amax") return {"amax", -kInfinity};
  if (word == "min" || word == "amin") return {"amin", kInfinity};
  return {word, word == "prod" ? 1 : 0};
}

// Of whole numbers, none negative, which fill the dimension.
Tensor checked_lengths(const Tensor& data, const Tensor& lengths, const Tensor& offsets,
                       int64_t axis, bool unsafe) {
  const Tensor found = offsets.defined() ? opweave::diff(offsets) : lengths;
  if (unsafe) return opweave::to(found, kLong);
  OW_CHECK(found.numel() == 0 || holds_everywhere(opweave::ge(found, 0)),
           "lengths contains negative value!");
  OW_CHECK(offsets.defined() || holds_everywhere(opweave::eq(sum_of_rows(found), data.size(axis))),
           "segment_reduce(): Expected all rows of lengths along axis to sum to "
           "data.size(lengths.dim()-1) when !unsafe.");
  return opweave::to(found, kLong);
}

// The elements that are in segments, which rows of the dimension need not be filled with.
Tensor in_segments(const Tensor& flat, const Tensor& rows, int64_t width) {
  const Tensor counts = sum_of_rows(rows);
  const Tensor first = opweave::mul(numbers_to(rows.size(0), rows), width);
  const Tensor before = opweave::sub(opweave::cumsum(counts, 0), counts);
  const Tensor moved = opweave::repeat_interleave(opweave::sub(first, before), counts);
  return opweave::index_select(flat, 0, opweave::add(moved, numbers_to(moved.numel(), moved)));
}

// A number for each segment, along the first dimension of `values`.
Tensor beside(const Tensor& values, const Tensor& numbers) {
  DimVector shape(static_cast<size_t>(values.dim()), 1);
  shape[0] = numbers.numel();
  return opweave::reshape(numbers, shape);
}

// Sums and counts of 16 bits are rounded once, as their quotient.
Tensor means(const Tensor& start, const Tensor& segments, const Tensor& values,
             const Tensor& lengths, bool has_initial) {
  const ScalarType wide = rule::widened(values.dtype());
  const Tensor total =
      opweave::index_add(opweave::to(start, wide), 0, segments, opweave::to(values, wide));
  const Tensor parts = opweave::to(beside(values, lengths), wide);
  const Tensor mean = opweave::to(opweave::div(total, parts), values.dtype());
  return has_initial ? opweave::where(opweave::gt(parts, 0), mean, start) : mean;
}

// `segments` has the segment of each value.
Tensor reduced(const Reduction& by, const Tensor& start, const Tensor& segments,
               const Tensor& values) {
  if (by.name == "sum") return opweave::index_add(start, 0, segments, values);
  const Tensor places = opweave::expand(beside(values, segments), values.sizes());
  return ops::scatter_reduce_two::call(start, 0, places, values, by.name, true);
}

}  // namespace

Tensor segment_reduce(const Tensor& data, std::string_view reduce, const Tensor& lengths,
                      const Tensor& /*indices*/, const Tensor& offsets, int64_t axis, bool unsafe,
                      const std::optional<Scalar>& initial) {
  const int64_t along = wrap_dim(axis, data.dim());
  DimVector sizes((offsets.defined() ? offsets : lengths).sizes());
  if (offsets.defined()) sizes.back() -= 1;
  for (const int64_t size : data.sizes().subspan(static_cast<size_t>(along) + 1))
    sizes.push_back(size);
  if (data.is_meta()) return opweave::new_empty(data, sizes);

  const Tensor counts = checked_lengths(data, lengths, offsets, along, unsafe);
  const Tensor rows =
      counts.dim() == 1 ? opweave::unsqueeze(counts, 0) : opweave::flatten(counts, 0, -2);
  const Tensor flat = opweave::flatten(data, 0, along);
  const bool filled = !unsafe && !offsets.defined();
  const Tensor values = filled ? flat : in_segments(flat, rows, data.size(along));
  const Reduction by = named(reduce);
  const int64_t count = rows.numel();
  DimVector shape(values.sizes());
  shape[0] = count;
  const Tensor start = opweave::new_full(values, shape, initial.value_or(by.start));
  const Tensor in_a_row = opweave::reshape(rows, IntList{-1});
  const auto known = filled ? std::optional(values.size(0)) : std::nullopt;
  const Tensor segments = ops::repeat_interleave_Tensor::call(in_a_row, known);
  const Tensor found = by.name == "mean"
                           ? means(start, segments, values, in_a_row, initial.has_value())
                           : reduced(by, start, segments, values);
  return opweave::reshape(found, sizes);
}

}  // namespace opweave::composite

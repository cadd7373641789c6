// Places of values in sorted ones: searchsorted, bucketize; and whether they are there: isin.
#include <limits>

#include "opweave/kernels/composite/_searchsorted.h"
#include "opweave/kernels/composite/bucketize.h"
#include "opweave/kernels/composite/isin.h"
#include "opweave/kernels/composite/searchsorted.h"
#include "opweave/ops/_searchsorted.h"
#include "opweave/ops/add.h"
#include "opweave/ops/any.h"
#include "opweave/ops/bitwise_right_shift.h"
#include "opweave/ops/clamp_max.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/eq.h"
#include "opweave/ops/flatten.h"
#include "opweave/ops/full.h"
#include "opweave/ops/full_like.h"
#include "opweave/ops/gather.h"
#include "opweave/ops/ge.h"
#include "opweave/ops/gt.h"
#include "opweave/ops/isnan.h"
#include "opweave/ops/logical_and.h"
#include "opweave/ops/logical_not.h"
#include "opweave/ops/logical_or.h"
#include "opweave/ops/lt.h"
#include "opweave/ops/masked_fill.h"
#include "opweave/ops/ne.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sort.h"
#include "opweave/ops/take.h"
#include "opweave/ops/to.h"
#include "opweave/ops/where.h"
#include "opweave/ops/zeros_like.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/number.h"

namespace opweave::composite {
namespace {

// One of the dtypes in which kernels compare, that has every number of `dtype`.
ScalarType compared_in(ScalarType dtype) {
  if (is_floating(dtype)) return compute_dtype(dtype);
  return dtype_info(dtype).largest > dtype_info(kLong).largest ? dtype : kLong;
}

// Floats compare with a number in their dtype; integers in one that has the number, too.
ScalarType compared_in(ScalarType dtype, const Scalar& number) {
  if (is_floating(dtype)) return compared_in(dtype);
  const ScalarType whole = compared_in(dtype);
  const bool has_place = whole == kLong ? fits(number, kLong) : number.to_double() >= 0;
  return number.is_floating() || !has_place ? kDouble : whole;
}

struct Search {
  bool to_int32, right;
  Tensor sorter;
};

Tensor search(const Tensor& sorted_sequence, const Tensor& values, ScalarType dtype,
              const Search& how) {
  const Tensor edges =
      how.sorter.defined() ? opweave::gather(sorted_sequence, -1, how.sorter) : sorted_sequence;
  const Tensor found = opweave::_searchsorted(opweave::to(edges, compared_in(dtype)),
                                              opweave::to(values, compared_in(dtype)), how.right);
  return how.to_int32 ? opweave::to(found, kInt) : found;
}

Tensor search(const Tensor& sorted_sequence, const Tensor& values, const Search& how) {
  ResultType both;
  both.add(sorted_sequence);
  both.add(values);
  return search(sorted_sequence, values, both.result(), how);
}

Tensor search(const Tensor& sorted_sequence, const Scalar& number, const Search& how) {
  OW_CHECK_NOT_IMPLEMENTED(sorted_sequence.dtype() != kBool || number.type() != kBool,
                           "\"searchsorted_out_cpu\" not implemented for 'Bool'");
  const ScalarType dtype = compared_in(sorted_sequence.dtype(), number);
  Tensor value =
      opweave::full({}, number, is_floating(dtype) ? kDouble : dtype, {}, sorted_sequence.device());
  // In the elements' own dtype first, where that rounds it.
  if (is_floating(sorted_sequence.dtype())) value = opweave::to(value, sorted_sequence.dtype());
  return search(sorted_sequence, value, dtype, how);
}

// Whether comparing with each of `tests` takes less time than sorting them and halving for each
// element: a comparison costs a call, and then little for an element.
bool are_few(int64_t tests, int64_t elements) {
  return tests <= 8 || (tests <= 64 && tests * 100 <= elements);
}

// Whether each element is one of several; both are of one dtype.
Tensor are_among(const Tensor& elements, const Tensor& tests) {
  const int64_t n = tests.numel();
  if (are_few(n, elements.numel())) {
    Tensor found = opweave::zeros_like(elements, kBool);
    for (int64_t i = 0; i < n; ++i)
      found = opweave::logical_or(found, opweave::eq(elements, opweave::select(tests, 0, i)));
    return found;
  }
  // NaNs come last and equal nothing, but are before every element for a search.
  const Tensor sorted = std::get<0>(opweave::sort(tests));
  const Tensor edges = is_floating(sorted.dtype())
                           ? opweave::masked_fill(sorted, opweave::isnan(sorted),
                                                  std::numeric_limits<double>::infinity())
                           : sorted;
  const Tensor places = opweave::_searchsorted(edges, elements, /*right=*/false);
  return opweave::eq(opweave::take(sorted, opweave::clamp_max(places, n - 1)), elements);
}

void check_is_number(const Scalar& number) {
  OW_CHECK_NOT_IMPLEMENTED(number.type() != kBool,
                           "Unsupported input type encountered for isin(): Bool");
}

bool is_right(bool right, std::optional<std::string_view> side) { return right || side == "right"; }

}  // namespace

// By halving all at once: where a kernel of the target's own is missing.
Tensor _searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool right) {
  const int64_t n = sorted_sequence.size(-1);
  const bool is_shared = sorted_sequence.dim() == 1;
  Tensor low = opweave::zeros_like(self, kLong);
  if (n == 0) return low;
  Tensor high = opweave::full_like(low, n);
  for (int64_t left = n; left > 0; left /= 2) {
    const Tensor middle = opweave::bitwise_right_shift(opweave::add(low, high), 1);
    const Tensor at = opweave::clamp_max(middle, n - 1);
    const Tensor edge =
        is_shared ? opweave::take(sorted_sequence, at) : opweave::gather(sorted_sequence, -1, at);
    const Tensor reaches = right ? opweave::gt(edge, self) : opweave::ge(edge, self);
    const Tensor is_behind =
        opweave::logical_and(opweave::logical_not(reaches), opweave::lt(low, high));
    low = opweave::where(is_behind, opweave::add(middle, 1), low);
    high = opweave::where(is_behind, high, middle);
  }
  return low;
}

Tensor searchsorted_Tensor(const Tensor& sorted_sequence, const Tensor& self, bool out_int32,
                           bool right, std::optional<std::string_view> side, const Tensor& sorter) {
  return search(sorted_sequence, self, {out_int32, is_right(right, side), sorter});
}
Tensor searchsorted_Scalar(const Tensor& sorted_sequence, const Scalar& self, bool out_int32,
                           bool right, std::optional<std::string_view> side, const Tensor& sorter) {
  return search(sorted_sequence, self, {out_int32, is_right(right, side), sorter});
}

Tensor bucketize_Tensor(const Tensor& self, const Tensor& boundaries, bool out_int32, bool right) {
  return search(boundaries, self, {out_int32, right, {}});
}
Tensor bucketize_Scalar(const Scalar& self, const Tensor& boundaries, bool out_int32, bool right) {
  return search(boundaries, self, {out_int32, right, {}});
}

Tensor isin_Tensor_Tensor(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
  ResultType both;
  both.add(elements);
  both.add(test_elements);
  const auto comparable = [&](const Tensor& t) {
    const Tensor rounded = opweave::to(t, both.result());
    return opweave::contiguous(opweave::to(rounded, compared_in(both.result())));
  };
  const Tensor found = are_among(comparable(elements), opweave::flatten(comparable(test_elements)));
  return invert ? opweave::logical_not(found) : found;
}
Tensor isin_Tensor_Scalar(const Tensor& elements, const Scalar& test_element, bool, bool invert) {
  check_is_number(test_element);
  const Tensor lined = opweave::contiguous(elements);
  return invert ? opweave::ne(lined, test_element) : opweave::eq(lined, test_element);
}
Tensor isin_Scalar_Tensor(const Scalar& element, const Tensor& test_elements, bool, bool invert) {
  check_is_number(element);
  const Tensor found = ops::any::call(opweave::eq(test_elements, element));
  return invert ? opweave::logical_not(found) : found;
}

}  // namespace opweave::composite

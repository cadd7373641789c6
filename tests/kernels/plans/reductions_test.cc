// Which dimensions are folded, in which order, against the strides that say so.
#include <doctest/doctest.h>

#include "kernels/plans/around_dim.h"
#include "kernels/plans/dims.h"
#include "kernels/plans/lines.h"
#include "kernels/plans/odometer.h"
#include "kernels/plans/reduce_plan.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::plans {
namespace {

Tensor strided(IntList sizes, IntList strides) {
  return make_tensor_strided(sizes, strides, kFloat, host_device());
}

TEST_CASE("a contiguous tensor that is reduced whole is one run") {
  const ReducePlan plan = plan_reduction(make_tensor({4, 5, 6}, kFloat, host_device()),
                                         every_dim(3), /*ordered=*/false);
  CHECK(plan.kept.ndim() == 0);
  CHECK(plan.reduced.sizes == DimVector{120});
  CHECK(plan.reduced.strides == DimVector{1});
  CHECK(plan.reduced.numel() == 120);
}

TEST_CASE("rows are folded into one another where the kept dimension is the nearer one") {
  const Tensor t = make_tensor({4, 5}, kFloat, host_device());
  const ReducePlan columns = plan_reduction(t, mask_of(0, 2), false);
  CHECK(columns.by_columns);
  CHECK(columns.kept.sizes == DimVector{5});
  CHECK(columns.reduced.strides == DimVector{5});
  const ReducePlan rows = plan_reduction(t, mask_of(-1, 2), false);
  CHECK(!rows.by_columns);
  CHECK(rows.kept.strides == DimVector{5});
  CHECK(rows.kept.out_strides == DimVector{1});
}

TEST_CASE("the nearest dimension comes first, one that is broadcast last") {
  const Tensor t = strided({2, 3, 4}, {0, 1, 3});
  CHECK(plan_reduction(t, every_dim(3), false).reduced.strides == DimVector{1, 0});
  // In their order, from the last one.
  CHECK(plan_reduction(t, every_dim(3), true).reduced.strides == DimVector{3, 1, 0});
}

TEST_CASE("dimensions of one element are nowhere") {
  const ReducePlan plan = plan_reduction(strided({1, 3, 1}, {7, 1, 9}), mask_of({0, 2}, 3), false);
  CHECK(plan.reduced.ndim() == 0);
  CHECK(plan.kept.sizes == DimVector{3});
}

TEST_CASE("dimensions are counted from either end, and a number has one element") {
  CHECK(from_front(-1, 3) == 2);
  CHECK(from_front(1, 3) == 1);
  CHECK(from_front(-1, 0) == 0);
  CHECK(length_along(make_tensor({}, kFloat, host_device()), 0) == 1);
  CHECK(mask_of(IntList{}, 2) == every_dim(2));
  CHECK(mask_of({-1}, 2) == mask_of(1, 2));
}

TEST_CASE("an odometer visits every place once, from wherever it begins") {
  const DimVector sizes{3, 2, 4}, strides{1, 100, 10};
  Odometer all(sizes, strides, 0);
  for (int64_t i = 0; i < 24; ++i, all.next()) {
    const int64_t expected = i % 3 + i / 3 % 2 * 100 + i / 6 * 10;
    CHECK(all.offset() == expected);
    Odometer from(sizes, strides, 0);
    from.seek(i);
    CHECK(from.offset() == expected);
  }
  CHECK(all.offset() == 0);  // around
  Odometer outer(sizes, strides, 1);
  outer.seek(3);
  CHECK(outer.offset() == 110);
}

TEST_CASE("lines lie along a dimension") {
  const Tensor t = strided({2, 3, 4}, {1, 2, 6});
  const Lines lines(t, IntList{12, 4, 1}, 1);
  CHECK(lines.count == 8);
  CHECK(lines.n == 3);
  CHECK(lines.in_stride == 2);
  CHECK(lines.out_stride == 4);
  CHECK(lines.sizes == DimVector{4, 2});
  CHECK(lines.in_strides == DimVector{6, 1});
  CHECK(lines.out_strides == DimVector{1, 12});
  const Lines number(make_tensor({}, kFloat, host_device()), {}, 0);
  CHECK(number.count == 1);
  CHECK(number.n == 1);
}

TEST_CASE("around a dimension") {
  const AroundDim middle({2, 3, 4, 5}, 1);
  CHECK(middle.outer == 2);
  CHECK(middle.n == 3);
  CHECK(middle.inner == 20);
  const AroundDim none({}, 0);
  CHECK(none.outer * none.n * none.inner == 1);
}

}  // namespace
}  // namespace opweave::plans

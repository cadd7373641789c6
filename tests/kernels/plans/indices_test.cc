// Where the elements lie that indices name, against sums over all dimensions.
#include <doctest/doctest.h>

#include "kernels/plans/gather_plan.h"
#include "kernels/plans/index_plan.h"
#include "kernels/plans/odometer.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::plans {
namespace {

Tensor floats(IntList sizes) { return make_tensor(sizes, kFloat, host_device()); }

TEST_CASE("rows of an index are blocks behind the dimensions before") {
  const Tensor self = floats({2, 3, 4, 5});
  const Tensor index = make_tensor({7}, kLong, host_device());
  const std::vector<Tensor> indices{Tensor(), index};
  const IndexPlan plan(self, index_shape(self, indices));
  CHECK(plan.befores == 2);
  CHECK(plan.indices == 7);
  CHECK(plan.rows() == 14);
  CHECK(plan.before_offset(0) == 0);
  CHECK(plan.before_offset(1) == 60 * 4);
  REQUIRE(plan.indexed.size() == 1);
  CHECK(plan.indexed[0].dim == 1);
  CHECK(plan.indexed[0].size == 3);
  CHECK(plan.indexed[0].stride == 20 * 4);
  CHECK(plan.block.is_dense());
  CHECK(plan.block.bytes == 20 * 4);
  CHECK(plan.block.run == plan.block.bytes);
}

TEST_CASE("a block that is not dense is runs") {
  const Tensor self = make_tensor_strided({3, 4, 5}, {40, 8, 1}, kFloat, host_device());
  const std::vector<Tensor> indices{make_tensor({2}, kLong, host_device())};
  const StridedBlock block = IndexPlan(self, index_shape(self, indices)).block;
  CHECK(block.run == 5 * 4);
  CHECK(block.bytes == 20 * 4);
  CHECK(block.sizes == DimVector{4});
  CHECK(block.strides == DimVector{8 * 4});
}

// Offsets in bytes of all elements of an operand, as the plan walks.
std::vector<int64_t> walked(const GatherPlan& plan, const GatherOperand& operand) {
  std::vector<int64_t> found;
  Odometer outer(plan.outer_sizes, operand.outer, 0);
  for (int64_t o = 0; o < plan.outer_count; ++o, outer.next()) {
    for (int64_t i = 0; i < plan.along; ++i) {
      for (int64_t j = 0; j < plan.inner_size; ++j) {
        found.push_back(outer.offset() + i * operand.along + j * operand.inner);
      }
    }
  }
  return found;
}

TEST_CASE("a walk visits each element of the index once, along any dimension") {
  const Tensor self = floats({4, 5, 6});
  const Tensor index = make_tensor({2, 3, 5}, kLong, host_device());
  for (int64_t dim : {0, 1, 2}) {
    const GatherPlan plan(self, dim, index, &index);
    CHECK(plan.size == self.sizes()[dim]);
    CHECK(plan.along == index.sizes()[dim]);
    std::vector<int64_t> found = walked(plan, plan.index);
    CHECK(found == walked(plan, plan.other));
    std::sort(found.begin(), found.end());
    REQUIRE(found.size() == 30);
    for (int64_t i = 0; i < 30; ++i) CHECK(found[static_cast<size_t>(i)] == i * 8);
  }
}

TEST_CASE("a number is one element, and nothing beside it stays where it is") {
  const Tensor index = make_tensor({}, kLong, host_device());
  const GatherPlan plan(floats({}), 0, index, nullptr);
  CHECK(plan.size == 1);
  CHECK(plan.along == 1);
  CHECK(walked(plan, plan.index) == std::vector<int64_t>{0});
  const GatherPlan none(floats({3, 4}), 1, make_tensor({3, 2}, kLong, host_device()), nullptr);
  for (int64_t offset : walked(none, none.other)) CHECK(offset == 0);
}

}  // namespace
}  // namespace opweave::plans

// A program of runtime/core and nothing above it: what core needs is in core.
#include <doctest/doctest.h>

#include "runtime/core/tensor.h"

using namespace opweave;

TEST_CASE("a tensor without data, and an error") {
  const Tensor tensor = make_tensor(DimVector{2, 3}, ScalarType::kFloat, Device(kMeta));
  CHECK(tensor.numel() == 6);
  CHECK(str(tensor) == "tensor of shape [2, 3] and dtype float32");
  CHECK_THROWS_WITH_AS(tensor.data<int64_t>(), "expected scalar type Long but found Float", Error);
}

// Views that are printed from their rules, against the addresses of their elements.
#include "tests/runtime/support/views.h"

#include <doctest/doctest.h>

#include "opweave/ops/diagonal.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/select.h"
#include "opweave/ops/slice.h"
#include "tests/kernels/operators/support.h"

namespace opweave {
namespace {

using test::message_of;
using test::positions;

Tensor tensor(IntList sizes) {
  initialize();
  return make_tensor(sizes, kFloat, kCPU);
}

TEST_CASE("slices select the positions that Python would") {
  const Tensor t = tensor({4, 5});
  CHECK(positions(ops::slice_Tensor::make_view(t, 1, 1, 4, 2)) ==
        std::vector<int64_t>{1, 3, 6, 8, 11, 13, 16, 18});
  CHECK(
      same_sizes(ops::slice_Tensor::make_view(t, 0, -2, std::nullopt, 1).sizes(), DimVector{2, 5}));
  CHECK(same_sizes(ops::slice_Tensor::make_view(t, 0, 3, 1, 1).sizes(), DimVector{0, 5}));
  CHECK(same_sizes(ops::slice_Tensor::make_view(t, -1, -100, 100, 3).sizes(), DimVector{4, 2}));
  CHECK(message_of([&] { ops::slice_Tensor::make_view(t, 0, 0, 1, 0); }) ==
        "slice step must be positive");
}

TEST_CASE("diagonals, selections and expansions") {
  const Tensor t = tensor({2, 3});
  CHECK(positions(ops::diagonal::make_view(t, 0, 0, 1)) == std::vector<int64_t>{0, 4});
  CHECK(positions(ops::diagonal::make_view(t, 1, 0, 1)) == std::vector<int64_t>{1, 5});
  CHECK(positions(ops::diagonal::make_view(t, -1, 0, 1)) == std::vector<int64_t>{3});
  CHECK(same_sizes(ops::diagonal::make_view(t, 5, 0, 1).sizes(), DimVector{0}));
  CHECK(positions(ops::select_int::make_view(t, 1, -1)) == std::vector<int64_t>{2, 5});
  CHECK(positions(ops::expand::make_view(t, {2, 2, 3}, false)) ==
        std::vector<int64_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  CHECK(same_sizes(ops::expand::make_view(t, {4, -1, -1}, false).sizes(), DimVector{4, 2, 3}));
  CHECK(message_of([&] { ops::select_int::make_view(t, 0, 2); }) ==
        "select(): index 2 out of range for tensor of size [2, 3] at dimension 0");
  CHECK(message_of([&] {
          ops::expand::make_view(t, {3, 3}, false);
        }) ==
        "The expanded size of the tensor (3) must match the existing size (2) at non-singleton "
        "dimension "
        "0.  Target sizes: [3, 3].  Tensor sizes: [2, 3]");
}

}  // namespace
}  // namespace opweave

// Movements of every dtype and layout against plain loops.
#include "opweave/ops/arange.h"
#include "opweave/ops/as_strided.h"
#include "opweave/ops/as_strided_backward.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/flip.h"
#include "opweave/ops/linspace.h"
#include "opweave/ops/randn.h"
#include "opweave/ops/randperm.h"
#include "opweave/ops/repeat.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/roll.h"
#include "opweave/ops/stack.h"
#include "opweave/ops/tril.h"
#include "opweave/ops/triu.h"
#include "runtime/core/random/generator.h"
#include "runtime/core/threads/parallel.h"
#include "tests/kernels/operators/support.h"

namespace opweave::test {
namespace {

// Whether each element of the result is the element of `from` at source_of(its position).
void check_moved(const Tensor& result, const Tensor& from,
                 const std::function<DimVector(DimVector)>& source_of) {
  for_positions(result.sizes(),
                [&](const DimVector& at) { CHECK(get(result, at) == get(from, source_of(at))); });
}

TEST_CASE("cat along every dimension") {
  for_all([](ScalarType dtype, Order order) {
    for (int64_t dim : {0, 1, 2}) {
      const Tensor a = random_tensor({2, 3, 4}, dtype, order);
      DimVector sizes(a.sizes());
      sizes[dim] = 5;
      const Tensor b = random_tensor(sizes, dtype, Order::kContiguous, 2);
      const Tensor none = random_tensor({0}, dtype);
      const Tensor result = opweave::cat(std::vector<Tensor>{a, none, b}, dim);
      const int64_t first = a.sizes()[dim];
      sizes[dim] = first + 5;
      CHECK(DimVector(result.sizes()) == sizes);
      for_positions(sizes, [&](DimVector at) {
        const DimVector whole(at);
        const bool in_first = at[dim] < first;
        if (!in_first) at[dim] -= first;
        CHECK(get(result, whole) == get(in_first ? a : b, at));
      });
    }
  });
}

TEST_CASE("stack makes a dimension") {
  const Tensor a = random_tensor({2, 3}, kFloat, Order::kReversed),
               b = random_tensor({2, 3}, kFloat);
  const Tensor result = opweave::stack(std::vector<Tensor>{a, b}, 1);
  CHECK(DimVector(result.sizes()) == DimVector{2, 2, 3});
  for_positions(result.sizes(), [&](const DimVector& at) {
    CHECK(get(result, at) == get(at[1] == 0 ? a : b, {at[0], at[2]}));
  });
}

TEST_CASE("flip, roll and repeat") {
  for_all([](ScalarType dtype, Order order) {
    const Tensor a = random_tensor({3, 4, 5}, dtype, order);
    check_moved(opweave::flip(a, {0, 2}), a, [](const DimVector& at) {
      return DimVector{2 - at[0], at[1], 4 - at[2]};
    });
    check_moved(opweave::flip(a, {1}), a, [](const DimVector& at) {
      return DimVector{at[0], 3 - at[1], at[2]};
    });
    check_moved(opweave::flip(a, {}), a, [](const DimVector& at) { return at; });
    check_moved(opweave::roll(a, {1, -7}, {0, 2}), a, [](const DimVector& at) {
      return DimVector{(at[0] + 2) % 3, at[1], (at[2] + 7) % 5};
    });
    check_moved(opweave::repeat(a, {2, 1, 3, 2}), a, [](const DimVector& at) {
      return DimVector{at[1], at[2] % 4, at[3] % 5};
    });
  });
}

TEST_CASE("triangles") {
  for_all([](ScalarType dtype, Order order) {
    const Tensor a = random_tensor({2, 3, 4}, dtype, order);
    for (int64_t k = -4; k <= 5; ++k) {
      const Tensor lower = opweave::tril(a, k), upper = opweave::triu(a, k);
      for_positions(a.sizes(), [&](const DimVector& at) {
        const int64_t distance = at[2] - at[1];
        CHECK(get(lower, at) == (distance <= k ? get(a, at) : 0));
        CHECK(get(upper, at) == (distance >= k ? get(a, at) : 0));
      });
    }
  });
}

TEST_CASE("copies keep the order in memory") {
  const Tensor a = random_tensor({2, 3, 4}, kFloat, Order::kReversed);
  CHECK(DimVector(opweave::clone(a).strides()) == DimVector{1, 2, 6});
  CHECK(DimVector(opweave::clone(a, MemoryFormat::kContiguous).strides()) == DimVector{12, 4, 1});
  CHECK(values(opweave::clone(a)) == values(a));
  CHECK(opweave::clone(a).version() == 0);
}

TEST_CASE("ranges of integers are exact, and of floats from both ends") {
  initialize();
  const int64_t big = int64_t{1} << 53;
  const Tensor r = opweave::arange(Scalar(big), Scalar(big + 3), kLong);
  CHECK(*static_cast<const int64_t*>(r.raw_data()) == big);
  CHECK(static_cast<const int64_t*>(r.raw_data())[1] == big + 1);
  CHECK(opweave::arange(Scalar(5), Scalar(0), Scalar(-2)).numel() == 3);
  CHECK(opweave::arange(Scalar(0), Scalar(1), Scalar(0.1)).numel() == 10);
  const Tensor l = opweave::linspace(Scalar(0.1), Scalar(0.7), 7, kDouble);
  CHECK(get(l, 0) == 0.1);
  CHECK(get(l, 6) == 0.7);
  CHECK_THROWS_WITH(opweave::arange(Scalar(0), Scalar(5), Scalar(-1)),
                    "upper bound and lower bound inconsistent with step sign: arange(0, 5, -1)");
}

TEST_CASE("random tensors do not depend on the number of threads or on strides") {
  initialize();
  const int before = num_threads();
  std::vector<double> numbers[2];
  for (int threads : {1, 4}) {
    set_num_threads(threads);
    manual_seed(5);
    numbers[threads > 1] = values(opweave::randn({100, 1001}));
  }
  set_num_threads(before);
  CHECK(numbers[0] == numbers[1]);
}

TEST_CASE("randperm is a permutation, and uniform") {
  initialize();
  manual_seed(1);
  std::vector<int> counts(16);
  for (int round = 0; round < 4000; ++round) {
    const std::vector<double> order = values(opweave::randperm(4));
    std::vector<bool> seen(4);
    for (double i : order) seen[static_cast<size_t>(i)] = true;
    CHECK(seen == std::vector<bool>(4, true));
    for (size_t i = 0; i < 4; ++i) ++counts[4 * i + static_cast<size_t>(order[i])];
  }
  for (int count : counts) CHECK(std::abs(count - 1000) < 150);
}

// <as_strided(x), g> == <x, as_strided_backward(g)> for tensors whose elements do not share memory.
TEST_CASE("as_strided_backward is the transpose of as_strided, overlapping or not") {
  const Tensor x = random_tensor({3, 4}, kDouble, Order::kReversed);
  const DimVector cases[][2] = {{{2, 2}, {1, 2}}, {{3, 3}, {2, 1}}, {{2, 3}, {0, 1}}, {{12}, {1}}};
  for (const auto& [size, stride] : cases) {
    const Tensor g = random_tensor(size, kDouble, Order::kContiguous, 4);
    const Tensor y = opweave::as_strided(x, size, stride, 0);
    const Tensor back = opweave::as_strided_backward(g, x.sizes(), x.strides(), 0, size, stride, 0);
    double left = 0, right = 0;
    for_positions(size, [&](const DimVector& at) { left += get(y, at) * get(g, at); });
    for_positions(x.sizes(), [&](const DimVector& at) { right += get(x, at) * get(back, at); });
    CHECK(std::abs(left - right) < 1e-12);
  }
}

}  // namespace
}  // namespace opweave::test

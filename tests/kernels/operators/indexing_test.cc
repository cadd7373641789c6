// Indexing, gather, scatter and masks of every dtype and layout against plain loops.
#include "opweave/ops/gather.h"
#include "opweave/ops/index.h"
#include "opweave/ops/index_add.h"
#include "opweave/ops/index_copy.h"
#include "opweave/ops/index_put.h"
#include "opweave/ops/index_select.h"
#include "opweave/ops/masked_scatter.h"
#include "opweave/ops/masked_select.h"
#include "opweave/ops/nonzero.h"
#include "opweave/ops/scatter.h"
#include "opweave/ops/scatter_add.h"
#include "tests/kernels/operators/support.h"

namespace opweave::test {
namespace {

// Orders that can be written to.
template <class Test>
void for_writable(Test test) {
  for_all([&](ScalarType dtype, Order order) {
    if (order != Order::kExpanded) test(dtype, order);
  });
}

Tensor indices(std::vector<int64_t> values, IntList sizes, ScalarType dtype = kLong) {
  initialize();
  const Tensor t = make_tensor(sizes, dtype, kCPU);
  for (size_t i = 0; i < values.size(); ++i)
    set(t, static_cast<int64_t>(i), static_cast<double>(values[i]));
  return t;
}

// The elements at the positions that `source_of` names for each position of the result.
std::vector<double> picked(const Tensor& from, IntList sizes,
                           const std::function<DimVector(const DimVector&)>& source_of) {
  std::vector<double> result;
  for_positions(sizes, [&](const DimVector& at) { result.push_back(get(from, source_of(at))); });
  return result;
}

void check_same(const Tensor& t, IntList sizes, const std::vector<double>& expected) {
  CHECK(DimVector(t.sizes()) == DimVector(sizes));
  CHECK(values(t) == expected);
}

TEST_CASE("index with one tensor, in every place") {
  const Tensor i = indices({2, 0, -1, 1, 2, 2}, {2, 3});
  for_all([&](ScalarType dtype, Order order) {
    const Tensor a = random_tensor({3, 3, 3}, dtype, order);
    for (size_t dim = 0; dim < 3; ++dim) {
      std::vector<Tensor> list(dim + 1);
      list[dim] = i;
      DimVector sizes{3, 3};
      sizes.insert(dim, 3);
      sizes.insert(dim, 2);
      check_same(opweave::index(a, list), sizes, picked(a, sizes, [&](const DimVector& at) {
                   DimVector source(at);
                   const auto k = static_cast<int64_t>(get(i, {at[dim], at[dim + 1]}));
                   source.erase(dim);
                   source[dim] = k < 0 ? k + 3 : k;
                   return source;
                 }));
    }
  });
}

TEST_CASE("index with two tensors: adjacent ones stay, others go to the front") {
  const Tensor i = indices({1, 0, 1}, {3}), j = indices({2, 2, 0}, {3});
  for_all([&](ScalarType dtype, Order order) {
    const Tensor a = random_tensor({2, 3, 4, 3}, dtype, order);
    const Tensor adjacent[] = {Tensor(), j, j};
    check_same(opweave::index(a, adjacent), {2, 3, 3},
               picked(a, {2, 3, 3}, [&](const DimVector& at) {
                 const auto k = static_cast<int64_t>(get(j, at[1]));
                 return DimVector{at[0], k, k, at[2]};
               }));
    const Tensor apart[] = {i, Tensor(), j};
    check_same(opweave::index(a, apart), {3, 3, 3}, picked(a, {3, 3, 3}, [&](const DimVector& at) {
                 return DimVector{static_cast<int64_t>(get(i, at[0])), at[1],
                                  static_cast<int64_t>(get(j, at[0])), at[2]};
               }));
  });
}

TEST_CASE("masks select what is true, over all dimensions or the first ones") {
  for_all([&](ScalarType dtype, Order order) {
    const Tensor a = random_tensor({5, 4, 3}, dtype, order);
    const Tensor whole = random_tensor({5, 4, 3}, kBool, Order::kContiguous, 3);
    const Tensor rows = random_tensor({5}, kBool, Order::kContiguous, 4);
    std::vector<double> chosen, chosen_rows;
    for_positions(a.sizes(), [&](const DimVector& at) {
      if (get(whole, at) != 0) chosen.push_back(get(a, at));
      if (get(rows, at[0]) != 0) chosen_rows.push_back(get(a, at));
    });
    CHECK(values(opweave::index(a, {whole})) == chosen);
    CHECK(values(opweave::masked_select(a, whole)) == chosen);
    CHECK(values(opweave::index(a, {rows})) == chosen_rows);
  });
}

TEST_CASE("index_put writes and adds, the last of several staying") {
  const Tensor i = indices({1, 0, 1}, {3}), j = indices({2, -2, 2}, {3});
  for_writable([&](ScalarType dtype, Order order) {
    const Tensor v = random_tensor({3}, dtype, Order::kSpaced, 9);
    for (bool accumulate : {false, true}) {
      const Tensor a = random_tensor({2, 4}, dtype, order);
      const Tensor result = opweave::index_put(a, {i, j}, v, accumulate);
      const Tensor expected = random_tensor({2, 4}, dtype, Order::kContiguous);
      for (int64_t k = 0; k < 3; ++k) {
        const auto row = static_cast<int64_t>(get(i, k));
        const int64_t at = row * 4 + 2;  // -2 is 2 as well
        set(expected, at, accumulate ? get(expected, at) + get(v, {k}) : get(v, {k}));
      }
      CHECK(values(result) == values(expected));
      CHECK(values(a) == values(random_tensor({2, 4}, dtype, order)));
    }
  });
}

TEST_CASE("index_put of many rows, on several threads") {
  const int64_t n = 3000;
  std::vector<int64_t> rows;
  for (int64_t k = 0; k < n; ++k) rows.push_back(k * 7919 % 50);
  const Tensor index = indices(rows, {n});
  const Tensor v = random_tensor({n, 130}, kDouble, Order::kContiguous, 2);
  Tensor sum = random_tensor({50, 130}, kDouble), last = random_tensor({50, 130}, kDouble);
  const Tensor start = random_tensor({50, 130}, kDouble);
  opweave::index_put_(sum, {index}, v, /*accumulate=*/true);
  opweave::index_put_(last, {index}, v, /*accumulate=*/false);
  std::vector<double> sums = values(start), lasts = values(start);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t c = 0; c < 130; ++c) {
      sums[rows[k] * 130 + c] += get(v, k * 130 + c);
      lasts[rows[k] * 130 + c] = get(v, k * 130 + c);
    }
  }
  CHECK(values(sum) == sums);
  CHECK(values(last) == lasts);
}

TEST_CASE("index_select, index_add and index_copy along every dimension") {
  for (ScalarType index_type : {kInt, kLong}) {
    const Tensor index = indices({2, 0, 2}, {3}, index_type);
    for_writable([&](ScalarType dtype, Order order) {
      for (int64_t dim : {0, 1, 2}) {
        const Tensor a = random_tensor({3, 3, 3}, dtype, order);
        const Tensor source = random_tensor({3, 3, 3}, dtype, Order::kReversed, 6);
        const auto at_index = [&](DimVector at) {
          at[dim] = static_cast<int64_t>(get(index, at[dim]));
          return at;
        };
        check_same(opweave::index_select(a, dim, index), {3, 3, 3}, picked(a, {3, 3, 3}, at_index));
        const Tensor added = random_tensor({3, 3, 3}, dtype, Order::kContiguous);
        const Tensor copied = random_tensor({3, 3, 3}, dtype, Order::kContiguous);
        for_positions(source.sizes(), [&](const DimVector& at) {
          const int64_t to = offset_of(added, at_index(at));
          set(added, to, get(added, to) + get(source, at));
          set(copied, to, get(source, at));
        });
        CHECK(values(opweave::index_add(a, dim, index, source)) == values(added));
        if (index_type == kLong) {
          CHECK(values(opweave::index_copy(a, dim, index, source)) == values(copied));
        } else {
          CHECK_THROWS_WITH(opweave::index_copy(a, dim, index, source),
                            "index_copy_(): Expected a long tensor for index, but got Int");
        }
      }
    });
  }
}

TEST_CASE("gather, scatter and scatter_add along every dimension") {
  const Tensor index = indices({1, 0, 2, 2, 1, 1, 0, 0}, {2, 2, 2});
  for_writable([&](ScalarType dtype, Order order) {
    for (int64_t dim : {0, 1, 2}) {
      const Tensor a = random_tensor({3, 3, 3}, dtype, order);
      const Tensor src = random_tensor({2, 3, 2}, dtype, Order::kReversed, 8);
      const auto at_index = [&](const DimVector& at) {
        DimVector to(at);
        to[dim] = static_cast<int64_t>(get(index, at));
        return to;
      };
      check_same(opweave::gather(a, dim, index), {2, 2, 2}, picked(a, {2, 2, 2}, at_index));
      const Tensor written = random_tensor({3, 3, 3}, dtype, Order::kContiguous);
      const Tensor added = random_tensor({3, 3, 3}, dtype, Order::kContiguous);
      const Tensor filled = random_tensor({3, 3, 3}, dtype, Order::kContiguous);
      for_positions(index.sizes(), [&](const DimVector& at) {
        const int64_t to = offset_of(written, at_index(at));
        set(written, to, get(src, at));
        set(added, to, get(added, to) + get(src, at));
        set(filled, to, 1);
      });
      CHECK(values(opweave::scatter(a, dim, index, src)) == values(written));
      CHECK(values(opweave::scatter_add(a, dim, index, src)) == values(added));
      CHECK(values(opweave::scatter(a, dim, index, Scalar(1))) == values(filled));
    }
  });
}

TEST_CASE("masked_scatter uses its source in order") {
  for_writable([&](ScalarType dtype, Order order) {
    const Tensor a = random_tensor({4, 5}, dtype, order),
                 source = random_tensor({20}, dtype, Order::kSpaced, 5);
    const Tensor mask = random_tensor({5}, kBool, Order::kContiguous, 12);
    std::vector<double> expected;
    int64_t next = 0;
    for_positions(a.sizes(), [&](const DimVector& at) {
      expected.push_back(get(mask, at[1]) != 0 ? get(source, {next++}) : get(a, at));
    });
    CHECK(values(opweave::masked_scatter(a, mask, source)) == expected);
  });
}

TEST_CASE("nonzero lists positions in row-major order") {
  for_all([&](ScalarType dtype, Order order) {
    const Tensor a = random_tensor({3, 50, 7}, dtype, order);
    std::vector<double> expected;
    for_positions(a.sizes(), [&](const DimVector& at) {
      if (get(a, at) == 0) return;
      for (int64_t i : at) expected.push_back(static_cast<double>(i));
    });
    const Tensor result = opweave::nonzero(a);
    CHECK(result.dtype() == kLong);
    CHECK(values(result) == expected);
  });
  const Tensor number = random_tensor({}, kBool);
  set(number, 0, 1);
  CHECK(DimVector(opweave::nonzero(number).sizes()) == DimVector{1, 0});
}

TEST_CASE("indices outside are refused by name") {
  const Tensor a = random_tensor({2, 3}, kFloat);
  const Tensor five = indices({5}, {1}), row = indices({5, 5, 5}, {1, 3});
  CHECK_THROWS_WITH(opweave::index(a, {five}),
                    "index 5 is out of bounds for dimension 0 with size 2");
  CHECK_THROWS_WITH(opweave::index_select(a, 0, five),
                    "index 5 is out of bounds for dimension 0 with size 2");
  CHECK_THROWS_WITH(opweave::gather(a, 0, row),
                    "index 5 is out of bounds for dimension 0 with size 2");
  CHECK_THROWS_WITH(opweave::scatter(a, 0, row, Scalar(1)),
                    "index 5 is out of bounds for dimension 0 with size 2");
}

}  // namespace
}  // namespace opweave::test

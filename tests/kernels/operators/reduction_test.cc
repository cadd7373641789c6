// Reductions over every dtype, layout and choice of dimensions, against plain loops.
#include <limits>
#include <map>

#include "opweave/ops/all.h"
#include "opweave/ops/amax.h"
#include "opweave/ops/amin.h"
#include "opweave/ops/any.h"
#include "opweave/ops/argmax.h"
#include "opweave/ops/argmin.h"
#include "opweave/ops/count_nonzero.h"
#include "opweave/ops/cumprod.h"
#include "opweave/ops/cumsum.h"
#include "opweave/ops/linalg_vector_norm.h"
#include "opweave/ops/max.h"
#include "opweave/ops/mean.h"
#include "opweave/ops/prod.h"
#include "opweave/ops/std.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/var.h"
#include "runtime/core/threads/parallel.h"
#include "tests/kernels/operators/support.h"

using namespace opweave;
using namespace opweave::test;

namespace {

// What folds into each element of the result, in row-major order.
std::vector<std::vector<double>> folded(const Tensor& x, const std::vector<int64_t>& dims) {
  DimVector kept;
  std::vector<bool> reduced(static_cast<size_t>(x.dim()), dims.empty());
  for (int64_t d : dims) reduced[static_cast<size_t>(d)] = true;
  std::map<std::vector<int64_t>, std::vector<double>> groups;
  for_positions(x.sizes(), [&](const DimVector& at) {
    std::vector<int64_t> key;
    for (size_t d = 0; d < at.size(); ++d) {
      if (!reduced[d]) key.push_back(at[d]);
    }
    groups[key].push_back(get(x, at));
  });
  std::vector<std::vector<double>> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

template <class Fold>
std::vector<double> expected(const Tensor& x, const std::vector<int64_t>& dims, Fold&& fold) {
  std::vector<double> result;
  for (const auto& group : folded(x, dims)) result.push_back(fold(group));
  return result;
}

double sum_of(const std::vector<double>& g) {
  double total = 0;
  for (double v : g) total += v;
  return total;
}
double largest(const std::vector<double>& g) { return *std::max_element(g.begin(), g.end()); }
double smallest(const std::vector<double>& g) { return *std::min_element(g.begin(), g.end()); }
double variance(const std::vector<double>& g) {
  const double mean = sum_of(g) / static_cast<double>(g.size());
  double squares = 0;
  for (double v : g) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(g.size() - 1);
}

struct Case {
  std::vector<int64_t> sizes, dims;
};
const std::vector<Case> kCases = {
    {{7}, {}},           {{7}, {0}},
    {{3, 5}, {0}},       {{3, 5}, {1}},
    {{3, 5}, {0, 1}},    {{2, 3, 4}, {1}},
    {{2, 3, 4}, {0, 2}}, {{2, 3, 4}, {2, 1}},
    {{130, 70}, {0}},    {{70, 130}, {1}},
    {{5, 1, 3}, {1}},    {{9, 600}, {0}},
    {{600, 9}, {0}},     {{3, 4, 5, 2}, {1, 3}},
    {{2200, 3}, {0}},    {{1, 40}, {0}},
};

// Calls body for every case × dtype × layout.
template <class Types, class Body>
void sweep(const Types& types, Body&& body) {
  for (const Case& c : kCases) {
    for (ScalarType dtype : types) {
      for (Order order : kOrders) {
        const Tensor x = random_tensor(c.sizes, dtype, order);
        INFO("sizes ", str(c.sizes), " dims ", str(c.dims), " ", str(dtype), " ", name_of(order));
        body(x, c.dims);
      }
    }
  }
}

}  // namespace

TEST_CASE("sum, mean and norms") {
  sweep(kAllTypes, [](const Tensor& x, const std::vector<int64_t>& dims) {
    const Tensor total = ops::sum_dim_IntList::call(x, IntList(dims), false, {});
    CHECK(total.dtype() == (is_floating(x.dtype()) ? x.dtype() : kLong));
    check_near(total, expected(x, dims, sum_of), tolerance(x.dtype()));
  });
  sweep(kFloatTypes, [](const Tensor& x, const std::vector<int64_t>& dims) {
    const double near = tolerance(x.dtype());
    check_near(ops::mean_dim::call(x, IntList(dims), false, {}),
               expected(x, dims, [](const auto& g) { return sum_of(g) / double(g.size()); }), near);
    for (double p : {0.0, 1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
      CAPTURE(p);
      const auto norm = [&](const std::vector<double>& g) {
        double total = 0, most = 0;
        for (double v : g) {
          total += p == 0 ? double(v != 0) : std::pow(std::abs(v), p);
          most = std::max(most, std::abs(v));
        }
        return std::isinf(p) ? most : p == 0 ? total : std::pow(total, 1 / p);
      };
      check_near(opweave::linalg_vector_norm(x, p, IntList(dims), false, {}),
                 expected(x, dims, norm), near);
    }
  });
}

TEST_CASE("extremes and their positions") {
  sweep(kAllTypes, [](const Tensor& x, const std::vector<int64_t>& dims) {
    check_near(opweave::amax(x, IntList(dims), false), expected(x, dims, largest), 0);
    check_near(opweave::amin(x, IntList(dims), false), expected(x, dims, smallest), 0);
    if (dims.size() > 1) return;
    const auto first_largest = [](const std::vector<double>& g) {
      return double(std::max_element(g.begin(), g.end()) - g.begin());
    };
    const auto first_smallest = [](const std::vector<double>& g) {
      return double(std::min_element(g.begin(), g.end()) - g.begin());
    };
    const std::optional<int64_t> dim =
        dims.empty() ? std::nullopt : std::optional<int64_t>(dims[0]);
    if (x.dtype() != kBool) {
      check_near(opweave::argmax(x, dim, false), expected(x, dims, first_largest), 0);
      check_near(opweave::argmin(x, dim, false), expected(x, dims, first_smallest), 0);
    }
    if (!dim) return;
    const auto [values, indices] = ops::max_dim::call(x, *dim, false);
    check_near(values, expected(x, dims, largest), 0);
    check_near(indices, expected(x, dims, first_largest), 0);
  });
}

TEST_CASE("products, counts, truth") {
  sweep(kAllTypes, [](const Tensor& x, const std::vector<int64_t>& dims) {
    const auto count = [](const std::vector<double>& g) {
      return double(std::count_if(g.begin(), g.end(), [](double v) { return v != 0; }));
    };
    check_near(
        ops::any_dims::call(x, IntList(dims.empty() ? std::vector<int64_t>{0} : dims), false),
        expected(x, dims, [&](const auto& g) { return double(count(g) > 0); }), 0);
    check_near(
        ops::all_dims::call(x, IntList(dims.empty() ? std::vector<int64_t>{0} : dims), false),
        expected(x, dims, [&](const auto& g) { return double(count(g) == double(g.size())); }), 0);
    check_near(ops::count_nonzero_dim_IntList::call(x, IntList(dims)), expected(x, dims, count), 0);
  });
  for (ScalarType dtype : kAllTypes) {
    const Tensor x = random_tensor(IntList{3, 9}, dtype);
    check_near(ops::prod_dim_int::call(x, 1, false, {}),
               expected(x, {1},
                        [](const auto& g) {
                          double product = 1;
                          for (double v : g) product *= v;
                          return product;
                        }),
               tolerance(dtype));
  }
}

TEST_CASE("variance") {
  sweep(kFloatTypes, [](const Tensor& x, const std::vector<int64_t>& dims) {
    const double near = 4 * tolerance(x.dtype());
    const std::vector<double> wanted = expected(x, dims, variance);
    check_near(ops::var_correction::call(x, IntList(dims), std::nullopt, false), wanted, near);
    std::vector<double> roots;
    for (double v : wanted) roots.push_back(std::sqrt(v));
    check_near(ops::std_correction::call(x, IntList(dims), std::nullopt, false), roots, near);
  });
}

TEST_CASE("variance far from zero keeps its digits") {
  Tensor x = make_ordered(IntList{5000}, kFloat, Order::kContiguous);
  for (int64_t i = 0; i < 5000; ++i) set(x, i, 10000 + static_cast<double>(i % 3));
  const double got = get(ops::var_correction::call(x, IntList(), std::nullopt, false), 0);
  CHECK(got == doctest::Approx(variance(values(x))).epsilon(1e-5));
}

TEST_CASE("NaN wins over everything") {
  for (int64_t n : {3, 100, 5000}) {
    for (int64_t at : {int64_t{0}, n / 2, n - 1}) {
      Tensor x = random_tensor(IntList{n}, kFloat);
      set(x, at, std::nan(""));
      CHECK(std::isnan(get(ops::max::call(x), 0)));
      CHECK(std::isnan(get(opweave::amin(x, IntList(), false), 0)));
      CHECK(get(opweave::argmax(x, std::nullopt, false), 0) == static_cast<double>(at));
      CHECK(std::isnan(get(ops::sum::call(x, {}), 0)));
      CHECK(std::isnan(get(ops::var_correction::call(x, IntList(), std::nullopt, false), 0)));
    }
  }
}

TEST_CASE("a long float32 sum keeps its digits") {
  Tensor x = make_ordered(IntList{1 << 20}, kFloat, Order::kContiguous);
  double exact = 0;
  for (int64_t i = 0; i < (1 << 20); ++i) {
    set(x, i, 0.1 + static_cast<double>(i % 7) * 1e-3);
    exact += get(x, i);
  }
  // A few units of the last digit; one running float32 sum is thousands of times as far off.
  CHECK(get(ops::sum::call(x, {}), 0) == doctest::Approx(exact).epsilon(4e-7));
}

TEST_CASE("any number of threads gives nearly the same, and the same again") {
  const Tensor x = random_tensor(IntList{400, 300}, kFloat);
  const int threads = num_threads();
  for (const std::vector<int64_t>& dims : {std::vector<int64_t>{0}, {1}, {0, 1}}) {
    set_num_threads(1);
    const auto wanted = values(ops::sum_dim_IntList::call(x, IntList(dims), false, {}));
    set_num_threads(3);
    const auto first = values(ops::sum_dim_IntList::call(x, IntList(dims), false, {}));
    const auto again = values(ops::sum_dim_IntList::call(x, IntList(dims), false, {}));
    CHECK(first == again);
    for (size_t i = 0; i < wanted.size(); ++i) {
      CHECK(first[i] == doctest::Approx(wanted[i]).epsilon(1e-6));
    }
    check_near(opweave::argmax(x, 0, false), values(opweave::argmax(x, 0, false)), 0);
  }
  set_num_threads(threads);
}

TEST_CASE("running sums and products") {
  for (const Case& c : kCases) {
    if (c.dims.size() != 1) continue;
    for (ScalarType dtype : kAllTypes) {
      for (Order order : kOrders) {
        const Tensor x = random_tensor(c.sizes, dtype, order);
        const auto d = static_cast<size_t>(c.dims[0]);
        const Tensor sums = opweave::cumsum(x, c.dims[0], {});
        for_positions(x.sizes(), [&](const DimVector& at) {
          if (at[d] + 1 != x.sizes()[d]) return;
          double total = 0;
          for (DimVector from = at; from[d] >= 0; --from[d]) total += get(x, from);
          CHECK(get(sums, at) == doctest::Approx(total).epsilon(tolerance(dtype)));
        });
      }
    }
  }
  const Tensor x = random_tensor(IntList{4}, kLong);
  set(x, 0, 3), set(x, 1, -2), set(x, 2, 5), set(x, 3, 2);
  check_near(opweave::cumprod(x, 0, {}), {3, -6, -30, -60}, 0);
}

TEST_CASE("errors of reductions") {
  const Tensor x = random_tensor(IntList{2, 3}, kFloat),
               empty = random_tensor(IntList{0, 3}, kFloat);
  const Tensor whole = random_tensor(IntList{2}, kLong);
  CHECK_THROWS_WITH(ops::sum_dim_IntList::call(x, IntList{0, -2}, false, {}),
                    "dim 0 appears multiple times in the list of dims");
  CHECK_THROWS_WITH(ops::sum_dim_IntList::call(x, IntList{5}, false, {}),
                    "Dimension out of range (expected to be in range of [-2, 1], but got 5)");
  CHECK_THROWS_WITH(ops::max::call(empty),
                    "max(): Expected reduction dim to be specified for input.numel() == 0. Specify "
                    "the reduction dim with the 'dim' argument.");
  CHECK_THROWS_WITH(opweave::argmax(empty, 0, false),
                    "argmax(): Expected reduction dim 0 to have non-zero size.");
  CHECK_THROWS_WITH(ops::mean::call(whole, {}),
                    "mean(): could not infer output dtype. Input dtype must be either a floating "
                    "point or complex dtype. Got: Long");
}

// Convolutions against their definition and against each other, softmax and normalisations,
// recurrent networks.
#include "opweave/ops/_log_softmax.h"
#include "opweave/ops/_softmax.h"
#include "opweave/ops/convolution.h"
#include "opweave/ops/convolution_backward.h"
#include "opweave/ops/full_like.h"
#include "opweave/ops/gru.h"
#include "opweave/ops/gru_cell.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/native_layer_norm.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sort.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/topk.h"
#include "opweave/ops/unsqueeze.h"
#include "tests/kernels/operators/support.h"

using namespace opweave;
using namespace opweave::test;

namespace {

struct Convolution {
  std::vector<int64_t> input, weight;
  int64_t stride, padding, dilation, groups;
  bool transposed;
};
const Convolution kConvolutions[] = {
    {{2, 3, 6, 5}, {4, 3, 3, 2}, 1, 0, 1, 1, false},
    {{2, 4, 7, 7}, {6, 2, 3, 3}, 2, 1, 1, 2, false},
    {{1, 4, 8, 8}, {4, 1, 3, 3}, 1, 2, 2, 4, false},
    {{2, 16, 5, 5}, {32, 16, 1, 1}, 1, 0, 1, 1, false},
    {{2, 3, 9}, {4, 3, 3}, 2, 1, 1, 1, false},
    {{2, 3, 4, 4}, {3, 5, 3, 3}, 2, 1, 1, 1, true},
    {{1, 4, 3, 3}, {4, 2, 2, 2}, 1, 0, 1, 2, true},
    {{1, 2, 4, 5, 3}, {3, 2, 2, 2, 2}, 1, 0, 1, 1, false},
};

Tensor convolve(const Convolution& c, const Tensor& x, const Tensor& w, const Tensor& b) {
  return opweave::convolution(x, w, b, IntList(&c.stride, 1), IntList(&c.padding, 1),
                              IntList(&c.dilation, 1), c.transposed, IntList{0}, c.groups);
}
double inner(const Tensor& a, const Tensor& b) {
  const auto x = values(a), y = values(b);
  REQUIRE(x.size() == y.size());
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

TEST_CASE("convolution of floats and of doubles agree, in every layout") {
  for (const Convolution& c : kConvolutions) {
    INFO("input ", str(c.input), " weight ", str(c.weight));
    const Tensor x = random_tensor(c.input, kDouble), w = random_tensor(c.weight, kDouble);
    const int64_t outs = c.transposed ? c.weight[1] * c.groups : c.weight[0];
    const Tensor b = random_tensor(IntList(&outs, 1), kDouble, Order::kContiguous, 7);
    const std::vector<double> wanted = values(convolve(c, x, w, b));
    for (Order order : {Order::kContiguous, Order::kReversed, Order::kSpaced}) {
      const Tensor fx = random_tensor(c.input, kFloat, order), fw = random_tensor(c.weight, kFloat);
      const Tensor fb = random_tensor(IntList(&outs, 1), kFloat, Order::kContiguous, 7);
      check_near(convolve(c, fx, fw, fb), wanted, 1e-4);
    }
    const Tensor hx = random_tensor(c.input, kBFloat16), hw = random_tensor(c.weight, kBFloat16);
    check_near(convolve(c, hx, hw, Tensor()), values(convolve(c, x, w, Tensor())), 2e-2);
  }
}

TEST_CASE("gradients of a convolution are its adjoints") {
  for (const Convolution& c : kConvolutions) {
    for (ScalarType dtype : {kFloat, kDouble}) {
      INFO("input ", str(c.input), " weight ", str(c.weight), " ", str(dtype));
      const Tensor x = random_tensor(c.input, dtype), w = random_tensor(c.weight, dtype);
      const Tensor y = convolve(c, x, w, Tensor());
      const Tensor g = random_tensor(y.sizes(), dtype, Order::kContiguous, 9);
      const auto [dx, dw, db] = opweave::convolution_backward(
          g, x, w, std::nullopt, IntList(&c.stride, 1), IntList(&c.padding, 1),
          IntList(&c.dilation, 1), c.transposed, IntList{0}, c.groups, {true, true, true});
      const double wanted = inner(y, g);
      CHECK(inner(dx, x) == doctest::Approx(wanted).epsilon(1e-4));
      CHECK(inner(dw, w) == doctest::Approx(wanted).epsilon(1e-4));
      CHECK(get(ops::sum::call(db, {}), 0) ==
            doctest::Approx(get(ops::sum::call(g, {}), 0)).epsilon(1e-4));
    }
  }
}

TEST_CASE("softmax along any dimension") {
  for (const std::vector<int64_t>& sizes :
       {std::vector<int64_t>{3, 5}, {2, 7, 3}, {4, 1}, {2, 3, 40}, {2, 130}}) {
    for (ScalarType dtype : kFloatTypes) {
      for (int64_t dim = 0; dim < static_cast<int64_t>(sizes.size()); ++dim) {
        const Tensor x = random_tensor(sizes, dtype, Order::kReversed);
        const Tensor result = opweave::_softmax(x, dim, false);
        const Tensor logs = opweave::_log_softmax(x, dim, false);
        const auto d = static_cast<size_t>(dim);
        for_positions(sizes, [&](const DimVector& at) {
          double total = 0;
          DimVector other = at;
          for (other[d] = 0; other[d] < sizes[d]; ++other[d]) total += std::exp(get(x, other));
          const double wanted = std::exp(get(x, at)) / total;
          CHECK(get(result, at) == doctest::Approx(wanted).epsilon(tolerance(dtype)));
          CHECK(get(logs, at) == doctest::Approx(std::log(wanted)).epsilon(tolerance(dtype)));
        });
      }
    }
  }
}

TEST_CASE("layer_norm gives mean 0 and variance 1") {
  for (int64_t n : {1, 7, 16, 67, 3000}) {
    const Tensor x = random_tensor(IntList{3, n}, kFloat);
    const auto [y, mean, rstd] = opweave::native_layer_norm(x, IntList(&n, 1), {}, {}, 1e-5);
    for (int64_t r = 0; r < 3; ++r) {
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < n; ++i) {
        sum += get(y, {r, i});
        squares += get(y, {r, i}) * get(y, {r, i});
      }
      CHECK(std::abs(sum / double(n)) < 1e-5);
      if (n > 7) CHECK(squares / double(n) == doctest::Approx(1).epsilon(1e-3));
    }
  }
}

TEST_CASE("layer_norm keeps its digits far from zero") {
  Tensor x = make_ordered(IntList{2, 300}, kFloat, Order::kContiguous);
  for (int64_t i = 0; i < 600; ++i) set(x, i, 30000 + static_cast<double>(i % 3));
  const int64_t n = 300;
  const auto [y, mean, rstd] = opweave::native_layer_norm(x, IntList(&n, 1), {}, {}, 0);
  const double step = std::sqrt(1.5);  // 0, 1 and 2 have the variance 2/3
  for (int64_t i = 0; i < 600; ++i) {
    CHECK(get(y, i) == doctest::Approx(static_cast<double>(i % 3 - 1) * step).epsilon(1e-5));
  }
}

TEST_CASE("sort keeps equal elements in their order, for every dtype and length") {
  for (ScalarType dtype : kAllTypes) {
    for (int64_t n : {0, 1, 2, 17, 300, 5000}) {
      for (bool descending : {false, true}) {
        INFO(str(dtype), " ", n, " ", descending);
        const Tensor x = random_tensor(IntList{n}, dtype, Order::kSpaced);
        std::vector<double> wanted = values(x);
        std::stable_sort(wanted.begin(), wanted.end(),
                         [&](double a, double b) { return descending ? a > b : a < b; });
        const auto [sorted, indices] = ops::sort_stable::call(x, true, 0, descending);
        CHECK(values(sorted) == wanted);
        const std::vector<double> at = values(indices);
        for (size_t i = 1; i < at.size(); ++i) {
          if (wanted[i] == wanted[i - 1]) CHECK(at[i - 1] < at[i]);
        }
        if (dtype == kBool || n < 2) continue;
        const int64_t k = n / 2;
        const auto [top, where] = opweave::topk(x, k, 0, descending, true);
        wanted.resize(static_cast<size_t>(k));
        CHECK(values(top) == wanted);
      }
    }
  }
}

TEST_CASE("NaN is sorted last, zeros of both signs are equal") {
  Tensor x = make_ordered(IntList{6}, kFloat, Order::kContiguous);
  const double elements[] = {std::nan(""), 1, -0.0, 0.0, -INFINITY, -std::nan("")};
  for (int64_t i = 0; i < 6; ++i) set(x, i, elements[i]);
  const auto [sorted, indices] = ops::sort_stable::call(x, true, 0, false);
  CHECK(values(indices) == std::vector<double>{4, 2, 3, 1, 0, 5});
  CHECK(std::signbit(get(sorted, 1)));
  const auto [falling, where] = ops::sort_stable::call(x, true, 0, true);
  CHECK(values(where) == std::vector<double>{0, 5, 1, 2, 3, 4});
}

TEST_CASE("a recurrent network of one step is its cell") {
  const Tensor x = random_tensor({1, 2, 3}, kDouble), hx = random_tensor({1, 2, 4}, kDouble);
  const Tensor w_ih = random_tensor({12, 3}, kDouble), w_hh = random_tensor({12, 4}, kDouble);
  const Tensor b = random_tensor({12}, kDouble);
  const auto row = [](const Tensor& t) { return opweave::select(t, 0, 0); };
  const Tensor next = opweave::gru_cell(row(x), row(hx), w_ih, w_hh, b, b);
  const Tensor params[] = {w_ih, w_hh, b, b};
  const auto [output, last] = opweave::gru(x, hx, params, true, 1, 0.0, false, false, false);
  check_near(output, values(next), 0);
  check_near(last, values(next), 0);
  const Tensor sizes = opweave::full_like(opweave::select(b, 0, 0), 2, kLong);
  const Tensor packed = std::get<0>(
      opweave::gru(row(x), opweave::unsqueeze(sizes, 0), hx, params, true, 1, 0.0, false, false));
  check_near(packed, values(next), 0);
}

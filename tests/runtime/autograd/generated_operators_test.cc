// Autograd with the built-in operators: what generated nodes and kernels do to histories.
#include <doctest/doctest.h>

#include <vector>

#include "kernels/initialize/initialize.h"
#include "opweave/ops/add.h"
#include "opweave/ops/detach.h"
#include "opweave/ops/exp.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/select.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/unbind.h"
#include "runtime/autograd/api.h"
#include "runtime/autograd/engine_ops.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

using Values = std::vector<float>;

Tensor tensor(const Values& values, bool requires_grad = false) {
  initialize();
  Tensor t = make_tensor({static_cast<int64_t>(values.size())}, kFloat, kCPU);
  std::copy(values.begin(), values.end(), t.data<float>());
  if (requires_grad) set_requires_grad(t, true);
  return t;
}

Values values(const Tensor& t) {
  REQUIRE(t.is_contiguous());
  return Values(t.data<float>(), t.data<float>() + t.numel());
}

TEST_CASE("autograd is handed the operators that it needs") {
  initialize();
  const EngineOperators& given = detail::engine_operators;
  CHECK((given.add == &ops::add_Tensor::call));
  CHECK((given.add_ == &ops::add__Tensor::call));
  for (const bool there :
       {given.copy_ != nullptr, given.as_strided != nullptr, given.sum_to_size != nullptr,
        given.fill_ != nullptr, given.isnan != nullptr, given.any != nullptr, given.item != nullptr,
        given.new_empty != nullptr, given.convert != nullptr}) {
    CHECK(there);
  }
}

TEST_CASE("a chain with broadcasting") {
  const Tensor x = tensor({1, 2, 3}, true), w = tensor({2}, true);
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = mul(y, w);
  backward({sum(y)});
  CHECK(values(grad_of(x)) == Values{1024, 1024, 1024});
  CHECK(values(grad_of(w)) == Values{10 * 512 * 6});
}

TEST_CASE("double backward") {
  const Tensor x = tensor({0, 1}, true);
  const Tensor first = gradients({sum(exp(mul(x, x)))}, {x}, {}, {.create_graph = true})[0];
  const Values second = values(gradients({sum(first)}, {x})[0]);  // (2 + 4 x^2) exp(x^2)
  CHECK(second[0] == doctest::Approx(2));
  CHECK(second[1] == doctest::Approx(6 * 2.718281828));
}

TEST_CASE("what no formula will read is not kept and may be written") {
  const Tensor x = tensor({1, 2}, true);
  Tensor a = mul(x, tensor({2, 2}));
  const Tensor y = mul(a, tensor({3, 3}));  // the constant is kept, `a` is not
  add_(a, tensor({1, 1}));
  backward({sum(y)});
  CHECK(values(grad_of(x)) == Values{6, 6});
}

TEST_CASE("what a formula will read may not be written") {
  const Tensor x = tensor({1, 2}, true);
  Tensor a = mul(x, x);
  const Tensor y = mul(a, x);
  add_(a, x);
  const std::string text = message([&] { backward({sum(y)}); });
  CHECK(starts_with(text,
                    "one of the variables needed for gradient computation has been modified "
                    "by an inplace operation: [Float [2]], which is output 0 of "));
  CHECK(contains(text, "the last in-place operation on it was 'add_'"));
}

TEST_CASE("writes to views") {
  const Tensor x = tensor({1, 2, 3}, true), w = tensor({5}, true);
  Tensor y = mul(x, tensor({1, 1, 1}));
  const Tensor before = select(y, 0, 1);
  Tensor part = select(y, 0, 1);
  mul_(part, select(w, 0, 0));
  backward({add(sum(y), before)});
  CHECK(values(grad_of(x)) == Values{1, 10, 1});
  CHECK(values(grad_of(w)) == Values{4});
  CHECK(contains(message([&] { mul_(unbind(y, 0)[0], w); }), "returns multiple views"));
}

TEST_CASE("detach() gives a tensor of its own over the same data") {
  const Tensor x = tensor({1, 2}, true);
  Tensor y = mul(x, x);
  Tensor d = detach(y);
  CHECK_FALSE(d.requires_grad());
  CHECK_FALSE(d.is_view());
  CHECK(d.raw_data() == y.raw_data());
  mul_(d, tensor({2, 2}));
  CHECK(y.version() == 1);
}

TEST_CASE("out= and gradients do not go together") {
  const Tensor x = tensor({1, 2}, true);
  Tensor out = tensor({0, 0});
  CHECK(
      contains(message([&] { mul_out(out, x, x); }),
               "don't support automatic differentiation, but one of the arguments requires grad"));
  NoGradGuard no_grad;
  mul_out(out, x, x);
  CHECK(values(out) == Values{1, 4});
}

}  // namespace
}  // namespace opweave::test

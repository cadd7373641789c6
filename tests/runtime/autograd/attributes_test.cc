// requires_grad, grad, leaves, versions and what may not be done to them.
#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "runtime/autograd/autograd_meta.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

TEST_CASE("only floating-point leaves can be told to require grad") {
  const Tensor i = make_tensor({2}, kLong, kCPU);
  CHECK(message([&] { set_requires_grad(i, true); }) ==
        "only Tensors of floating point dtype can require gradients");
  set_requires_grad(i, false);
  const Tensor x = scalar(1, true);
  const Tensor y = mul(x, x);
  set_requires_grad(y, true);
  CHECK(message([&] { set_requires_grad(y, false); }) ==
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use "
        "var_no_grad = var.detach().");
  set_requires_grad(x, false);
  CHECK_FALSE(mul(x, x).requires_grad());
}

TEST_CASE("what may be assigned as grad") {
  const Tensor x = tensor({1, 2}, true);
  set_grad(x, tensor({3, 4}));
  CHECK(values(grad_of(x)) == std::vector<double>{3, 4});
  CHECK(message([&] { set_grad(x, x); }) == "can't assign Variable as its own grad");
  CHECK(starts_with(message([&] { set_grad(x, tensor({1})); }),
                    "assigned grad has data of a different size"));
  CHECK(starts_with(message([&] {
                      set_grad(x, tensor({1, 2}, false, kFloat));
                    }),
                    "assigned grad has data of a different type"));
  CHECK(starts_with(message([&] { set_grad(x, make_tensor({2}, kDouble, kMeta)); }),
                    "assigned grad has data located on a different device"));
  set_grad(x, {});
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("leaves and their places in the graph") {
  const Tensor x = tensor({1, 2}, true);
  CHECK(is_leaf(x));
  CHECK(grad_fn(x) == nullptr);
  const auto parts = unbind(x);
  CHECK_FALSE(is_leaf(parts[1]));
  CHECK(output_nr(parts[1]) == 1);
  CHECK(std::string_view(grad_fn(parts[1])->name()) == "UnbindBackward0");
  CHECK(is_leaf(scalar(1)));
}

TEST_CASE("nothing is recorded under no_grad or without a tensor that requires grad") {
  const Tensor x = scalar(2, true), c = scalar(2);
  CHECK(is_leaf(mul(c, c)));
  NoGradGuard no_grad;
  CHECK_FALSE(mul(x, x).requires_grad());
}

TEST_CASE("one accumulator per leaf, as long as a graph refers to it") {
  const Tensor x = scalar(2, true);
  CHECK_FALSE(try_grad_accumulator(x));
  auto first = grad_accumulator(x);
  CHECK(first == grad_accumulator(x));
  const Tensor y = mul(x, x);
  CHECK(grad_fn(y)->next_edge(0).function == first);
  first.reset();
  CHECK(try_grad_accumulator(x));
}

TEST_CASE("a leaf lives as long as the graph that leads to it") {
  Tensor y;
  double seen = 0;
  {
    const Tensor x = scalar(2, true);
    register_hook(x, [&](const Tensor& g) {
      seen = value(g);
      return Tensor();
    });
    y = mul(x, scalar(3));
  }
  backward({y});
  CHECK(seen == 3);
}

TEST_CASE("detached() shares data and version but no history") {
  const Tensor x = tensor({1, 2}, true);
  Tensor d = detached(x);
  CHECK_FALSE(d.requires_grad());
  CHECK_FALSE(d.is_view());
  const Tensor y = mul(x, x);
  fill_(d, 5);
  CHECK(x.version() == 1);
  CHECK(contains(message([&] { backward({sum(y)}); }), "modified by an inplace operation"));
}

TEST_CASE("inference tensors") {
  register_operators();
  const Tensor x = scalar(2, true);
  Tensor inside;
  {
    InferenceModeGuard guard;
    inside = mul(x, x);
    CHECK(inside.is_inference());
    CHECK_FALSE(inside.requires_grad());
    fill_(inside, 3);
  }
  CHECK(message([&] { set_requires_grad(inside, true); }) ==
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  CHECK(starts_with(message([&] { mul(x, inside); }),
                    "Inference tensors cannot be saved for backward."));
  CHECK(add(x, inside).requires_grad());  // saves nothing
  CHECK(starts_with(message([&] { fill_(inside, 1); }),
                    "Inplace update to inference tensor outside InferenceMode is not allowed"));
}

}  // namespace
}  // namespace opweave::test

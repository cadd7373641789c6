// Functions of C++ with a gradient of their own, under vmap: forward and backward see one example.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "kernels/initialize/initialize.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/sum.h"
#include "runtime/autograd/api.h"
#include "runtime/autograd/custom_function.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/core/base/error.h"
#include "runtime/forward/dual.h"

namespace opweave {
namespace {

using Values = std::vector<double>;
using ow::autograd::Function;

Tensor tensor(const Values& values, IntList sizes, bool requires_grad = false) {
  initialize();
  Tensor t = make_tensor(sizes, kDouble, kCPU);
  std::copy(values.begin(), values.end(), t.data<double>());
  if (requires_grad) set_requires_grad(t, true);
  return t;
}

Values values(const Tensor& t) {
  Values found(static_cast<size_t>(t.numel()));
  const Tensor flat = make_tensor(t.sizes(), kDouble, kCPU);
  detail::engine_operators.copy_(const_cast<Tensor&>(flat), t, false);
  std::copy_n(flat.data<double>(), found.size(), found.begin());
  return found;
}

// One vmap, in which `f` gets the examples of tensors; the results of all examples.
template <class F, class... T>
Tensor vmap(F f, const T&... tensors) {
  const int64_t sizes[] = {tensors.size(0)...};
  const int64_t level = push_batch_level(sizes[0], Randomness::kError);
  const Tensor result = f(make_batched(tensors, level)...);
  pop_batch_level();
  REQUIRE(batch_level(result) == level);
  return Tensor(batched_value(result).value);
}

template <class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.message();
  }
  return "";
}

// x * y * factor, of one example with one dimension.
struct Scaled : Function<Scaled> {
  static Tensor forward(Context& ctx, const Tensor& x, double factor, const Tensor& y) {
    CHECK(x.dim() == 1);
    ctx.save_for_backward({x, y});
    ctx.saved_data["factor"] = factor;
    ctx.saved_data["y"] = y;
    return mul(mul(x, y), factor);
  }
  static std::vector<Tensor> backward(Context& ctx, TensorList grads) {
    CHECK(grads[0].dim() == 1);
    const std::vector<Tensor> saved = ctx.saved_tensors();
    const Tensor g = mul(grads[0], ctx.saved_data["factor"].to_double());
    return {ctx.needs_input_grad(0) ? mul(g, ctx.saved_data["y"].to_tensor()) : Tensor(), Tensor(),
            ctx.needs_input_grad(2) ? mul(g, saved[0]) : Tensor()};
  }
};

TEST_CASE("a backward pass after the vmap") {
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2}, true), y = tensor({5, 6, 7, 8}, {2, 2}, true);
  const Tensor z =
      vmap([](const auto& a, const auto& b) { return Scaled::apply(a, 10.0, b); }, x, y);
  CHECK(values(z) == Values{50, 120, 210, 320});
  const auto grads = gradients({sum(z)}, {x, y}, {}, {.create_graph = true});
  CHECK(values(grads[0]) == Values{50, 60, 70, 80});
  CHECK(values(grads[1]) == Values{10, 20, 30, 40});
  CHECK(values(gradients({sum(mul(grads[0], grads[0]))}, {y})[0]) ==
        Values{1000, 1200, 1400, 1600});
}

TEST_CASE("what is the same for all examples gets the sum of their gradients") {
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2}), w = tensor({5, 6}, {2}, true);
  const Tensor z = vmap([&](const auto& a) { return Scaled::apply(a, 1.0, w); }, x);
  CHECK(values(gradients({sum(z)}, {w})[0]) == Values{4, 6});
}

TEST_CASE("a backward pass in another vmap") {
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2}), w = tensor({5, 6, 7, 8}, {2, 2}, true);
  const Tensor z =
      vmap([](const auto& a, const auto& b) { return Scaled::apply(a, 1.0, b); }, x, w);
  const Tensor seeds = tensor({1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {3, 2, 2});
  const Tensor rows = vmap([&](const auto& seed) { return gradients({z}, {w}, {seed})[0]; }, seeds);
  CHECK(values(rows) == Values{1, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4});
}

struct Captures : Function<Captures> {
  static Tensor forward(Context&, const Tensor& x, const Tensor* other) { return mul(x, *other); }
  static std::vector<Tensor> backward(Context&, TensorList grads) { return {grads[0], Tensor()}; }
};

TEST_CASE("a result that differs between examples of which no argument knows is refused") {
  const Tensor x = tensor({1, 2}, {2}, true), c = tensor({1, 2, 3, 4}, {2, 2});
  const std::string text = message([&] {
    const int64_t level = push_batch_level(2, Randomness::kError);
    const Tensor other = make_batched(c, level);
    try {
      Captures::apply(x, &other);
    } catch (...) {
      pop_batch_level();
      throw;
    }
  });
  CHECK(
      text ==
      "vmap: a result of CapturesBackward of shape [2] differs between examples though no argument "
      "does, so that its gradient is nobody's. Pass the tensor that differs to apply() as an "
      "argument.");
}

TEST_CASE("tangents are refused: the function says nothing of them") {
  const Tensor x = tensor({1, 2}, {2}), y = tensor({3, 4}, {2});
  const TangentLevelPtr level = enter_tangent_level();
  const Tensor dual = make_dual(x, y, level);
  CHECK(
      message([&] { Scaled::apply(dual, 1.0, y); }) ==
      "Trying to use forward AD with ScaledBackward, whose function has a gradient of its own and "
      "says nothing of tangents. Use func.grad(), func.vjp() or func.jacrev() with it.");
  leave_tangent_level();
  CHECK(values(Scaled::apply(dual, 1.0, y)) == Values{3, 8});
}

}  // namespace
}  // namespace opweave

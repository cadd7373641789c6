// Hooks on tensors and nodes, retained gradients, final callbacks.
#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

using Values = std::vector<double>;

Tensor doubled(const Tensor& g) { return mul(g, scalar(2)); }

TEST_CASE("a tensor hook sees the gradient and may replace it") {
  const Tensor x = scalar(3, true);
  const Tensor a = mul(x, x);
  double seen = 0;
  register_hook(a, [&](const Tensor& g) {
    seen = value(g);
    return Tensor();
  });
  register_hook(a, doubled);
  register_hook(x, doubled);
  backward({mul(a, scalar(5))});
  CHECK(seen == 5);
  CHECK(value(grad_of(x)) == 5 * 2 * 6 * 2);
}

TEST_CASE("a leaf's hook sees the sum of what arrives, once per backward") {
  const Tensor x = scalar(3, true);
  Values seen;
  auto handle = register_hook(x, [&](const Tensor& g) {
    seen.push_back(value(g));
    return Tensor();
  });
  const Tensor y = add(mul(x, x), x);
  backward({y}, {}, true);
  backward({y}, {}, true);
  handle.remove();
  backward({y});
  CHECK(seen == Values{7, 7});
}

TEST_CASE("captured gradients have gone through the hooks") {
  const Tensor x = scalar(3, true);
  const Tensor a = mul(x, x);
  register_hook(a, doubled);
  register_hook(x, doubled);
  const auto grads = gradients({mul(a, a)}, {a, x});
  CHECK(value(grads[0]) == 36);
  CHECK(value(grads[1]) == 36 * 6 * 2);
}

TEST_CASE("hooks may be removed and added while they run") {
  const Tensor x = scalar(1, true);
  Values order;
  HookHandle first, second;
  first = register_hook(x, [&](const Tensor&) {
    order.push_back(1);
    first.remove();
    second.remove();
    register_hook(x, [&](const Tensor&) {
      order.push_back(3);
      return Tensor();
    });
    return Tensor();
  });
  second = register_hook(x, [&](const Tensor&) {
    order.push_back(2);
    return Tensor();
  });
  backward({mul(x, x)});
  CHECK(order == Values{1});
  backward({mul(x, x)});  // what was added while hooks ran
  CHECK(order == Values{1, 3});
}

TEST_CASE("a handle may outlive the tensor") {
  HookHandle handle;
  {
    const Tensor x = scalar(1, true);
    handle = register_hook(x, doubled);
  }
  handle.remove();
}

TEST_CASE("hooks need a tensor that requires grad") {
  const std::string text = "cannot register a hook on a tensor that doesn't require gradient";
  const Tensor x = scalar(1, true);
  CHECK(message([] { register_hook(scalar(1), doubled); }) == text);
  CHECK(message([] { register_post_accumulate_grad_hook(scalar(1), [](const Tensor&) {}); }) ==
        text);
  CHECK(message([&] { register_post_accumulate_grad_hook(mul(x, x), [](const Tensor&) {}); }) ==
        "post accumulate grad hooks cannot be registered on non-leaf tensors");
}

TEST_CASE("post-accumulate hooks see the updated leaf") {
  const Tensor x = scalar(3, true);
  Values seen;
  register_post_accumulate_grad_hook(x, [&](const Tensor& leaf) {
    seen.push_back(value(grad_of(leaf)));
    set_grad(leaf, {});  // as an optimiser in backward does
  });
  backward({mul(x, x)});
  backward({mul(x, x)});
  CHECK(seen == Values{6, 6});
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("node hooks run before and after the node") {
  const Tensor x = scalar(3, true);
  const Tensor y = mul(x, scalar(5));
  Node* node = grad_fn(y);
  node->add_pre_hook([](TensorVec& grads) { grads[0] = doubled(grads[0]); });
  double out = 0, in = 0;
  node->add_post_hook([&](TensorVec& grads, const TensorVec& seen) {
    out = value(seen[0]);
    in = value(grads[0]);
    grads[0] = doubled(grads[0]);
  });
  backward({y});
  CHECK(out == 2);
  CHECK(in == 10);
  CHECK(value(grad_of(x)) == 20);
}

TEST_CASE("a hook that throws stops backward") {
  const Tensor x = scalar(3, true);
  register_hook(x, [](const Tensor&) -> Tensor { OW_THROW(ErrorKind::kValue, "stop"); });
  CHECK(message([&] { backward({mul(x, x)}); }) == "stop");
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("retain_grad keeps the gradient of a tensor that is no leaf") {
  const Tensor x = scalar(3, true);
  const Tensor a = mul(x, x), b = mul(x, x);
  CHECK_FALSE(retains_grad(a));
  retain_grad(a);
  retain_grad(a);
  retain_grad(x);
  CHECK(retains_grad(a));
  CHECK_FALSE(retains_grad(x));
  const Tensor y = mul(a, b);
  backward({y}, {}, true);
  CHECK(value(grad_of(a)) == 9);
  CHECK_FALSE(grad_of(b).defined());
  backward({y});
  CHECK(value(grad_of(a)) == 18);
  set_grad(a, {});
  CHECK_FALSE(grad_of(a).defined());
  CHECK(message([] { retain_grad(scalar(1)); }) ==
        "can't retain_grad on Tensor that has requires_grad=False");
}

TEST_CASE("retain_grad sees what hooks made of the gradient, and follows in-place operators") {
  const Tensor x = scalar(3, true);
  Tensor a = mul(x, scalar(1));
  retain_grad(a);
  register_hook(a, doubled);
  mul_(a, scalar(4));
  register_hook(a, doubled);
  backward({a});
  CHECK(value(grad_of(a)) == 2);          // of the value after the write
  CHECK(value(grad_of(x)) == 2 * 4 * 2);  // both hooks ran, each at its value
}

TEST_CASE("a retained gradient does not keep the tensor alive") {
  const Tensor x = scalar(3, true);
  Tensor y;
  std::weak_ptr<Tensor> cell;
  {
    const Tensor a = mul(x, x);
    retain_grad(a);
    cell = grad_fn(a)->extras()->retained[0].gradient;
    y = mul(a, scalar(1));
  }
  backward({y});  // `a` lives in the saved tensors until here
  CHECK(cell.expired());
}

TEST_CASE("final callbacks run after the last node, in order, and may add others") {
  const Tensor x = scalar(3, true);
  Values order;
  register_hook(x, [&](const Tensor&) {
    queue_backward_callback([&] {
      order.push_back(value(grad_of(x)));
      queue_backward_callback([&] { order.push_back(-1); });
    });
    return Tensor();
  });
  backward({mul(x, x)});
  CHECK(order == Values{6, -1});
}

TEST_CASE("callbacks of a backward call that fails are told what it threw") {
  const Tensor x = scalar(3, true);
  std::vector<std::string> told;
  const auto tell = [&](const std::exception_ptr& error) {
    told.push_back(message([&] { std::rethrow_exception(error); }));
  };
  bool in_hook = true;
  register_hook(x, [&](const Tensor&) {
    queue_backward_callback([] {}, tell);
    queue_backward_callback([] { OW_THROW(ErrorKind::kRuntime, "at the end"); }, tell);
    queue_backward_callback([&] { told.push_back("never"); }, tell);
    OW_CHECK(!in_hook, "in a hook");
    return Tensor();
  });
  CHECK(message([&] { backward({mul(x, x)}); }) == "in a hook");
  CHECK(told == std::vector<std::string>(3, "in a hook"));
  in_hook = false;
  told.clear();
  CHECK(message([&] { backward({mul(x, x)}); }) == "at the end");
  CHECK(told == std::vector<std::string>(2, "at the end"));
}

TEST_CASE("a hook knows what the backward call is") {
  const Tensor x = scalar(3, true), other = scalar(2, true);
  BackwardCall call;
  bool reaches = false, reaches_other = true;
  const Tensor y = mul(x, x);
  register_hook(y, [&](const Tensor&) {
    call = current_backward_call();
    reaches = current_backward_reaches(x);
    reaches_other = current_backward_reaches(other);
    return Tensor();
  });
  backward({y}, {}, true);
  CHECK((call.accumulates && !call.is_restricted && !call.is_nested));
  CHECK((reaches && !reaches_other));
  gradients({y}, {x}, {}, {.retain_graph = true});
  CHECK((!call.accumulates && call.is_restricted));
  CHECK(message([] { current_backward_call(); }) ==
        "Final callbacks can only be installed during backward pass.");
}

}  // namespace
}  // namespace opweave::test

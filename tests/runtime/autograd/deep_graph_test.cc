// A chain of a million nodes: neither its destruction nor its backward may use the stack, and
// nothing may be left over.
#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "runtime/core/devices/free_list.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

constexpr int kDeep = 1'000'000;

int alive = 0;

struct Pass final : Node, Recycled<Pass> {
  Pass() { ++alive; }
  ~Pass() override { --alive; }
  const char* name() const override { return "PassBackward"; }
  TensorVec apply(TensorVec&& grads) override { return std::move(grads); }
  SavedTensor saved_;
};

Tensor pass(const Tensor& x, bool save) {
  const auto node = make_node<Pass>();
  node->collect_next_edges(x);
  if (save) node->saved_ = SavedTensor(x, false);
  const Tensor y = make_alias(x, x.sizes(), x.strides(), x.storage_offset());
  set_history(y, node);
  return y;
}

Tensor chain(Tensor x, bool save) {
  for (int i = 0; i < kDeep; ++i) x = pass(x, save);
  return x;
}

TEST_CASE("a deep chain is destroyed iteratively") {
  const Tensor x = scalar(1, true);
  for (bool save : {false, true}) {
    Tensor y = chain(x, save);
    CHECK(alive == kDeep);
    y.reset();
    CHECK(alive == 0);
  }
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("backward through a deep chain") {
  const Tensor x = scalar(1, true);
  Tensor y = chain(x, false);
  backward({y});
  CHECK(value(grad_of(x)) == 1);
  CHECK(value(gradients({y}, {x})[0]) == 1);
  y.reset();
  CHECK(alive == 0);
}

TEST_CASE("a wide graph") {
  const Tensor x = scalar(1, true);
  Tensor y = scalar(0);
  for (int i = 0; i < 1000; ++i) y = add(y, mul(x, x));
  backward({y});
  CHECK(value(grad_of(x)) == 2000);
}

}  // namespace
}  // namespace opweave::test

// Zeros as gradients: of all tensors of a list that are asked for, whichever result was used.
#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "runtime/autograd/stored.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

// What is generated for a list by which no result changes.
struct ZerosBackward final : Node {
  const char* name() const override { return "ZerosBackward"; }
  TensorVec apply(TensorVec&& grads) override {
    TensorVec inputs(count);
    store_zeros(*this, inputs, 0, count, first_defined(grads));
    for (size_t i = 0; i < count; ++i) given.push_back(inputs[i].defined());
    return inputs;
  }

  size_t count = 0;
  std::vector<bool> given;
};

TEST_CASE("each tensor of a list that is asked for gets zeros of its own shape") {
  register_operators();
  const std::vector<Tensor> list{tensor({1, 2}, true), tensor({3}), tensor({4, 5, 6}, true)};
  const auto node = make_node<ZerosBackward>();
  node->count = list.size();
  node->collect_next_edges(list);
  const Tensor first = tensor({7, 8}), second = tensor({9, 10});
  set_history(first, node);
  set_history(second, node);
  backward({sum(second)});
  CHECK(node->given == std::vector<bool>{true, false, true});
  CHECK(values(grad_of(list[0])) == std::vector<double>{0, 0});
  CHECK(values(grad_of(list[2])) == std::vector<double>{0, 0, 0});
}

}  // namespace
}  // namespace opweave::test

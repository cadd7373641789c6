// What normalisations and their gradients require: arguments that do not fit are refused before a
// kernel reads them, also where formulas alone call the operator.
#include "opweave/ops/_log_softmax_backward_data.h"
#include "opweave/ops/_softmax_backward_data.h"
#include "opweave/ops/native_batch_norm.h"
#include "opweave/ops/native_batch_norm_backward.h"
#include "opweave/ops/native_group_norm.h"
#include "opweave/ops/native_group_norm_backward.h"
#include "opweave/ops/native_layer_norm.h"
#include "opweave/ops/native_layer_norm_backward.h"
#include "tests/kernels/operators/support.h"

using namespace opweave;
using namespace opweave::test;

namespace {

constexpr std::array<bool, 3> kAll{true, true, true};

Tensor floats(IntList sizes) { return random_tensor(sizes, kFloat); }

struct LayerNorm {
  Tensor grad = floats({4, 3}), input = floats({4, 3}), mean = floats({4, 1}),
         rstd = floats({4, 1});
  Tensor weight = floats({3}), bias = floats({3});
  DimVector shape{3};

  auto call(std::array<bool, 3> mask = kAll) const {
    return opweave::native_layer_norm_backward(grad, input, shape, mean, rstd, weight, bias, mask);
  }
};

struct BatchNorm {
  Tensor grad = floats({4, 3}), input = floats({4, 3}), weight = floats({3});
  Tensor running_mean, running_var, save_mean = floats({3}), save_invstd = floats({3});
  bool train = true;

  auto call(std::array<bool, 3> mask = kAll) const {
    return opweave::native_batch_norm_backward(grad, input, weight, running_mean, running_var,
                                               save_mean, save_invstd, train, 1e-5, mask);
  }
};

struct GroupNorm {
  Tensor grad = floats({2, 4, 3}), input = floats({2, 4, 3}), mean = floats({2, 2});
  Tensor rstd = floats({2, 2}), weight = floats({4});
  int64_t samples = 2, channels = 4, plane = 3, groups = 2;

  auto call(std::array<bool, 3> mask = kAll) const {
    return opweave::native_group_norm_backward(grad, input, mean, rstd, weight, samples, channels,
                                               plane, groups, mask);
  }
};

// The call once one thing about it has been changed.
template <class Call, class Change>
auto changed(Change&& change) {
  Call call;
  change(call);
  return call.call();
}

}  // namespace

TEST_CASE("gradients of layer_norm want statistics of every row") {
  CHECK_THROWS_WITH(changed<LayerNorm>([](auto& c) { c.mean = floats({3}); }),
                    "mean should contain 4 elements not 3");
  CHECK_THROWS_WITH(changed<LayerNorm>([](auto& c) { c.rstd = floats({0}); }),
                    "rstd should contain 4 elements not 0");
  CHECK_THROWS_WITH(changed<LayerNorm>([](auto& c) {
                      c.grad = floats({4, 2});
                    }),
                    "expected the gradient to have the sizes of the input, [4, 3], but got [4, 2]");
  CHECK_THROWS_WITH(changed<LayerNorm>([](auto& c) { c.weight = floats({2}); }),
                    "Expected weight to be of same shape as normalized_shape, but got weight of "
                    "shape [2] and normalized_shape = [3]");
  CHECK_THROWS_WITH(changed<LayerNorm>([](auto& c) {
                      c.shape = {5, 4, 3};
                      c.weight = c.bias = Tensor();
                    }),
                    "Given normalized_shape=[5, 4, 3], expected input with shape [*, 5, 4, 3], but "
                    "got input of size[4, 3]");
  CHECK_THROWS_WITH(changed<LayerNorm>([](auto& c) {
                      c.shape = {};
                      c.weight = c.bias = Tensor();
                    }),
                    "Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                    "least one element, but got normalized_shape = []");
}

TEST_CASE("gradients that nobody asks for are undefined, and parameters may be missing") {
  LayerNorm layer;
  layer.weight = layer.bias = Tensor();
  const auto [input, weight, bias] = layer.call({false, true, true});
  CHECK(!input.defined());
  CHECK(str(weight.sizes()) == "[3]");
  CHECK(bias.dtype() == kFloat);
  CHECK(!std::get<1>(GroupNorm().call({true, false, true})).defined());
  CHECK(!std::get<2>(BatchNorm().call({true, true, false})).defined());
}

TEST_CASE("gradients of batch_norm want statistics of every channel") {
  CHECK_THROWS_WITH(changed<BatchNorm>([](auto& c) { c.save_mean = floats({1}); }),
                    "save_mean should contain 3 elements not 1");
  CHECK_THROWS_WITH(changed<BatchNorm>([](auto& c) { c.save_invstd = Tensor(); }),
                    "save_invstd must be defined in training mode");
  CHECK_THROWS_WITH(changed<BatchNorm>([](auto& c) { c.train = false; }),
                    "running_mean must be defined in evaluation mode");
  CHECK_THROWS_WITH(changed<BatchNorm>([](auto& c) {
                      c.train = false;
                      c.running_mean = floats({3});
                      c.running_var = floats({2});
                    }),
                    "running_var should contain 3 elements not 2");
  CHECK_THROWS_WITH(changed<BatchNorm>([](auto& c) { c.weight = floats({1}); }),
                    "weight should contain 3 elements not 1");
  CHECK_THROWS_WITH(changed<BatchNorm>([](auto& c) { c.grad = floats({3}); }),
                    "expected the gradient to have the sizes of the input, [4, 3], but got [3]");
  CHECK_THROWS_WITH(changed<BatchNorm>([](auto& c) { c.input = floats({3}); }),
                    "batch_norm expected an input of at least 2 dimensions, got 1");
}

TEST_CASE("running statistics that are no vectors are refused") {
  const Tensor x = floats({2, 1}), scalar = floats({}), vector = floats({1});
  CHECK_THROWS_WITH(opweave::native_batch_norm(x, {}, {}, scalar, vector, true, 0.1, 1e-5),
                    "running_mean should have 1 dimension, not 0");
  CHECK_THROWS_WITH(opweave::native_batch_norm(x, {}, {}, vector, random_tensor(IntList{1}, kLong),
                                               true, 0.1, 1e-5),
                    "expected scalar type Float but found Long");
}

TEST_CASE("group_norm wants groups, and an input of the sizes that it is told") {
  const Tensor x = floats({2, 4, 3});
  CHECK_THROWS_WITH(opweave::native_group_norm(x, {}, {}, 2, 4, 3, 0, 1e-5),
                    "Expected num groups to be greater than 0, got 0");
  CHECK_THROWS_WITH(opweave::native_group_norm(x, {}, {}, 2, 4, 3, 3, 1e-5),
                    "Expected number of channels in input to be divisible by num_groups, but got "
                    "input of shape [2, 4, 3] and num_groups=3");
  CHECK_THROWS_WITH(opweave::native_group_norm(x, {}, {}, 2, 4, 4, 2, 1e-5),
                    "expected an input of 2 x 4 x 4 elements, but got input of shape [2, 4, 3]");
  CHECK_THROWS_WITH(opweave::native_group_norm(x, floats({3}), {}, 2, 4, 3, 2, 1e-5),
                    "Expected weight to be a vector of size equal to the number of channels in "
                    "input, but got weight of shape [3] and input of shape [2, 4, 3]");
}

TEST_CASE("gradients of group_norm want statistics of every group") {
  CHECK_THROWS_WITH(changed<GroupNorm>([](auto& c) { c.mean = floats({2}); }),
                    "mean should contain 4 elements not 2");
  CHECK_THROWS_WITH(changed<GroupNorm>([](auto& c) { c.rstd = floats({2}); }),
                    "rstd should contain 4 elements not 2");
  CHECK_THROWS_WITH(changed<GroupNorm>([](auto& c) { c.groups = 0; }),
                    "Expected num groups to be greater than 0, got 0");
  CHECK_THROWS_WITH(changed<GroupNorm>([](auto& c) { c.channels = 6; }),
                    "expected an input of 2 x 6 x 3 elements, but got input of shape [2, 4, 3]");
  CHECK_THROWS_WITH(changed<GroupNorm>([](auto& c) {
                      c.samples = -2;
                      c.channels = -4;
                    }),
                    "Trying to create tensor with negative dimension -2: [-2, -4, 3]");
}

TEST_CASE("sizes beside a 0 may be of any length") {
  GroupNorm group;
  group.grad = group.input = floats({4, 0});
  group.samples = 4;
  group.channels = int64_t{1} << 60;
  group.plane = 0;
  group.groups = 1;
  group.weight = Tensor();
  group.mean = group.rstd = floats({4, 1});
  CHECK(str(std::get<0>(group.call({true, false, false})).sizes()) == "[4, 0]");
}

TEST_CASE("gradients of softmax want a gradient of the result's sizes") {
  const Tensor grad = floats({2, 3}), result = floats({3});
  CHECK_THROWS_WITH(
      opweave::_softmax_backward_data(grad, result, 1, kFloat),
      "Expected tensor for argument #1 'grad' to have same size as tensor for argument "
      "#2 'output'; but [2, 3] does not equal [3] (while checking arguments for "
      "softmax_backward)");
  CHECK_THROWS_WITH(
      opweave::_log_softmax_backward_data(grad, result, 1, kFloat),
      "Expected tensor for argument #1 'grad' to have same size as tensor for argument "
      "#2 'output'; but [2, 3] does not equal [3] (while checking arguments for "
      "log_softmax_backward)");
}

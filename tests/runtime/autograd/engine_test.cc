// The engine: gradients of graphs, what is kept and freed, captures, bad gradients.
#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "runtime/autograd/generated.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

using Values = std::vector<double>;

TEST_CASE("a leaf used twice gets the sum of both gradients") {
  const Tensor x = tensor({2, 3}, true);
  backward({sum(add(mul(x, x), x))});
  CHECK(values(grad_of(x)) == Values{5, 7});
}

TEST_CASE("gradients accumulate over calls") {
  const Tensor x = tensor({2, 3}, true);
  backward({sum(mul(x, x))});
  const Tensor first = grad_of(x);
  backward({sum(mul(x, x))});
  CHECK(values(grad_of(x)) == Values{8, 12});
  CHECK(grad_of(x).is_same(first));  // added in place
  set_grad(x, {});
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("a diamond runs every node once") {
  const Tensor x = scalar(3, true);
  const Tensor a = mul(x, x);
  const Tensor b = add(a, a);
  backward({mul(b, a)});  // 2 x^4
  CHECK(value(grad_of(x)) == 8 * 27);
}

TEST_CASE("an intermediate gradient that two nodes share is not written to") {
  const Tensor x = tensor({1, 2}, true), y = tensor({3, 4}, true);
  const Tensor z = add(x, y);  // passes one gradient to both
  backward({sum(add(z, x))});
  CHECK(values(grad_of(x)) == Values{2, 2});
  CHECK(values(grad_of(y)) == Values{1, 1});
  CHECK(grad_of(x).raw_data() != grad_of(y).raw_data());
  Tensor g = grad_of(x);
  fill_(g, 9);
  CHECK(values(grad_of(y)) == Values{1, 1});
}

TEST_CASE("several roots, one of them reached by the other") {
  const Tensor x = scalar(2, true);
  const Tensor a = mul(x, x);
  const Tensor b = mul(a, a);
  backward({b, a}, {scalar(1), scalar(10)});
  CHECK(value(grad_of(x)) == 4 * 8 + 10 * 4);
}

TEST_CASE("a leaf as root") {
  const Tensor x = scalar(2, true);
  backward({x});
  CHECK(value(grad_of(x)) == 1);
}

TEST_CASE("a broadcast input gets its gradient summed to its shape") {
  const Tensor x = tensor({1, 2, 3}), y = scalar(2, true);
  backward({sum(mul(x, y))});
  CHECK(grad_of(y).dim() == 0);
  CHECK(value(grad_of(y)) == 6);
}

TEST_CASE("a gradient is cast to the dtype of its input") {
  const Tensor x = tensor({1, 2}, true, kFloat), y = tensor({3, 4}, true);
  backward({sum(mul(x, y))});
  CHECK(grad_of(x).dtype() == kFloat);
  CHECK(values(grad_of(x)) == Values{3, 4});
  CHECK(grad_of(y).dtype() == kDouble);
}

TEST_CASE("the second backward through a freed graph says so") {
  const Tensor x = scalar(2, true);
  const Tensor y = mul(x, x);
  backward({y}, {}, /*retain_graph=*/true);
  backward({y});
  CHECK(value(grad_of(x)) == 8);
  const std::string text = message([&] { backward({y}); });
  CHECK(starts_with(text,
                    "Trying to backward through the graph a second time (or directly access "
                    "saved tensors after they have already been freed)"));
  CHECK(contains(text, "MulBackward0"));
  CHECK(contains(text, "retain_graph=True"));
  CHECK(value(grad_of(x)) == 8);
}

TEST_CASE("create_graph gives gradients that can be differentiated") {
  const Tensor x = scalar(3, true);
  const Tensor y = mul(mul(x, x), x);
  const Tensor first = gradients({y}, {x}, {}, {.create_graph = true})[0];
  CHECK(value(first) == 27);
  const Tensor second = gradients({first}, {x}, {}, {.create_graph = true})[0];
  CHECK(value(second) == 18);
  CHECK(value(gradients({second}, {x})[0]) == 6);
}

TEST_CASE("create_graph through a saved output, a sum and a broadcast") {
  const Tensor x = tensor({0, 0}, true), s = scalar(2, true);
  const Tensor y = sum(exp(mul(x, s)));
  const Tensor dx = gradients({y}, {x}, {}, {.create_graph = true})[0];  // s exp(s x)
  const auto second = gradients({sum(dx)}, {x, s});
  CHECK(values(second[0]) == Values{4, 4});
  CHECK(value(second[1]) == 2);  // sum of exp(s x) + s x exp(s x)
}

TEST_CASE("backward with create_graph accumulates out of place") {
  const Tensor x = scalar(3, true);
  backward({mul(x, x)}, {}, {}, /*create_graph=*/true);
  const Tensor first = grad_of(x);
  CHECK(first.requires_grad());
  backward({mul(x, x)}, {}, {}, true);
  CHECK(value(first) == 6);
  CHECK(value(grad_of(x)) == 12);
  set_grad(x, {});  // breaks the cycle
}

TEST_CASE("gradients() of leaves and of other tensors accumulates nothing") {
  const Tensor x = scalar(3, true);
  const Tensor a = mul(x, x);
  const Tensor y = mul(a, x);
  const auto grads = gradients({y}, {a, x, y});
  CHECK(value(grads[0]) == 3);
  CHECK(value(grads[1]) == 27);
  CHECK(value(grads[2]) == 1);
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("gradients() of a leaf that is an output itself, and of nothing else") {
  const Tensor x = scalar(3, true), seed = scalar(5);
  CHECK(value(gradients({x}, {x}, {seed})[0]) == 5);
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("gradients() runs only what leads to its inputs") {
  register_operators();
  const Tensor x = scalar(3, true), unrelated = scalar(5, true);
  const Counter runs;
  const Tensor z = counted(unrelated, runs);
  const Tensor y = mul(x, z);
  CHECK(value(gradients({y}, {x}, {}, {.retain_graph = true})[0]) == 5);
  CHECK(runs.count() == 0);
  CHECK(value(gradients({y}, {unrelated})[0]) == 3);
  CHECK(runs.count() == 1);
}

TEST_CASE("inputs that are not used") {
  const Tensor x = scalar(3, true), other = scalar(1, true);
  const Tensor used_elsewhere = mul(other, other);
  const Tensor y = mul(x, x);
  for (const Tensor& input : {other, used_elsewhere}) {
    CHECK(message([&] {
            gradients({y}, {x, input}, {}, {.retain_graph = true});
          }) ==
          "One of the differentiated Tensors appears to not have been used in the graph. Set "
          "allow_unused=True if this is the desired behavior.");
  }
  const GradOptions unused{.retain_graph = true, .allow_unused = true};
  CHECK_FALSE(gradients({y}, {other}, {}, unused)[0].defined());
  const GradOptions zeros{.retain_graph = true, .materialize_grads = true};
  CHECK(value(gradients({y}, {other}, {}, zeros)[0]) == 0);
  CHECK(message([&] { gradients({y}, {scalar(1)}); }) ==
        "One of the differentiated Tensors does not require grad");
  CHECK(message([&] { gradients({y}, {}); }) == "grad requires non-empty inputs.");
}

TEST_CASE("backward with inputs accumulates only there") {
  const Tensor x = scalar(3, true), w = scalar(2, true);
  const Tensor a = mul(x, w);
  backward({mul(a, a)}, {}, true, false, {w});
  CHECK(value(grad_of(w)) == 36);
  CHECK_FALSE(grad_of(x).defined());
  backward({mul(a, a)}, {}, true, false, {a});
  CHECK(value(grad_of(a)) == 12);
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("what backward() refuses") {
  const Tensor x = tensor({1, 2}, true);
  CHECK(message([&] { backward({mul(x, x)}); }) ==
        "grad can be implicitly created only for scalar outputs");
  CHECK(message([&] { backward({tensor({1})}); }) ==
        "element 0 of tensors does not require grad and does not have a grad_fn");
  CHECK(message([&] {
          backward({mul(x, x)}, {tensor({1, 2, 3})});
        }) ==
        "Mismatch in shape: grad_output[0] has a shape of [3] and output[0] has a shape of [2].");
  CHECK(message([&] { backward({x, x}, {tensor({1, 2})}); }) == "got 2 tensors and 1 gradients");
  CHECK(message([&] { queue_backward_callback([] {}); }) ==
        "Final callbacks can only be installed during backward pass.");
}

TEST_CASE("gradients that do not fit their input") {
  const Tensor x = tensor({1, 2, 3}, true);
  auto returning = [&](std::vector<Tensor> grads) {
    return recorded({x}, [grads](const TensorVec&) {
      TensorVec inputs;
      for (const Tensor& g : grads) inputs.push_back(g);
      return inputs;
    });
  };
  CHECK(
      message([&] {
        backward({sum(returning({tensor({1, 2})}))});
      }) ==
      "Function TestBackward returned an invalid gradient at index 0 - got [2] but expected shape "
      "compatible with [3]");
  CHECK(message([&] {
          backward({sum(returning({tensor({1, 2, 3}), tensor({1})}))});
        }) ==
        "Function TestBackward returned an incorrect number of gradients (expected 1, got 2)");
  const Tensor meta = make_tensor({3}, kDouble, kMeta);
  CHECK(
      message([&] { backward({sum(returning({meta}))}); }) ==
      "Function TestBackward returned an invalid gradient at index 0 - expected device cpu but got "
      "meta");
  backward({sum(returning({}))});  // undefined is zero
  CHECK_FALSE(grad_of(x).defined());
}

TEST_CASE("an exception leaves the engine usable") {
  const Tensor x = scalar(2, true);
  const Tensor y =
      recorded({x}, [](const TensorVec&) -> TensorVec { throw std::logic_error("no"); });
  for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(backward({y}, {}, true), std::logic_error);
  backward({mul(x, x)});
  CHECK(value(grad_of(x)) == 4);
  CHECK(grad_enabled());
}

TEST_CASE("nodes see the grad mode of the call, and callers get theirs back") {
  const Tensor x = scalar(2, true);
  std::vector<bool> seen;
  const Tensor y = recorded({x}, [&](const TensorVec& grads) {
    seen.push_back(grad_enabled());
    TensorVec inputs;
    inputs.push_back(grads[0]);
    return inputs;
  });
  backward({y}, {}, true);
  backward({y}, {}, true, true);
  {
    NoGradGuard no_grad;
    backward({y}, {}, true);
    CHECK_FALSE(grad_enabled());
  }
  CHECK(seen == std::vector<bool>{false, true, false});
  set_grad(x, {});
}

TEST_CASE("a node with several outputs waits for all of them") {
  const Tensor x = tensor({1, 2, 3}, true);
  const auto parts = unbind(x);
  backward({add(mul(parts[0], parts[1]), parts[2])});
  CHECK(values(grad_of(x)) == Values{2, 1, 1});
}

TEST_CASE("a result without gradients takes a number and no history") {
  const Tensor x = scalar(2, true);
  auto node = make_not_implemented_node("argmax");
  node->collect_next_edges(x);
  const Tensor index = make_tensor({}, kLong, kCPU), out = scalar(1);
  set_history(index, node);
  set_history(out, node);
  CHECK(index.is_leaf());
  CHECK_FALSE(index.requires_grad());
  CHECK(out.impl()->output_nr() == 1);
  CHECK(message([&] { backward({out}); }) == "the derivative for 'argmax' is not implemented.");
}

TEST_CASE("a stolen gradient has the layout of its leaf") {
  const Tensor x = as_strided(tensor({1, 2, 3, 4, 5, 6}), {2, 3}, {1, 2}, 0);
  const Tensor leaf = detached(x);
  set_requires_grad(leaf, true);
  backward({sum(mul(leaf, leaf))});
  CHECK(grad_of(leaf).strides()[0] == 1);
  CHECK(values(grad_of(leaf)) == Values{2, 6, 10, 4, 8, 12});
}

}  // namespace
}  // namespace opweave::test

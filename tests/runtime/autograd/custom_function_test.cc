// Functions with a handwritten gradient.
#include "runtime/autograd/custom_function.h"

#include <doctest/doctest.h>

#include "runtime/autograd/api.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

using Values = std::vector<double>;
using ow::autograd::Function;

struct Scaled : Function<Scaled> {
  static Tensor forward(Context& ctx, const Tensor& x, double factor, const Tensor& y) {
    ctx.save_for_backward({x, y});
    ctx.saved_data["factor"] = factor;
    CHECK_FALSE(grad_enabled());
    return mul(mul(x, y), scalar(factor));
  }
  static std::vector<Tensor> backward(Context& ctx, TensorList grads) {
    const auto saved = ctx.saved_tensors();
    const Tensor g = mul(grads[0], scalar(ctx.saved_data["factor"].to_double()));
    return {ctx.needs_input_grad(0) ? mul(g, saved[1]) : Tensor(), Tensor(),
            ctx.needs_input_grad(2) ? mul(g, saved[0]) : Tensor()};
  }
};

TEST_CASE("a function of tensors and a number") {
  const Tensor x = tensor({1, 2}, true), y = tensor({3, 4});
  const Tensor z = Scaled::apply(x, 10.0, y);
  CHECK(values(z) == Values{30, 80});
  CHECK(std::string_view(grad_fn(z)->name()) == "ScaledBackward");
  const Tensor dx = gradients({sum(z)}, {x}, {}, {.create_graph = true})[0];
  CHECK(values(dx) == Values{30, 40});
  CHECK_FALSE(Scaled::apply(y, 2.0, y).requires_grad());
}

TEST_CASE("its gradient can be differentiated") {
  const Tensor x = scalar(3, true), y = scalar(5, true);
  const Tensor dx = gradients({Scaled::apply(x, 2.0, y)}, {x}, {}, {.create_graph = true})[0];
  CHECK(value(gradients({dx}, {y})[0]) == 2);
}

TEST_CASE("saved tensors are gone after the first backward") {
  const Tensor x = scalar(3, true);
  const Tensor z = Scaled::apply(x, 2.0, x);
  backward({z});
  CHECK(contains(message([&] { backward({z}); }), "ScaledBackward saved was freed"));
}

struct SaveOutput : Function<SaveOutput> {
  static Tensor forward(Context& ctx, const Tensor& x) {
    const Tensor y = exp(x);
    ctx.save_for_backward({y});
    return y;
  }
  static std::vector<Tensor> backward(Context& ctx, TensorList grads) {
    return {mul(grads[0], ctx.saved_tensors()[0])};
  }
};

TEST_CASE("a saved output is freed with the result, and has its history in backward") {
  const Tensor x = scalar(0, true);
  const Tensor first = gradients({SaveOutput::apply(x)}, {x}, {}, {.create_graph = true})[0];
  CHECK(value(gradients({first}, {x})[0]) == 1);
}

struct Split : Function<Split> {
  static std::vector<Tensor> forward(Context& ctx, const std::vector<Tensor>& xs) {
    const Tensor truth = make_tensor({}, kBool, kCPU), constant = scalar(7);
    ctx.mark_non_differentiable({constant});
    ctx.set_materialize_grads(xs.size() == 2);
    return {mul(xs[0], scalar(2)), mul(xs[1], scalar(3)), truth, constant, Tensor()};
  }
  static std::vector<Tensor> backward(Context&, TensorList grads) {
    CHECK(grads.size() == 5);
    CHECK(grads[2].dtype() == kBool);  // zeros, to which no gradient comes
    CHECK(value(grads[3]) == 0);
    CHECK_FALSE(grads[4].defined());
    std::vector<Tensor> result;
    for (int i = 0; i < 2; ++i) {
      result.push_back(grads[i].defined() ? mul(grads[i], scalar(i + 2)) : Tensor());
    }
    while (result.size() < (seen_undefined = !grads[1].defined(), 2u)) result.emplace_back();
    return result;
  }
  static inline bool seen_undefined = false;
};

TEST_CASE("lists of arguments and results, some not differentiable") {
  const Tensor x = tensor({1, 2}, true), y = tensor({3}, true);
  const auto results = Split::apply(std::vector<Tensor>{x, y});
  CHECK(results[0].requires_grad());
  CHECK_FALSE(results[2].requires_grad());
  CHECK_FALSE(results[3].requires_grad());
  CHECK_FALSE(results[4].defined());
  backward({sum(results[0])});
  CHECK(values(grad_of(x)) == Values{2, 2});
  CHECK(values(grad_of(y)) == Values{0});  // materialised
  CHECK_FALSE(Split::seen_undefined);
}

struct AddInPlace : Function<AddInPlace> {
  static Tensor forward(Context& ctx, Tensor x, const Tensor& y) {
    mul_(x, y);
    ctx.mark_dirty({x});
    ctx.save_for_backward({y});
    return x;
  }
  static std::vector<Tensor> backward(Context& ctx, TensorList grads) {
    return {mul(grads[0], ctx.saved_tensors()[0]), Tensor()};
  }
};

TEST_CASE("a dirty input gets the function as its history") {
  const Tensor x = tensor({1, 2}, true), y = tensor({10, 20});
  const Tensor a = mul(x, scalar(1));
  const Tensor b = AddInPlace::apply(a, y);
  CHECK(b.is_same(a));
  backward({sum(a)});
  CHECK(values(grad_of(x)) == Values{10, 20});
  CHECK(message([&] { AddInPlace::apply(x, y); }) ==
        "a leaf Variable that requires grad is being used in an in-place operation.");
}

TEST_CASE("a dirty view rewrites its base") {
  const Tensor x = tensor({1, 2}, true), y = scalar(10);
  const Tensor a = mul(x, scalar(1));
  AddInPlace::apply(select(a, 1), y);
  backward({sum(a)});
  CHECK(values(grad_of(x)) == Values{1, 10});
}

struct Identity : Function<Identity> {
  static Tensor forward(Context&, const Tensor& x) { return x; }
  static std::vector<Tensor> backward(Context&, TensorList grads) {
    return {mul(grads[0], scalar(5))};
  }
};

TEST_CASE("an input returned as it is becomes a tensor of its own") {
  const Tensor x = scalar(3, true);
  Tensor y = Identity::apply(x);
  CHECK_FALSE(y.is_same(x));
  CHECK(is_leaf(x));
  CHECK(contains(message([&] { fill_(y, 1); }), "custom Function"));
  backward({y});
  CHECK(value(grad_of(x)) == 5);
}

struct View : Function<View> {
  static Tensor forward(Context&, const Tensor& x) { return select(x, 0); }
  static std::vector<Tensor> backward(Context&, TensorList) { return {tensor({4, 0})}; }
};

TEST_CASE("a view that a function made may not be written") {
  const Tensor x = mul(tensor({1, 2}, true), scalar(1));
  Tensor y = View::apply(x);
  CHECK(contains(message([&] { fill_(y, 1); }),
                 "Output 0 of ViewBackward is a view and is being modified inplace"));
}

struct Wrong : Function<Wrong> {
  static Tensor forward(Context&, const Tensor& x, int64_t) { return mul(x, x); }
  static std::vector<Tensor> backward(Context&, TensorList grads) {
    std::vector<Tensor> result(static_cast<size_t>(count), grads[0]);
    return result;
  }
  static inline int count = 0;
};

TEST_CASE("a wrong number of gradients, or one for a number") {
  const Tensor x = scalar(3, true);
  const Tensor y = Wrong::apply(x, int64_t{1});
  Wrong::count = 1;
  CHECK(message([&] { backward({y}, {}, true); }) ==
        "function WrongBackward returned an incorrect number of gradients (expected 2, got 1)");
  Wrong::count = 2;
  CHECK(message([&] { backward({y}, {}, true); }) ==
        "function WrongBackward returned a gradient different from None at position 2, but the "
        "corresponding forward input was not a Variable");
}

}  // namespace
}  // namespace opweave::test

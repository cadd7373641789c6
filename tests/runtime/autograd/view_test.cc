// Views and in-place operators: histories that follow writes, and writes that are refused.
#include <doctest/doctest.h>

#include <cmath>

#include "runtime/autograd/api.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

using Values = std::vector<double>;

std::string_view fn_name(const Tensor& t) {
  const Node* node = grad_fn(t);
  return node == nullptr ? "" : node->name();
}

TEST_CASE("a view knows its base, never another view") {
  const Tensor x = as_strided(tensor({1, 2, 3, 4}), {2, 2}, {2, 1}, 0);
  const Tensor row = select(x, 1);
  const Tensor element = select(row, 0);
  CHECK(row.is_view());
  CHECK(view_base(element).is_same(view_base(x)));
  CHECK_FALSE(view_base(scalar(1)).defined());
  CHECK_FALSE(detached(x).is_view());
}

TEST_CASE("in place on a tensor that becomes part of the graph") {
  const Tensor w = tensor({2, 3}, true);
  Tensor x = tensor({5, 7});
  mul_(x, w);
  CHECK(x.requires_grad());
  CHECK(fn_name(x) == "MulBackward0");
  backward({sum(x)});
  CHECK(values(grad_of(w)) == Values{5, 7});
}

TEST_CASE("writes to a view reach its base's history") {
  const Tensor x = tensor({1, 2, 3}, true), w = scalar(10, true);
  Tensor y = mul(x, scalar(1));
  Tensor part = select(y, 1);
  mul_(part, w);
  CHECK(fn_name(y) == "CopySlices");
  CHECK(fn_name(part) == "AsStridedBackward0");
  backward({sum(mul(y, tensor({1, 2, 3})))});
  CHECK(values(grad_of(x)) == Values{1, 20, 3});
  CHECK(value(grad_of(w)) == 4);
}

TEST_CASE("views made before a write to the base, or to another view, follow") {
  const Tensor x = tensor({1, 2, 3}, true);
  Tensor y = mul(x, scalar(1));
  const Tensor first = select(y, 0), second = select(y, 1);
  mul_(y, scalar(10));
  backward({first}, {}, true);
  CHECK(values(grad_of(x)) == Values{10, 0, 0});
  set_grad(x, {});
  Tensor alias = select(y, 1);
  mul_(alias, scalar(2));
  backward({add(second, first)});
  CHECK(values(grad_of(x)) == Values{10, 20, 0});
}

TEST_CASE("a view of a base without gradient gets a history by a write to the base") {
  Tensor x = tensor({1, 2});
  const Tensor w = tensor({3, 4}, true);
  const Tensor first = select(x, 0);
  CHECK_FALSE(first.requires_grad());
  mul_(x, w);
  CHECK(first.requires_grad());
  CHECK_FALSE(first.is_leaf());
  backward({mul(first, first)});  // (x0 w0)^2
  CHECK(values(grad_of(w)) == Values{2 * 3 * 1, 0});
}

TEST_CASE(
    "writes through one view are seen through the base and the other views, without gradient") {
  Tensor x = tensor({1, 2});
  Tensor first = select(x, 0);
  const Tensor w = scalar(3, true);
  mul_(first, w);
  CHECK(x.requires_grad());
  CHECK(fn_name(x) == "CopySlices");
  backward({sum(x)});
  CHECK(value(grad_of(w)) == 1);
}

TEST_CASE("overwriting a view cuts the gradient there") {
  const Tensor x = tensor({1, 2, 3}, true);
  Tensor y = mul(x, scalar(2));
  Tensor part = select(y, 2);
  fill_(part, 0);
  backward({sum(y)});
  CHECK(values(grad_of(x)) == Values{2, 2, 0});
}

TEST_CASE("writes to views in a chain, differentiated twice") {
  const Tensor x = tensor({1, 2}, true);
  Tensor y = mul(x, x);
  Tensor part = select(y, 0);
  mul_(part, select(x, 1));  // y0 = x0^2 x1
  exp_(part);                // saves its result, which is a view
  const Tensor dx = gradients({sum(y)}, {x}, {}, {.create_graph = true})[0];
  const double e = std::exp(2.0);
  CHECK(values(dx)[0] == doctest::Approx(4 * e));
  CHECK(values(dx)[1] == doctest::Approx(e + 4));
  // d(4e)/dx0: derivative of 2 x0 x1 exp(x0^2 x1) = (2 x1 + 4 x0^2 x1^2) e = 20 e
  const Tensor second = gradients({select(dx, 0)}, {x})[0];
  CHECK(values(second)[0] == doctest::Approx(20 * e));
  CHECK(values(second)[1] == doctest::Approx((2 + 2 * 2) * e));
}

TEST_CASE("gradients() with respect to the base's source through CopySlices") {
  const Tensor x = tensor({1, 2}, true), w = scalar(3, true);
  Tensor y = mul(x, scalar(1));
  Tensor part = select(y, 0);
  mul_(part, w);
  CHECK(values(gradients({sum(y)}, {x}, {}, {.retain_graph = true})[0]) == Values{3, 1});
  CHECK(value(gradients({sum(y)}, {w})[0]) == 1);
  CHECK(contains(message([&] { gradients({sum(y)}, {w}); }), "a second time"));
}

TEST_CASE("leaves and their views may not be written where that is recorded") {
  Tensor x = tensor({1, 2}, true);
  Tensor view = select(x, 0);
  CHECK(message([&] { mul_(x, x); }) ==
        "a leaf Variable that requires grad is being used in an in-place operation.");
  CHECK(message([&] { fill_(view, 1); }) ==
        "a view of a leaf Variable that requires grad is being used in an in-place operation.");
  NoGradGuard no_grad;
  fill_(x, 3);
  CHECK(values(x) == Values{3, 3});
}

TEST_CASE("one of several views may not be written") {
  const Tensor x = tensor({1, 2}, true);
  Tensor y = mul(x, scalar(1));
  auto parts = unbind(y);
  CHECK(starts_with(message([&] { fill_(parts[1], 0); }),
                    "Output 1 of UnbindBackward0 is a view and is being modified inplace with grad "
                    "mode enabled. This view is the output of a function that returns multiple "
                    "views."));
  fill_(y, 1);
  CHECK(
      starts_with(message([&] { mul(parts[0], x); }),
                  "Output 0 of UnbindBackward0 is a view and its base or another view of its base "
                  "has been modified inplace."));
}

TEST_CASE("views made in no_grad mode are not written outside of it") {
  const Tensor x = tensor({1, 2}, true);
  Tensor y = mul(x, scalar(1));
  Tensor view, view_of_view;
  {
    NoGradGuard no_grad;
    view = select(as_strided(y, {2, 1}, {1, 1}, 0), 0);
  }
  view_of_view = select(view, 0);
  CHECK(view.requires_grad());  // its base does
  CHECK(starts_with(message([&] { mul_(view, x); }),
                    "A view was created in no_grad mode and is being modified inplace"));
  const std::string text = message([&] { mul_(view_of_view, x); });
  CAPTURE(text);
  CHECK(text.find("view") != std::string::npos);
  CHECK(text.find("is being modified inplace with grad mode enabled") != std::string::npos);
  CHECK(text.find("no_grad mode") != std::string::npos);
  CHECK(view.is_view());
}

TEST_CASE("detaching in place") {
  const Tensor x = tensor({1, 2}, true);
  Tensor y = mul(x, x);
  CHECK(
      starts_with(message([&] { detach_history(select(y, 0)); }), "Can't detach views in-place."));
  detach_history(y);
  CHECK_FALSE(y.requires_grad());
  CHECK(is_leaf(y));
  fill_(y, 0);
}

TEST_CASE("an out argument and gradients do not go together") {
  check_out_no_grad("add", false);
  CHECK(message([] { check_out_no_grad("add", true); }) ==
        "add(): functions with out=... arguments don't support automatic differentiation, but one "
        "of the arguments requires grad.");
}

TEST_CASE("views in inference mode") {
  register_operators();
  Tensor x = tensor({1, 2});
  const Tensor w = scalar(2, true);
  Tensor view, own;
  {
    InferenceModeGuard guard;
    view = select(x, 0);
    own = select(mul(x, x), 0);
    CHECK_FALSE(view.is_inference());
    CHECK(own.is_inference());
    fill_(view, 4);  // a write to a normal tensor is counted
  }
  CHECK(x.version() == 1);
  CHECK(contains(message([&] { mul_(view, w); }), "created in inference mode"));
}

}  // namespace
}  // namespace opweave::test

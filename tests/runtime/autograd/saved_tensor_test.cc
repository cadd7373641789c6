// Saved tensors: version checks and their message, outputs, user hooks.
#include <doctest/doctest.h>

#include <cmath>

#include "runtime/autograd/api.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

TEST_CASE("a modified saved tensor: who made it, who saved it, who changed it") {
  const Tensor x = tensor({1, 2, 3}, true);
  Tensor a = mul(x, x);
  const Tensor y = exp(mul(a, a));
  add_(a, x);
  fill_(a, 1);
  CHECK(message([&] { backward({sum(y)}); }) ==
        "one of the variables needed for gradient computation has been modified by an inplace "
        "operation: [Double [3]], which is output 0 of FillBackward0, is at version 2; expected "
        "version 0 instead. MulBackward0 saved it; the last in-place operation on it was 'fill_'. "
        "Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
        "with opweave.autograd.set_detect_anomaly(True).");
}

TEST_CASE("a modified output") {
  const Tensor x = scalar(1, true);
  Tensor y = exp(x);
  mul_(y, scalar(2));
  const std::string text = message([&] { backward({y}); });
  CHECK(contains(text,
                 "[Double []], which is output 0 of ExpBackward0, is at version 1; expected "
                 "version 0 instead. ExpBackward0 saved it"));
}

TEST_CASE("a modified leaf and a modified view count as well") {
  const Tensor x = tensor({1, 2}, true);
  const Tensor y = mul(x, x);
  {
    NoGradGuard no_grad;
    Tensor part = select(x, 0);
    fill_(part, 7);
  }
  CHECK(contains(message([&] { backward({sum(y)}); }), "[Double [2]] is at version 1; expected"));
}

TEST_CASE("a change of what was not saved does no harm") {
  const Tensor x = scalar(3, true);
  Tensor y = mul(x, x);
  mul_(y, scalar(2));  // mul saves its inputs, not its result
  backward({y});
  CHECK(value(grad_of(x)) == 12);
}

TEST_CASE("a saved output does not keep its node alive") {
  const Tensor x = scalar(1, true);
  const Counter freed;
  {
    const Tensor y = exp(x);
    grad_fn(y)->add_pre_hook([guard = std::shared_ptr<int>(new int, [freed](int* p) {
                                freed.add();
                                delete p;
                              })](TensorVec&) {});
  }
  CHECK(freed.count() == 1);
}

struct Halved : PackedTensor {
  explicit Halved(Tensor t) : half(std::move(t)) {}
  Tensor unpack() override { return mul(half, scalar(2)); }
  Tensor half;
};
struct HalvingHooks : SavedTensorHooks {
  explicit HalvingHooks(Counter c) : packed(std::move(c)) {}
  intrusive_ptr<PackedTensor> pack(const Tensor& t) override {
    packed.add();
    CHECK_FALSE(t.requires_grad());
    return make_intrusive<Halved>(mul(t, scalar(0.5)));
  }
  Counter packed;
};

TEST_CASE("saved tensor hooks see inputs and outputs") {
  const Tensor x = scalar(1, true);
  const Counter packed;
  Tensor y;
  {
    SavedTensorHooksGuard guard(make_intrusive<HalvingHooks>(packed));
    y = exp(mul(x, x));
  }
  mul(x, x);  // outside: not packed
  CHECK(packed.count() == 3);
  const Tensor dy = gradients({y}, {x}, {}, {.create_graph = true})[0];  // 2 x exp(x^2)
  CHECK(value(dy) == doctest::Approx(2 * std::exp(1.0)));
  CHECK(value(gradients({dy}, {x})[0]) == doctest::Approx(6 * std::exp(1.0)));
  CHECK(message([] { pop_saved_tensor_hooks(); }) == "there are no saved tensor hooks in force");
}

struct FailingHooks : SavedTensorHooks {
  intrusive_ptr<PackedTensor> pack(const Tensor&) override { OW_THROW(ErrorKind::kValue, "full"); }
};

TEST_CASE("a hook that throws leaves hooks in force") {
  const Tensor x = scalar(1, true);
  SavedTensorHooksGuard guard(make_intrusive<FailingHooks>());
  for (int i = 0; i < 2; ++i) CHECK(message([&] { exp(x); }) == "full");
}

TEST_CASE("lists of saved tensors") {
  const Tensor x = scalar(1), y = tensor({1, 2});
  auto saved = save_list(std::vector<Tensor>{x, Tensor(), y});
  const auto tensors = unpack_list(saved, nullptr);
  CHECK(tensors[0].is_same(x));
  CHECK_FALSE(tensors[1].defined());
  CHECK(tensors[2].is_same(y));
}

}  // namespace
}  // namespace opweave::test

// Backward nodes and autograd kernels of the handwritten operators, in the shape of generated code.
#include "runtime/autograd/generated.h"
#include "runtime/core/devices/free_list.h"
#include "tests/runtime/autograd/operator_entries.h"
#include "tests/runtime/autograd/operators.h"

namespace opweave::test {
namespace {

template <class Call>
auto below_autograd(Call call) {
  BelowAutograd guard;
  return call();
}

struct AddBackward0 final : Node, Recycled<AddBackward0> {
  const char* name() const override { return "AddBackward0"; }
  TensorVec apply(TensorVec&& grads) override {
    TensorVec inputs(2);
    if (should_compute_output(0)) inputs[0] = grads[0];
    if (should_compute_output(1)) inputs[1] = grads[0];
    return inputs;
  }
};

Tensor add_autograd(const Tensor& a, const Tensor& b, const Scalar& alpha) {
  intrusive_ptr<AddBackward0> node;
  if (compute_requires_grad(a, b)) {
    node = make_node<AddBackward0>();
    node->collect_next_edges(a, b);
  }
  Tensor result = below_autograd([&] { return add_op::call(a, b, alpha); });
  if (node) set_history(result, node);
  return result;
}

Tensor& add_inplace_autograd(Tensor& a, const Tensor& b, const Scalar& alpha) {
  const bool record = compute_requires_grad(a, b);
  check_inplace(a, record);
  intrusive_ptr<AddBackward0> node;
  if (record) {
    node = make_node<AddBackward0>();
    node->collect_next_edges(a, b);
  }
  below_autograd([&] { return &add__op::call(a, b, alpha); });
  if (node) rebase_history(a, node);
  return a;
}

struct MulBackward0 final : Node, Recycled<MulBackward0> {
  const char* name() const override { return "MulBackward0"; }
  SavedTensor self_, other_;
  bool released_ = false;
  void release_saved() override {
    released_ = true;
    self_.reset();
    other_.reset();
  }
  TensorVec apply(TensorVec&& grads) override {
    if (released_) fail_released(name());
    TensorVec inputs(2);
    if (!grads[0].defined()) return inputs;
    if (should_compute_output(0)) inputs[0] = mul_op::call(grads[0], other_.unpack(this));
    if (should_compute_output(1)) inputs[1] = mul_op::call(grads[0], self_.unpack(this));
    return inputs;
  }
};

Tensor mul_autograd(const Tensor& a, const Tensor& b) {
  intrusive_ptr<MulBackward0> node;
  if (compute_requires_grad(a, b)) {
    node = make_node<MulBackward0>();
    node->collect_next_edges(a, b);
    node->self_ = SavedTensor(a, false);
    node->other_ = SavedTensor(b, false);
  }
  Tensor result = below_autograd([&] { return mul_op::call(a, b); });
  if (node) set_history(result, node);
  return result;
}

Tensor copy_of(const Tensor& t) { return engine_ops::convert(t, t.dtype(), t.device()); }

Tensor& mul_inplace_autograd(Tensor& a, const Tensor& b) {
  const bool record = compute_requires_grad(a, b);
  check_inplace(a, record);
  intrusive_ptr<MulBackward0> node;
  if (record) {
    node = make_node<MulBackward0>();
    node->collect_next_edges(a, b);
    node->self_ = SavedTensor(copy_of(a), false);
    node->other_ = SavedTensor(b, false);
  }
  below_autograd([&] { return &mul__op::call(a, b); });
  if (node) rebase_history(a, node);
  return a;
}

struct ExpBackward0 final : Node, Recycled<ExpBackward0> {
  const char* name() const override { return "ExpBackward0"; }
  SavedTensor result_;
  bool released_ = false;
  void release_saved() override {
    released_ = true;
    result_.reset();
  }
  TensorVec apply(TensorVec&& grads) override {
    if (released_) fail_released(name());
    TensorVec inputs(1);
    inputs[0] = mul_op::call(grads[0], result_.unpack(this));
    return inputs;
  }
};

Tensor exp_autograd(const Tensor& a) {
  intrusive_ptr<ExpBackward0> node;
  if (compute_requires_grad(a)) {
    node = make_node<ExpBackward0>();
    node->collect_next_edges(a);
  }
  Tensor result = below_autograd([&] { return exp_op::call(a); });
  if (node) {
    set_history(result, node);
    node->result_ = SavedTensor(result, true);
  }
  return result;
}

Tensor& exp_inplace_autograd(Tensor& a) {
  const bool record = compute_requires_grad(a);
  check_inplace(a, record);
  intrusive_ptr<ExpBackward0> node;
  if (record) {
    node = make_node<ExpBackward0>();
    node->collect_next_edges(a);
  }
  below_autograd([&] { return &exp__op::call(a); });
  if (node) {
    rebase_history(a, node);
    node->result_ = SavedTensor(a, true);
  }
  return a;
}

// A node that is a function of the gradient and of one saved input.
template <class Tag>
struct Unary final : Node, Recycled<Unary<Tag>> {
  const char* name() const override { return Tag::name; }
  SavedTensor self_;
  DimVector sizes_;
  void release_saved() override { self_.reset(); }
  TensorVec apply(TensorVec&& grads) override {
    TensorVec inputs(1);
    if (grads[0].defined()) inputs[0] = Tag::backward(grads[0], *this);
    return inputs;
  }
};

struct LogTag {
  static constexpr const char* name = "LogBackward0";
  static Tensor backward(const Tensor& grad, Unary<LogTag>& node) {
    return mul_op::call(grad, reciprocal_op::call(node.self_.unpack(&node)));
  }
};
struct SumTag {
  static constexpr const char* name = "SumBackward0";
  static Tensor backward(const Tensor& grad, Unary<SumTag>& node) {
    return expand_op::call(grad, node.sizes_);
  }
};
struct ExpandTag {
  static constexpr const char* name = "ExpandBackward0";
  static Tensor backward(const Tensor& grad, Unary<ExpandTag>& node) {
    return sum_to_size_op::call(grad, node.sizes_);
  }
};
struct SumToSizeTag {
  static constexpr const char* name = "SumToSizeBackward0";
  static Tensor backward(const Tensor& grad, Unary<SumToSizeTag>& node) {
    return expand_op::call(grad, node.sizes_);
  }
};

template <class Tag, class Op, class... Args>
Tensor unary_autograd(const Tensor& a, Args... args) {
  intrusive_ptr<Unary<Tag>> node;
  if (compute_requires_grad(a)) {
    node = make_node<Unary<Tag>>();
    node->collect_next_edges(a);
    node->self_ = SavedTensor(a, false);
    node->sizes_ = DimVector(a.sizes());
  }
  Tensor result = below_autograd([&] { return Op::call(a, args...); });
  if (node) set_history(result, node);
  return result;
}

struct CopyBackwards final : Node, Recycled<CopyBackwards> {
  const char* name() const override { return "CopyBackwards"; }
  TensorVec apply(TensorVec&& grads) override {
    TensorVec inputs(2);
    if (should_compute_output(0)) inputs[0] = zeros_for_input(*this, 0, grads[0]);
    if (should_compute_output(1)) inputs[1] = grads[0];
    return inputs;
  }
};

Tensor& copy_autograd(Tensor& a, const Tensor& b, bool non_blocking) {
  const bool record = compute_requires_grad(a, b);
  check_inplace(a, record);
  intrusive_ptr<CopyBackwards> node;
  if (record) {
    node = make_node<CopyBackwards>();
    node->collect_next_edges(a, b);
  }
  below_autograd([&] { return &copy__op::call(a, b, non_blocking); });
  if (node) rebase_history(a, node);
  return a;
}

struct FillBackward0 final : Node, Recycled<FillBackward0> {
  const char* name() const override { return "FillBackward0"; }
  TensorVec apply(TensorVec&& grads) override {
    TensorVec inputs(1);
    inputs[0] = zeros_for_input(*this, 0, grads[0]);
    return inputs;
  }
};

Tensor& fill_autograd(Tensor& a, const Scalar& value) {
  const bool record = compute_requires_grad(a);
  check_inplace(a, record);
  intrusive_ptr<FillBackward0> node;
  if (record) {
    node = make_node<FillBackward0>();
    node->collect_next_edges(a);
  }
  below_autograd([&] { return &fill__op::call(a, value); });
  if (node) rebase_history(a, node);
  return a;
}

struct Place {
  DimVector sizes, strides;
  int64_t offset = 0;
};
Place place_of(const Tensor& t) {
  return {DimVector(t.sizes()), DimVector(t.strides()), t.storage_offset()};
}
Tensor scattered(const Tensor& grad, const Place& from, const Place& to) {
  Tensor whole = make_tensor_strided(from.sizes, from.strides, grad.dtype(), grad.device());
  engine_ops::fill_(whole, 0);
  Tensor part = as_strided_op::call(whole, to.sizes, to.strides, to.offset - from.offset);
  engine_ops::copy_(part, grad, false);
  return whole;
}

struct AsStridedBackward0 final : Node, Recycled<AsStridedBackward0> {
  const char* name() const override { return "AsStridedBackward0"; }
  Place from_, to_;
  TensorVec apply(TensorVec&& grads) override {
    TensorVec inputs(1);
    if (grads[0].defined()) inputs[0] = scattered(grads[0], from_, to_);
    return inputs;
  }
};

Tensor as_strided_autograd(const Tensor& a, IntList sizes, IntList strides,
                           std::optional<int64_t> offset) {
  intrusive_ptr<AsStridedBackward0> node;
  if (compute_requires_grad(a)) {
    node = make_node<AsStridedBackward0>();
    node->collect_next_edges(a);
    node->from_ = place_of(a);
  }
  Tensor result = below_autograd([&] { return as_strided_op::call(a, sizes, strides, offset); });
  if (node) {
    node->to_ = place_of(result);
    set_history(result, node);
  }
  return result;
}

struct UnbindBackward0 final : Node, Recycled<UnbindBackward0> {
  const char* name() const override { return "UnbindBackward0"; }
  Place from_;
  std::vector<Place> to_;
  TensorVec apply(TensorVec&& grads) override {
    TensorVec inputs(1);
    for (size_t i = 0; i < to_.size(); ++i) {
      if (!grads[i].defined()) continue;
      Tensor whole = scattered(grads[i], from_, to_[i]);
      inputs[0] = inputs[0].defined() ? add_op::call(inputs[0], whole, 1) : whole;
    }
    return inputs;
  }
};

std::vector<Tensor> unbind_autograd(const Tensor& a) {
  intrusive_ptr<UnbindBackward0> node;
  if (compute_requires_grad(a)) {
    node = make_node<UnbindBackward0>();
    node->collect_next_edges(a);
    node->from_ = place_of(a);
  }
  auto result = below_autograd([&] { return unbind_op::call(a); });
  if (node) {
    for (const Tensor& t : result) node->to_.push_back(place_of(t));
    set_history(result, node);
  }
  return result;
}

template <class Op, class... Args>
Tensor& inplace_tracking(Tensor& a, Args... args) {
  {
    BelowADInplaceOrView guard;
    Op::call(a, args...);
  }
  increment_version(a, Op::def.name.data());
  return a;
}
template <class Op, class... Args>
auto view_tracking(const Tensor& a, Args... args) {
  auto result = [&] {
    BelowADInplaceOrView guard;
    return Op::call(a, args...);
  }();
  if constexpr (std::is_same_v<decltype(result), Tensor>) {
    as_view(a, result);
  } else {
    as_views(a, result);
  }
  return result;
}

}  // namespace

void define_autograd() {
  add_op::track(add_autograd);
  add__op::track(add_inplace_autograd, inplace_tracking<add__op, const Tensor&, const Scalar&>);
  mul_op::track(mul_autograd);
  mul__op::track(mul_inplace_autograd, inplace_tracking<mul__op, const Tensor&>);
  copy__op::track(copy_autograd, inplace_tracking<copy__op, const Tensor&, bool>);
  fill__op::track(fill_autograd, inplace_tracking<fill__op, const Scalar&>);
  exp_op::track(exp_autograd);
  exp__op::track(exp_inplace_autograd, inplace_tracking<exp__op>);
  log_op::track(unary_autograd<LogTag, log_op>);
  sum_op::track(unary_autograd<SumTag, sum_op>);
  expand_op::track(unary_autograd<ExpandTag, expand_op, IntList>,
                   view_tracking<expand_op, IntList>);
  sum_to_size_op::track(unary_autograd<SumToSizeTag, sum_to_size_op, IntList>);
  as_strided_op::track(as_strided_autograd,
                       view_tracking<as_strided_op, IntList, IntList, std::optional<int64_t>>);
  unbind_op::track(unbind_autograd, view_tracking<unbind_op>);
}

void register_operators() {
  static const bool once = (define_kernels(), define_autograd(), true);
  (void)once;
}

Tensor add(const Tensor& a, const Tensor& b) { return add_op::call(a, b, 1); }
Tensor& add_(Tensor& a, const Tensor& b) { return add__op::call(a, b, 1); }
Tensor mul(const Tensor& a, const Tensor& b) { return mul_op::call(a, b); }
Tensor& mul_(Tensor& a, const Tensor& b) { return mul__op::call(a, b); }
Tensor& fill_(Tensor& a, double value) { return fill__op::call(a, value); }
Tensor exp(const Tensor& a) { return exp_op::call(a); }
Tensor& exp_(Tensor& a) { return exp__op::call(a); }
Tensor log(const Tensor& a) { return log_op::call(a); }
Tensor sum(const Tensor& a) { return sum_op::call(a); }
Tensor select(const Tensor& a, int64_t i) {
  return as_strided_op::call(a, a.sizes().subspan(1), a.strides().subspan(1),
                             a.storage_offset() + i * a.stride(0));
}
std::vector<Tensor> unbind(const Tensor& a) { return unbind_op::call(a); }
Tensor as_strided(const Tensor& a, IntList sizes, IntList strides, int64_t offset) {
  return as_strided_op::call(a, sizes, strides, offset);
}

}  // namespace opweave::test

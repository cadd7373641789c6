// Backward over streams and devices whose work runs later: without the engine's order,
// ThreadSanitizer and the values say so.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "runtime/autograd/api.h"
#include "runtime/autograd/autograd_meta.h"
#include "runtime/dispatch/registry.h"
#include "runtime/target/copy.h"
#include "tests/kernels/target/heap_device.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

constexpr int64_t kSize = 256;

double* data(const Tensor& t) { return static_cast<double*>(t.raw_data()); }

// Runs later, on the current stream of the device of `to`; slowly, so that who does not wait is
// early.
template <class F>
void later(const Tensor& to, F f) {
  heap::enqueue(current_stream(to.device()), [p = data(to), f] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (int64_t i = 0; i < kSize; ++i) p[i] = f(i);
  });
}

Tensor add_kernel(const Tensor& a, const Tensor& b, const Scalar&) {
  Tensor sum = make_tensor(a.sizes(), kDouble, a.device());
  later(sum, [x = data(a), y = data(b)](int64_t i) { return x[i] + y[i]; });
  return sum;
}
Tensor& add__kernel(Tensor& a, const Tensor& b, const Scalar&) {
  later(a, [x = data(a), y = data(b)](int64_t i) { return x[i] + y[i]; });
  return a;
}
Tensor& copy__kernel(Tensor& to, const Tensor& from, bool) {
  copy_bytes({to.raw_data(), to.device(), from.raw_data(), from.device(), to.nbytes()});
  return to;
}

void set_kernel(const char* op, AnyKernel kernel) {
  find_operator(op)->set_kernel(backend_key(heap::target().type()), kernel);
}

Device device(int index) {
  static const bool once = [] {
    register_operators();
    register_target(heap::target());
    set_kernel("add.Tensor", reinterpret_cast<AnyKernel>(&add_kernel));
    set_kernel("add_.Tensor", reinterpret_cast<AnyKernel>(&add__kernel));
    set_kernel("copy_", reinterpret_cast<AnyKernel>(&copy__kernel));
    return true;
  }();
  static_cast<void>(once);
  return {heap::target().type(), static_cast<int8_t>(index)};
}

Tensor filled(Device where, double value) {
  Tensor t = make_tensor({kSize}, kDouble, where);
  later(t, [value](int64_t) { return value; });
  return t;
}

Tensor leaf(Device where) {
  Tensor t = filled(where, 1);
  set_requires_grad(t, true);
  return t;
}

// What comes back on the current stream.
std::vector<double> read(const Tensor& t) {
  const Tensor host = make_tensor({kSize}, kDouble, kCPU);
  copy_bytes({host.raw_data(), host.device(), t.raw_data(), t.device(), t.nbytes()});
  return {data(host), data(host) + kSize};
}

std::vector<double> all(double value) { return std::vector<double>(kSize, value); }

Tensor to(const Tensor& t, Device where) {
  Tensor moved = make_tensor({kSize}, kDouble, where);
  copy__kernel(moved, t, false);
  return moved;
}

struct Seen {
  Stream stream{Device(kCPU), 0};
  int current = -1;
};

// On `where`, whatever the device of x; its gradient is twice that of its result.
Tensor doubled(const Tensor& x, Device where, Seen* seen = nullptr) {
  const auto node = make_node<LambdaNode>([x_device = x.device(), where, seen](const TensorVec& g) {
    if (seen != nullptr) *seen = {current_stream(where), heap::target().current()};
    Tensor out = make_tensor({kSize}, kDouble, where);
    later(out, [p = data(g[0])](int64_t i) { return 2 * p[i]; });
    TensorVec inputs;
    inputs.push_back(out.device() == x_device ? out : to(out, x_device));
    return inputs;
  });
  node->collect_next_edges(x);
  const Tensor y = filled(where, 0);
  set_history(y, node);
  return y;
}

TEST_CASE("a node runs on the stream and the device of its forward operator") {
  const Tensor x = leaf(device(0));
  const Stream side = Stream::make(device(0)), other = Stream::make(device(2));
  Seen first, second;
  Tensor y, z;
  {
    const StreamGuard guard(side);
    y = doubled(x, device(0), &first);
  }
  {
    const StreamGuard guard(other);
    z = doubled(y, device(2), &second);
  }
  backward({z}, {filled(device(2), 1)});
  CHECK(first.stream == side);
  CHECK(second.stream == other);
  CHECK(first.current == 0);
  CHECK(second.current == 2);
  CHECK(heap::target().current() == 0);
  CHECK(current_stream(device(0)).id() == kDefaultStream);
  CHECK(read(grad_of(x)) == all(4));
}

TEST_CASE("gradients are there for the caller's stream, whatever stream made them") {
  for (int i = 0; i < 10; ++i) {
    const Tensor x = leaf(device(0));
    Tensor y = x;
    for (int k = 0; k < 4; ++k) {
      const StreamGuard guard(Stream::make(device(0)));
      y = doubled(y, device(0));
    }
    backward({y}, {filled(device(0), 1)});
    CHECK(read(grad_of(x)) == all(16));
  }
}

TEST_CASE("leaves that lie on streams of their own are joined at the end") {
  const Stream side = Stream::make(device(1));
  Tensor x;
  intrusive_ptr<Node> accumulator;  // made there, and so of that stream
  {
    const StreamGuard guard(side);
    x = leaf(device(1));
    accumulator = grad_accumulator(x);
    backward({doubled(x, device(1))}, {filled(device(1), 1)});
  }
  current_stream(device(1)).wait(side);
  backward({doubled(x, device(1))}, {filled(device(1), 1)});
  CHECK(read(grad_of(x)) == all(4));
}

TEST_CASE("branches on several streams are added up") {
  for (int i = 0; i < 10; ++i) {
    const Tensor x = leaf(device(0));
    std::vector<Tensor> branches, grads;
    for (int k = 0; k < 4; ++k) {
      const StreamGuard guard(Stream::make(device(0)));
      branches.push_back(doubled(x, device(0)));
    }
    for (int k = 0; k < 4; ++k) grads.push_back(filled(device(0), 1));
    backward(branches, grads);
    CHECK(read(grad_of(x)) == all(8));
    backward({doubled(x, device(0))}, {filled(device(0), 1)});
    CHECK(read(grad_of(x)) == all(10));
  }
}

TEST_CASE("devices have threads of their own, which use the streams of forward and caller") {
  for (int i = 0; i < 10; ++i) {
    const Tensor x = leaf(device(0));
    const Stream mine = Stream::make(device(0));
    mine.wait(current_stream(device(0)));
    Seen seen;
    const StreamGuard guard(mine);
    const Tensor a = doubled(doubled(x, device(1)), device(3));
    Tensor b;
    {
      const StreamGuard other(Stream::make(device(2)));
      b = doubled(x, device(2), &seen);
    }
    backward({a, b}, {filled(device(3), 1), filled(device(2), 1)});
    CHECK(seen.stream.id() != kDefaultStream);
    CHECK(seen.current == 2);
    CHECK(read(grad_of(x)) == all(6));
  }
}

TEST_CASE("captured gradients are joined as well") {
  const Tensor x = leaf(device(0));
  const Stream side = Stream::make(device(0));
  side.wait(current_stream(device(0)));
  Tensor y, z;
  {
    const StreamGuard guard(side);
    y = doubled(x, device(0));
    z = doubled(y, device(0));
  }
  const auto found = gradients({z}, {y}, {filled(device(0), 1)});
  CHECK(read(found[0]) == all(2));
}

TEST_CASE("an error leaves streams and devices as they were") {
  const Tensor x = leaf(device(0));
  Tensor y;
  {
    const StreamGuard guard(Stream::make(device(3)));
    const auto node = make_node<LambdaNode>(
        [](const TensorVec&) -> TensorVec { OW_THROW(ErrorKind::kValue, "no gradient"); });
    node->collect_next_edges(x);
    y = filled(device(3), 0);
    set_history(y, node);
  }
  CHECK(message([&] { backward({y}, {filled(device(3), 1)}); }) == "no gradient");
  CHECK(heap::target().current() == 0);
  CHECK(current_streams().count == 0);
}

}  // namespace
}  // namespace opweave::test

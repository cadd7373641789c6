// Backward from several threads, from inside nodes, and across devices.
#include <doctest/doctest.h>

#include <cmath>
#include <latch>
#include <map>
#include <mutex>
#include <thread>

#include "runtime/autograd/api.h"
#include "runtime/autograd/autograd_meta.h"
#include "runtime/target/target.h"
#include "tests/runtime/autograd/operators.h"
#include "tests/runtime/autograd/support.h"

namespace opweave::test {
namespace {

template <class F>
void in_threads(int n, F f) {
  std::latch start(n);
  std::vector<std::thread> threads;
  for (int i = 0; i < n; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      f(i);
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST_CASE("threads with graphs of their own accumulate into shared leaves") {
  const Tensor x = tensor({1, 2}, true), y = tensor({3, 4}, true);
  constexpr int kThreads = 4, kSteps = 200;
  in_threads(kThreads, [&](int) {
    for (int i = 0; i < kSteps; ++i) backward({sum(add(mul(x, y), x))});
  });
  CHECK(values(grad_of(x)) ==
        std::vector<double>{4.0 * kThreads * kSteps, 5.0 * kThreads * kSteps});
  CHECK(values(grad_of(y)) ==
        std::vector<double>{1.0 * kThreads * kSteps, 2.0 * kThreads * kSteps});
}

TEST_CASE("threads go through one graph that is kept") {
  const Tensor x = scalar(2, true);
  const Tensor y = exp(mul(mul(x, x), x));
  in_threads(4, [&](int) {
    for (int i = 0; i < 100; ++i) backward({y}, {}, /*retain_graph=*/true);
  });
  CHECK(value(grad_of(x)) == doctest::Approx(400 * 12 * std::exp(8.0)));
}

TEST_CASE("accumulators die and are made while others look for them") {
  const Tensor x = scalar(2, true);
  in_threads(4, [&](int) {
    for (int i = 0; i < 5000; ++i) {
      auto a = grad_accumulator(x);
      auto b = try_grad_accumulator(x);
      CHECK(a == b);
    }
  });
  CHECK_FALSE(try_grad_accumulator(x));
}

TEST_CASE("hooks come and go while another thread runs them") {
  const Tensor x = scalar(2, true);
  register_hook(x, [](const Tensor&) { return Tensor(); });
  in_threads(3, [&](int i) {
    for (int k = 0; k < 200; ++k) {
      if (i == 0) {
        backward({mul(x, x)});
      } else {
        auto handle = register_hook(x, [](const Tensor&) { return Tensor(); });
        handle.remove();
      }
    }
  });
  CHECK(value(grad_of(x)) == 800);
}

Tensor nested(const Tensor& x, int depth) {
  return recorded({x}, [x, depth](const TensorVec& grads) {
    if (depth > 0) {
      const Tensor inner = scalar(1, true);
      backward({nested(inner, depth - 1)});
      CHECK(value(grad_of(inner)) == 1);
    }
    TensorVec inputs;
    inputs.push_back(grads[0]);
    return inputs;
  });
}

TEST_CASE("backward inside backward, deeper than one thread goes") {
  const Tensor x = scalar(1, true);
  backward({nested(x, 300)});
  CHECK(value(grad_of(x)) == 1);
}

TEST_CASE("an inner backward through the same leaf, and errors from deep inside") {
  const Tensor x = scalar(3, true);
  const Tensor y = recorded({x}, [&](const TensorVec& grads) {
    GradModeGuard recording(true);
    backward({mul(x, x)});
    TensorVec inputs;
    inputs.push_back(grads[0]);
    return inputs;
  });
  backward({y});
  CHECK(value(grad_of(x)) == 7);

  std::function<Tensor(int)> failing = [&](int depth) {
    return recorded({x}, [&, depth](const TensorVec&) -> TensorVec {
      OW_CHECK_VALUE(depth > 0, "the innermost fails");
      backward({failing(depth - 1)});
      return {};
    });
  };
  CHECK(message([&] { backward({failing(120)}); }) == "the innermost fails");
  backward({mul(x, x)});
}

// --- devices -------------------------------------------------------------------------------------
// Nodes that claim to work on a device, by the device of the tensors that they made.
Tensor on_device(const Tensor& x, Device device, LambdaNode::Function f) {
  const auto node = make_node<LambdaNode>([f, device](const TensorVec& grads) { return f(grads); });
  node->collect_next_edges(x);
  const Tensor y(make_intrusive<TensorImpl>(x.storage(), x.dtype(), device, x.sizes()));
  set_history(y, node);
  return y;
}

// A gradient on the device where the node's input was made.
TensorVec moved(const TensorVec& grads, Device device) {
  TensorVec inputs;
  const Tensor& g = grads[0];
  inputs.emplace_back(make_intrusive<TensorImpl>(g.storage(), g.dtype(), device, g.sizes()));
  return inputs;
}

Tensor one_on(Device device) {
  const Tensor one = scalar(1);
  return Tensor(make_intrusive<TensorImpl>(one.storage(), kDouble, device, IntList{}));
}

// Nothing is allocated or run there.
class TestTarget final : public Target {
 public:
  explicit TestTarget(const char* name)
      : Target(name, Kind::kAccelerator, devices_of(kCPU).allocator()) {
    register_target(*this);
  }
};

struct TwoDevices {
  static Device of(const char* name) {
    Target* target = find_target(name);
    if (target == nullptr) target = new TestTarget(name);
    return {target->type(), 0};
  }
  Device a = of("test_a"), b = of("test_b");
};

TEST_CASE("nodes of two devices run on two threads, those of the CPU on the caller's") {
  const TwoDevices devices;
  const Tensor x = scalar(1, true);
  std::mutex mutex;
  std::map<std::string, std::thread::id> ran_on;
  auto note = [&](const char* name) {
    std::lock_guard lock(mutex);
    ran_on[name] = std::this_thread::get_id();
  };
  const Tensor a = on_device(x, devices.a, [&](const TensorVec& g) {
    note("a");
    return moved(g, kCPU);
  });
  const Tensor b = on_device(x, devices.b, [&](const TensorVec& g) {
    note("b");
    return moved(g, kCPU);
  });
  const Tensor c = recorded({x}, [&](const TensorVec& g) {
    note("cpu");
    return moved(g, kCPU);
  });
  for (int i = 0; i < 50; ++i) {
    backward({a, b, c}, {one_on(devices.a), one_on(devices.b), scalar(1)}, true);
  }
  CHECK(value(grad_of(x)) == 150);
  CHECK(ran_on["cpu"] == std::this_thread::get_id());
  CHECK(ran_on["a"] != ran_on["cpu"]);
  CHECK(ran_on["b"] != ran_on["cpu"]);
  CHECK(ran_on["a"] != ran_on["b"]);
}

TEST_CASE("one device needs no second thread") {
  const TwoDevices devices;
  const Tensor x = scalar(1, true);
  std::thread::id ran_on;
  const Tensor a = on_device(x, devices.a, [&](const TensorVec& g) {
    ran_on = std::this_thread::get_id();
    return moved(g, kCPU);
  });
  backward({a}, {one_on(devices.a)});
  CHECK(ran_on == std::this_thread::get_id());
}

TEST_CASE("backward calls from the threads of two devices into each other") {
  const TwoDevices devices;
  std::function<Tensor(const Tensor&, Device, int)> node = [&](const Tensor& x, Device device,
                                                               int depth) {
    return on_device(x, device, [&, depth](const TensorVec& g) {
      if (depth > 0) {
        const Tensor inner = scalar(1, true);
        backward({node(inner, devices.a, depth - 1), node(inner, devices.b, depth - 1)},
                 {one_on(devices.a), one_on(devices.b)});
        CHECK(value(grad_of(inner)) == 2);
      }
      return moved(g, kCPU);
    });
  };
  in_threads(2, [&](int) {
    const Tensor x = scalar(1, true);
    for (int i = 0; i < 10; ++i) {
      backward({node(x, devices.a, 4), node(x, devices.b, 4)},
               {one_on(devices.a), one_on(devices.b)});
    }
    CHECK(value(grad_of(x)) == 20);
  });
}

TEST_CASE("an error on a device's thread reaches the caller") {
  const TwoDevices devices;
  const Tensor x = scalar(1, true);
  const Tensor a = on_device(x, devices.a, [&](const TensorVec&) -> TensorVec {
    OW_THROW(ErrorKind::kValue, "device failed");
  });
  const Tensor b = on_device(x, devices.b, [&](const TensorVec& g) { return moved(g, kCPU); });
  for (int i = 0; i < 20; ++i) {
    CHECK(message([&] {
            backward({a, b}, {one_on(devices.a), one_on(devices.b)}, true);
          }) == "device failed");
  }
  backward({mul(x, x)});
}

}  // namespace
}  // namespace opweave::test

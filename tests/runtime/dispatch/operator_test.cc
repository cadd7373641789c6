// Dispatch: precedence, thread-local keys, boxed kernels and fallbacks, removal, messages.
#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "tests/runtime/dispatch/test_operator.h"

using namespace opweave;
using namespace opweave::test;

namespace {

Tensor add_n(const Tensor& self, int64_t n) { return number(value_of(self) + n); }

// Takes every key of the operator away again.
struct Clean {
  ~Clean() {
    for (int i = 0; i < kNumDispatchKeys; ++i)
      Probe::entry.remove_kernel(static_cast<DispatchKey>(i));
  }
};

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Adds ten times what the kernels below give: shows that it ran, and that it ran outside.
template <DispatchKey key>
Tensor times_ten(const Tensor& self, int64_t n) {
  ExcludeDispatchKeys below(key);
  return number(10 * value_of(Probe::call(self, n)));
}

// A functionality above autograd.
DispatchKey mine() { return register_functionality("Mine"); }
Tensor times_ten_above(const Tensor& self, int64_t n) {
  ExcludeDispatchKeys below(mine());
  return number(10 * value_of(Probe::call(self, n)));
}

}  // namespace

TEST_CASE("a call reaches the kernel of the tensor's backend") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
}

TEST_CASE("a missing kernel names the operator, the target, what there is and what to do") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  const Tensor meta = make_tensor({2}, kFloat, kMeta);
  const std::string text = message_of([&] { Probe::call(meta, 1); });
  CHECK(contains(text, "Could not run 'probe' on the 'meta' target"));
  CHECK(contains(text, "It has kernels for: cpu"));
  CHECK(contains(text, "`expr` or `composite`"));
}

TEST_CASE("a call without tensors says so") {
  CHECK(contains(message_of([] { Probe::call(Tensor(), 1); }),
                 "probe(): there is no tensor among its arguments"));
}

TEST_CASE("functionality keys run in their order of precedence, above the backend") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  std::string order;
  static std::string* log;
  log = &order;
  set(DispatchKey::kAutograd, [](const Tensor& self, int64_t n) {
    *log += "autograd ";
    BelowAutograd guard;
    return Probe::call(self, n);
  });
  set(DispatchKey::kADInplaceOrView, [](const Tensor& self, int64_t n) {
    *log += "tracking ";
    BelowADInplaceOrView guard;
    return Probe::call(self, n);
  });
  static const DispatchKey upper = register_functionality("Upper");
  static const DispatchKey between = register_functionality("Between", {.above = "Autograd"});
  set(upper, [](const Tensor& self, int64_t n) {
    *log += "upper ";
    ExcludeDispatchKeys guard(upper);
    return Probe::call(self, n);
  });
  set(between, [](const Tensor& self, int64_t n) {
    *log += "between ";
    ExcludeDispatchKeys guard(between);
    return Probe::call(self, n);
  });
  Tensor leaf = number(1);
  leaf.impl()->set_requires_grad_flag(true);
  IncludeDispatchKeys include(DispatchKeySet(upper) | between);
  Probe::call(leaf, 1);
  CHECK(order == "upper between autograd tracking ");
}

TEST_CASE("a functionality without a kernel falls through") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  IncludeDispatchKeys include(mine());
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
}

TEST_CASE("excluding wins over including") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  set(mine(), &times_ten_above);
  IncludeDispatchKeys include(mine());
  CHECK(value_of(Probe::call(number(2), 3)) == 50);
  ExcludeDispatchKeys exclude(mine());
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
}

TEST_CASE("included keys belong to one thread") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  set(mine(), &times_ten_above);
  IncludeDispatchKeys include(mine());
  int64_t elsewhere = 0;
  std::thread([&] { elsewhere = value_of(Probe::call(number(2), 3)); }).join();
  CHECK(elsewhere == 5);
}

TEST_CASE("no_grad keeps calls away from autograd kernels") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  set(DispatchKey::kAutograd, &times_ten<DispatchKey::kAutograd>);
  Tensor leaf = number(1);
  leaf.impl()->set_requires_grad_flag(true);
  CHECK(value_of(Probe::call(leaf, 1)) == 20);
  {
    NoGradGuard no_grad;
    CHECK_FALSE(grad_enabled());
    CHECK(value_of(Probe::call(leaf, 1)) == 2);
    GradModeGuard again(true);
    CHECK(value_of(Probe::call(leaf, 1)) == 20);
  }
  CHECK(grad_enabled());
}

TEST_CASE("inference mode makes tensors without tracking keys") {
  InferenceModeGuard guard;
  const Tensor t = number(1);
  CHECK(t.is_inference());
  CHECK_FALSE(t.key_set().has(DispatchKey::kADInplaceOrView));
}

TEST_CASE("a composite kernel serves every backend that has none of its own") {
  const Clean clean;
  Probe::entry.set_composite_kernel(
      reinterpret_cast<AnyKernel>(+[](const Tensor&, int64_t n) { return number(n * 100); }));
  set(backend_key(kCPU), &add_n);
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
  CHECK(value_of(Probe::call(make_tensor({}, kLong, kMeta), 3)) == 300);
  Probe::entry.remove_kernel(backend_key(kCPU));
  CHECK(value_of(Probe::call(number(2), 3)) == 300);
  Probe::entry.set_composite_kernel(nullptr);
}

TEST_CASE("a boxed kernel sees arguments in schema order and replaces the typed one") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  Probe::entry.set_boxed_kernel(
      backend_key(kCPU), [](const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
        CHECK(op.full_name() == "probe");
        CHECK(keys.highest() == backend_key(kCPU));
        REQUIRE(stack.size() == 2);
        const int64_t result = value_of(stack[0].to_tensor()) - stack[1].to_int();
        stack = {IValue(number(result))};
      });
  CHECK(value_of(Probe::call(number(7), 3)) == 4);
  Probe::entry.remove_kernel(backend_key(kCPU));
  CHECK(contains(message_of([] { Probe::call(number(7), 3); }), "It has kernels for: nothing"));
}

TEST_CASE("a typed kernel can be called through the stack") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  Stack stack{IValue(number(4)), IValue(int64_t{5})};
  Probe::entry.call(stack);
  REQUIRE(stack.size() == 1);
  CHECK(value_of(stack[0].to_tensor()) == 9);
}

TEST_CASE("a boxed kernel that leaves the wrong number of results is an error") {
  const Clean clean;
  Probe::entry.set_boxed_kernel(backend_key(kCPU),
                                [](const OperatorEntry&, DispatchKeySet, Stack&) {});
  CHECK(contains(message_of([] { Probe::call(number(1), 1); }), "left 2 results instead of 1"));
}

TEST_CASE("a fallback serves registered operators without a kernel, and goes away again") {
  const Clean clean;
  OperatorEntry* const entries[] = {&Probe::entry};
  register_operators(entries);
  set(backend_key(kCPU), &add_n);
  const DispatchKey key = register_functionality("Counting");
  int calls = 0;
  register_fallback(key, [&](const OperatorEntry& op, DispatchKeySet, Stack& stack) {
    ++calls;
    ExcludeDispatchKeys below(key);
    op.call(stack);
  });
  {
    IncludeDispatchKeys include(key);
    CHECK(value_of(Probe::call(number(2), 3)) == 5);
  }
  CHECK(calls == 1);
  remove_fallback(key);
  {
    IncludeDispatchKeys include(key);
    CHECK(value_of(Probe::call(number(2), 3)) == 5);
  }
  CHECK(calls == 1);
  unregister_operator(Probe::entry);
  CHECK(find_operator("probe") == nullptr);
}

TEST_CASE("an operator is found by name, and a name is taken once") {
  OperatorEntry* const entries[] = {&Probe::entry};
  register_operators(entries);
  register_operators(entries);  // the same again is no error
  CHECK(find_operator("probe") == &Probe::entry);
  CHECK(find_overloads("probe").size() == 1);
  OperatorEntry other{probe_def};
  OperatorEntry* const others[] = {&other};
  CHECK(contains(message_of([&] { register_operators(others); }),
                 "operator 'probe' is registered already"));
  unregister_operator(Probe::entry);
}

TEST_CASE("keys have names, and names have keys") {
  CHECK(key_name(backend_key(kCPU)) == "cpu");
  CHECK(key_name(DispatchKey::kAutograd) == "Autograd");
  CHECK(parse_key("ADInplaceOrView") == DispatchKey::kADInplaceOrView);
  const DispatchKey key = mine();
  CHECK(register_functionality("Mine") == key);
  CHECK(parse_key("Mine") == key);
  CHECK(contains(message_of([] { parse_key("Nope"); }),
                 "unknown dispatch key 'Nope'; known: cpu, meta"));
}

TEST_CASE("kernels can be changed while other threads call") {
  const Clean clean;
  set(backend_key(kCPU), &add_n);
  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) {
      const int64_t v = value_of(Probe::call(number(1), 1));
      REQUIRE((v == 2 || v == 20));
    }
  });
  for (int i = 0; i < 200; ++i) {
    set(backend_key(kCPU), [](const Tensor&, int64_t) { return number(20); });
    set(backend_key(kCPU), &add_n);
  }
  stop = true;
  caller.join();
}

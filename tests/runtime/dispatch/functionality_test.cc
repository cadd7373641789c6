// Functionalities: places in the order of keys, rules for all operators, values of threads.
#include "runtime/dispatch/functionality.h"

#include <doctest/doctest.h>

#include <thread>

#include "runtime/core/base/error.h"
#include "tests/runtime/dispatch/test_operator.h"

namespace opweave::test {
namespace {

Tensor add_n(const Tensor& self, int64_t n) { return number(value_of(self) + n); }

TEST_CASE("a functionality lies where its place says, whoever came first") {
  const DispatchKey forward = register_functionality("F", {.above = "Autograd", .opt_in = true});
  const DispatchKey batched = register_functionality("B", {.above = "F Later"});
  const DispatchKey later = register_functionality("Later", {.above = "F"});
  const DispatchKey below = register_functionality("Below", {.below = "ADInplaceOrView"});
  const DispatchKey between =
      register_functionality("Tracking", {.above = "ADInplaceOrView", .below = "Autograd"});
  const DispatchKey top = register_functionality("Top");
  CHECK(DispatchKey::kAutograd < forward);
  CHECK(forward < later);
  CHECK(later < batched);
  CHECK(batched < top);
  CHECK(static_cast<int>(below) >= kMaxDeviceTypes);
  CHECK(below < DispatchKey::kADInplaceOrView);
  CHECK(DispatchKey::kADInplaceOrView < between);
  CHECK(between < DispatchKey::kAutograd);
  CHECK(register_functionality("Top") == top);
  CHECK(parse_key("Tracking") == between);
  CHECK(opt_in_keys().has(forward));
  CHECK_FALSE(opt_in_keys().has(batched));
}

TEST_CASE("a place that cannot be is refused in words") {
  register_functionality("Low", {.above = "Autograd"});
  register_functionality("High", {.above = "Low"});
  CHECK_THROWS_WITH_AS(register_functionality("Nowhere", {.above = "High", .below = "Low"}),
                       "there is no room for the functionality 'Nowhere' above High and below Low "
                       "in the order of dispatch keys",
                       Error);
}

TEST_CASE("an opt-in key counts where a thread asks for it") {
  const DispatchKey key = register_functionality("Asked", {.above = "Autograd", .opt_in = true});
  set(backend_key(kCPU), &add_n);
  set(key, [](const Tensor&, int64_t) { return number(-1); });
  Tensor t = number(2);
  t.impl()->set_keys(key, true);
  CHECK(value_of(Probe::call(t, 3)) == 5);
  {
    const ThreadStateGuard restore;
    thread_state().excluded = thread_state().excluded - key;
    CHECK(value_of(Probe::call(t, 3)) == -1);
  }
  CHECK(value_of(Probe::call(t, 3)) == 5);
  Probe::entry.remove_kernel(key);
}

TEST_CASE("a rule sees every operator, now and later, and goes by its record") {
  const DispatchKey key = register_functionality("Counted", {.above = "Autograd"});
  OperatorEntry* const entries[] = {&Probe::entry};
  register_operators(entries);
  set(backend_key(kCPU), &add_n);
  static int calls;
  calls = 0;
  register_rule(key, [](OperatorEntry& op, DispatchKey k) {
    if (op.record().arguments.size() != 2 || op.record().arguments[1].name != "n") return;
    op.set_boxed_kernel(k, [k](const OperatorEntry& o, DispatchKeySet, Stack& stack) {
      ++calls;
      const ExcludeDispatchKeys below(k);
      o.call(stack);
    });
  });
  static OperatorEntry other{probe_def};  // entries live as long as the program
  unregister_operator(Probe::entry);
  OperatorEntry* const others[] = {&other};
  register_operators(others);
  CHECK(Probe::entry.has_kernel(key));
  CHECK(other.has_kernel(key));
  const IncludeDispatchKeys include(key);
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
  CHECK(calls == 1);
  Probe::entry.remove_kernel(key);
  unregister_operator(other);
}

TEST_CASE("what functionalities keep for a thread is saved, restored and taken along") {
  struct Level final : RefCounted {
    explicit Level(int n) : number(n) {}
    const int number;
  };
  static constinit ThreadValue<int32_t> value;
  static constinit ThreadReference<Level> reference;
  CHECK(value.get() == 0);
  CHECK(reference.get() == nullptr);
  const auto level = make_intrusive<Level>(7);
  {
    const ThreadStateGuard restore;
    value.set(3);
    reference.set(level);
    CHECK(level->use_count() == 2);
    const SavedThreadState saved;
    int seen = 0, before = -1;
    std::thread([&] {
      before = value.get();
      const ThreadStateGuard guard(saved.state());
      seen = value.get() + reference.get()->number;
    }).join();
    CHECK(before == 0);
    CHECK(seen == 10);
  }
  CHECK(value.get() == 0);
  CHECK(reference.get() == nullptr);
  CHECK(level->use_count() == 1);
}

}  // namespace
}  // namespace opweave::test

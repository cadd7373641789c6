// Observers: what they are told of calls, in one thread and in all, and that they cost nothing
// else.
#include "runtime/dispatch/observer.h"

#include <doctest/doctest.h>

#include <thread>

#include "runtime/core/base/error.h"
#include "runtime/core/threads/parallel.h"
#include "tests/runtime/dispatch/test_operator.h"

namespace opweave::test {
namespace {

Tensor add_n(const Tensor& self, int64_t n) { return number(value_of(self) + n); }

struct Registered {
  Registered() {
    OperatorEntry* const entries[] = {&Probe::entry};
    register_operators(entries);
    set(backend_key(kCPU), &add_n);
  }
  ~Registered() {
    for (int i = 0; i < kNumDispatchKeys; ++i)
      Probe::entry.remove_kernel(static_cast<DispatchKey>(i));
    unregister_operator(Probe::entry);
  }
};

// Writes down what it is told.
class Log final : public CallObserver {
 public:
  explicit Log(bool values = false) : values_(values) {}
  bool wants_values() const override { return values_; }
  void begin(const ObservedCall& call) override {
    text += str("(", call.depth(), key_name(call.keys().highest()));
    if (call.arguments() != nullptr) text += str(" n=", (*call.arguments())[1].to_int());
    if (calls_itself) Probe::call(number(1), 1);
  }
  void end(const ObservedCall& call) noexcept override {
    if (call.results() != nullptr) text += str(" =", value_of((*call.results())[0].to_tensor()));
    text += call.failed() ? "!)" : ")";
  }
  std::string text;
  bool calls_itself = false;

 private:
  const bool values_;
};

TEST_CASE_FIXTURE(Registered,
                  "a thread's observer sees begin and end of its calls, and no others") {
  const auto log = std::make_shared<Log>();
  add_thread_observer(log);
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
  std::thread([] { Probe::call(number(2), 3); }).join();
  remove_thread_observer(*log);
  Probe::call(number(2), 3);
  CHECK(log->text == "(0cpu)");
}

TEST_CASE_FIXTURE(Registered, "arguments and results are packed for those who want them") {
  const auto log = std::make_shared<Log>(/*values=*/true);
  add_thread_observer(log);
  CHECK(value_of(Probe::call(number(2), 3)) == 5);
  remove_thread_observer(*log);
  CHECK(log->text == "(0cpu n=3 =5)");
}

TEST_CASE_FIXTURE(Registered, "calls inside of kernels are seen inside of theirs") {
  set(DispatchKey::kAutograd, [](const Tensor& self, int64_t n) {
    const BelowAutograd below;
    return Probe::call(Probe::call(self, n), n);
  });
  Tensor leaf = number(1);
  leaf.impl()->set_requires_grad_flag(true);
  const auto log = std::make_shared<Log>();
  add_thread_observer(log);
  CHECK(value_of(Probe::call(leaf, 2)) == 5);
  remove_thread_observer(*log);
  CHECK(log->text == "(0Autograd(1cpu)(1cpu))");
}

TEST_CASE_FIXTURE(Registered, "the end of a call that throws is told, and the exception goes on") {
  set(backend_key(kCPU),
      [](const Tensor&, int64_t) -> Tensor { OW_THROW(ErrorKind::kValue, "no"); });
  const auto log = std::make_shared<Log>(/*values=*/true);
  add_thread_observer(log);
  CHECK_THROWS_WITH_AS(Probe::call(number(2), 3), "no", Error);
  CHECK_THROWS_AS(Probe::call(make_tensor({}, kLong, kMeta), 3), Error);
  remove_thread_observer(*log);
  CHECK(log->text == "(0cpu n=3!)(0meta n=3!)");
}

TEST_CASE_FIXTURE(Registered, "boxed kernels and boxed calls are observed as well") {
  Probe::entry.set_boxed_kernel(backend_key(kCPU),
                                [](const OperatorEntry&, DispatchKeySet keys, Stack& stack) {
                                  CHECK_FALSE(keys.has_any(observer_keys()));
                                  stack = {IValue(number(7))};
                                });
  const auto log = std::make_shared<Log>(/*values=*/true);
  add_thread_observer(log);
  Stack stack{IValue(number(4)), IValue(int64_t{5})};
  Probe::entry.call(stack);
  remove_thread_observer(*log);
  CHECK(value_of(stack[0].to_tensor()) == 7);
  CHECK(log->text == "(0cpu n=5 =7)");
}

TEST_CASE_FIXTURE(Registered, "what an observer calls itself is not observed") {
  const auto log = std::make_shared<Log>();
  log->calls_itself = true;
  add_thread_observer(log);
  Probe::call(number(2), 3);
  remove_thread_observer(*log);
  CHECK(log->text == "(0cpu)");
}

TEST_CASE_FIXTURE(Registered,
                  "an observer of all threads sees running ones and operators to come") {
  const auto log = std::make_shared<Log>();
  add_global_observer(log);
  CHECK(observed_by_all());
  std::thread([] { Probe::call(number(2), 3); }).join();
  CHECK(log->text == "(0cpu)");
  unregister_operator(Probe::entry);
  Probe::entry.set_observed(false);
  OperatorEntry* const entries[] = {&Probe::entry};
  register_operators(entries);
  Probe::call(number(2), 3);
  remove_global_observer(*log);
  CHECK_FALSE(observed_by_all());
  Probe::call(number(2), 3);
  CHECK(log->text == "(0cpu)(0cpu)");
}

TEST_CASE_FIXTURE(Registered, "threads that work for a thread are observed with it") {
  struct Count final : CallObserver {
    void begin(const ObservedCall&) override { ++calls; }
    void end(const ObservedCall&) noexcept override { ++calls; }
    std::atomic<int> calls{0};
  };
  const auto count = std::make_shared<Count>();
  add_thread_observer(count);
  parallel_for(0, 64, 1, [](int64_t, int64_t) { Probe::call(number(2), 3); });
  const SavedThreadState state;
  std::thread([&] {
    const ThreadStateGuard guard(state.state());
    Probe::call(number(2), 3);
  }).join();
  remove_thread_observer(*count);
  CHECK(count->calls >= 4);
  CHECK(count->calls % 2 == 0);
}

TEST_CASE_FIXTURE(Registered,
                  "the thread's state is what decides, so a saved one brings observers back") {
  const auto log = std::make_shared<Log>();
  {
    const ThreadStateGuard restore;
    add_thread_observer(log);
  }
  Probe::call(number(2), 3);
  CHECK(log->text.empty());
  CHECK(log.use_count() == 1);
}

}  // namespace
}  // namespace opweave::test

// Groups from C++, on a backend that a program brings.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "kernels/initialize/initialize.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/distributed/backends/groups/group.h"
#include "runtime/distributed/backends/groups/make_group.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/hash_store.h"

using namespace opweave;
using namespace opweave::distributed;

namespace {

std::atomic<bool> let_go{false};

// Carries nothing out, and does not look at deadlines: as a call of a driver that hangs. Nor does
// its abort() return before.
class StuckBackend final : public Backend {
 public:
  std::string_view name() const override { return "stuck"; }
  int run(const Collective&, const Deadline&) override {
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 0;
  }
  std::string failure() const override { return aborted_ ? "it was aborted" : ""; }
  void abort(const std::string&) noexcept override {
    aborted_ = true;
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  void leave() noexcept override {}

 private:
  std::atomic<bool> aborted_{false};
};

// Does what it is asked for as soon as it may: at once, unless a test holds it.
class QuickBackend final : public Backend {
 public:
  std::atomic<bool> is_held{false};
  std::string_view name() const override { return "quick"; }
  int run(const Collective&, const Deadline&) override {
    while (is_held) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
  }
  std::string failure() const override { return {}; }
  void abort(const std::string&) noexcept override {}
  void leave() noexcept override {}
};

BackendContext context(const std::string& name) {
  return {std::make_shared<HashStore>(), name, 0, 1, Milliseconds(30'000)};
}

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const DistBackendError& e) {
    return e.message();
  }
}

}  // namespace

TEST_CASE("a backend that a program brings") {
  initialize();
  register_backend("stuck", [](const BackendContext&) { return std::make_shared<StuckBackend>(); });
  CHECK_THROWS_WITH_AS(register_backend("stuck", nullptr), doctest::Contains("stuck"), Error);
  CHECK_THROWS_WITH_AS(make_backend("stick", context("g")), doctest::Contains("stuck"), Error);

  Group group(context("g"), {{{}, make_backend("stuck", context("g"))}});
  const Tensor x = make_tensor({3}, kFloat, host_device());
  const auto began = Work::Clock::now();
  const WorkPtr work = group.start({.kind = CollectiveKind::kAllReduce,
                                    .inputs = {x},
                                    .outputs = {x},
                                    .timeout = Milliseconds(300),
                                    .async = true});
  std::atomic<bool> told{false};
  work->when_done([&] { told = true; });
  CHECK_THROWS_AS(work->wait(), DistBackendError);
  CHECK(Work::Clock::now() - began < std::chrono::milliseconds(2000));
  CHECK(text_of(work->exception()) ==
        "all_reduce(sum) of float32[3] (number 0 of its group): its backend has not given up after "
        "the timeout of 300ms");
  while (!told) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  let_go = true;  // what it returns now is nothing to anybody
}

TEST_CASE("a backend that hangs holds nobody up") {
  initialize();
  let_go = false;
  using std::chrono::milliseconds;
  const auto began = Work::Clock::now();
  const auto backend = std::make_shared<StuckBackend>();
  auto group = std::make_unique<Group>(context("h"), std::vector<Route>{{{}, backend}});
  const Tensor x = make_tensor({3}, kFloat, host_device());
  const auto call = [&](bool async) {
    return group->start({.kind = CollectiveKind::kAllReduce,
                         .inputs = {x},
                         .outputs = {x},
                         .timeout = milliseconds(300),
                         .async = async});
  };
  SUBCASE("who waits for it is told") {
    CHECK_THROWS_WITH_AS(call(false), doctest::Contains("has not given up after the timeout"),
                         DistBackendError);
  }
  SUBCASE("what is behind it ends, too, and what is called later") {
    const WorkPtr first = call(true), second = call(true);
    CHECK_THROWS_WITH_AS(second->wait(), doctest::Contains("its group has ended: all_reduce(sum)"),
                         DistBackendError);
    CHECK_THROWS_WITH_AS(call(false), doctest::Contains("its group has ended"), DistBackendError);
    CHECK_THROWS_AS(first->wait(), DistBackendError);
    CHECK(group->start({.kind = CollectiveKind::kBarrier, .async = true})->exception() != nullptr);
  }
  SUBCASE("the group can be left") { call(true); }
  group.reset();
  CHECK(Work::Clock::now() - began < milliseconds(4000));
  let_go = true;  // the thread that was left behind stays where it is
  std::this_thread::sleep_for(milliseconds(50));
}

TEST_CASE("what a backend says that nobody waits for any more is no news") {
  initialize();
  FlightRecorder recorder(4);
  const auto name = std::make_shared<GroupName>();
  const Collective barrier{.kind = CollectiveKind::kBarrier};
  QueuedWork work(barrier, recorder, recorder.record(name, barrier, {}));
  work.fail(std::make_exception_ptr(DistBackendError("it hangs")));
  work.succeed(0);
  CHECK(recorder.records()[0].error == "it hangs");
  CHECK(recorder.records()[0].state == Record::State::failed);
}

TEST_CASE("callbacks may call what they like") {
  initialize();
  const Tensor x = make_tensor({3}, kFloat, host_device());
  const auto backend = std::make_shared<QuickBackend>();
  auto group = std::make_shared<Group>(context("c"), std::vector<Route>{{{}, backend}});
  const auto call = [&](bool async) {
    return group->start(
        {.kind = CollectiveKind::kAllReduce, .inputs = {x}, .outputs = {x}, .async = async});
  };
  std::atomic<int> done{0};
  SUBCASE("a collective, and what was queued before it") {
    for (int i = 0; i < 100; ++i) {
      call(true)->when_done([&] {
        call(true);
        call(false);
        ++done;
      });
    }
    while (done < 100) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK(call(false)->sequence() == 300);
  }
  SUBCASE("the end of the group") {
    std::shared_ptr<Group> last = std::move(group);
    backend->is_held = true;  // until the callback is there: it is to run in the worker's thread
    const WorkPtr work = last->start({.kind = CollectiveKind::kBarrier, .async = true});
    work->when_done([&done, last = std::move(last)]() mutable {
      last.reset();
      ++done;
    });
    backend->is_held = false;
    while (done < 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_CASE("a group is left once, whoever leaves it at the same time") {
  initialize();
  auto backend = std::make_shared<QuickBackend>();
  backend->is_held = true;
  Group group(context("l"), {{{}, backend}});
  const Tensor x = make_tensor({3}, kFloat, host_device());
  const auto call = [&] {
    return group.start({.kind = CollectiveKind::kAllReduce,
                        .inputs = {x},
                        .outputs = {x},
                        .timeout = Milliseconds(10'000),
                        .async = true});
  };
  std::atomic<bool> called{false};
  call()->when_done([&] {
    group.leave();  // those that left it before wait for this
    called = true;
  });
  std::thread one([&] { group.leave(); }), another([&] { group.leave(); });
  backend->is_held = false;
  one.join();
  another.join();
  while (!called) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK_THROWS_WITH_AS(call(), "the group 'l': its process group was destroyed", DistBackendError);
  const std::weak_ptr<Backend> gone = std::exchange(backend, nullptr);
  for (int i = 0; i < 1000 && !gone.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(gone.expired());
}

TEST_CASE("one process that stands for many") {
  initialize();
  BackendContext many = context("many");
  many.size = 8;
  Group group(many, {{{}, make_backend("fake", many)}});
  const Tensor x = make_tensor({3}, kFloat, host_device());
  for (uint64_t i = 0; i < 3; ++i) {
    const WorkPtr work =
        group.start({.kind = CollectiveKind::kAllReduce, .inputs = {x}, .outputs = {x}});
    CHECK(work->is_success());
    CHECK(work->sequence() == i);
    const Work::Times times = work->times();
    CHECK(times.queued <= times.started);
    CHECK(times.started <= times.ended);
  }
  CHECK_THROWS_WITH_AS(group.start({.kind = CollectiveKind::kAllReduce}),
                       doctest::Contains("all_reduce"), Error);
}

TEST_CASE("a store serves one world after another, and each rank once") {
  const auto store = std::make_shared<HashStore>();
  for (int round = 0; round < 3; ++round) {
    const ProcessGroupPtr group = init_process_group(store, 0, 1, {.backend = "gloo"});
    CHECK_THROWS_WITH_AS(init_process_group(store, 0, 1, {.backend = "gloo"}),
                         doctest::Contains("init_process_group(): rank 0 is that of this process "
                                           "already"),
                         Error);
    CHECK(store->get("world/present").starts_with(std::to_string(round) + " 1 0\n"));
  }
}

TEST_CASE("worlds of different sizes are named") {
  const auto store = std::make_shared<HashStore>();
  std::thread first([&] {
    CHECK_THROWS_WITH_AS(
        init_process_group(store, 0, 2, {.backend = "gloo", .timeout = Milliseconds(20'000)}),
        doctest::Contains("the group 'world' of 2 ranks cannot be made: rank 1 (process "),
        DistBackendError);
  });
  store->wait({"world/0/rank/0"});
  CHECK_THROWS_WITH_AS(init_process_group(store, 1, 3, {.backend = "gloo"}),
                       doctest::Contains("the ranks disagree on the world size: rank 1 (process "),
                       Error);
  first.join();
}

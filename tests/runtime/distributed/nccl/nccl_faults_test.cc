// What goes wrong on NCCL's backend, and that whoever waits hears of it.
#include <cmath>

#include "runtime/distributed/store/prefix_store.h"
#include "tests/runtime/distributed/nccl/support.h"

using namespace opweave;                     // NOLINT
using namespace opweave::distributed;        // NOLINT
using namespace opweave::distributed::test;  // NOLINT
using namespace std::chrono_literals;        // NOLINT

namespace {

double seconds_since(Work::Clock::time_point began) {
  return std::chrono::duration<double>(Work::Clock::now() - began).count();
}

// Holds up the default stream of a rank's device.
void delay(int rank, int milliseconds) {
  function_of<void(int, int64_t, int)>(kHeap, "heap_target_sleep")(rank, 0, milliseconds);
}

WorkPtr start_all_reduce(Group& group, const Tensor& t, std::optional<Milliseconds> timeout = {}) {
  return group.start({.kind = CollectiveKind::kAllReduce,
                      .inputs = {t},
                      .outputs = {t},
                      .timeout = timeout,
                      .async = true});
}

}  // namespace

TEST_CASE("communicators are made when they are needed, once") {
  all_well(run([](int rank, Group& group) {
    const Tensor t = full({2}, 1, rank);
    group.start({.kind = CollectiveKind::kBarrier});
    all_reduce(group, t);
    group.start({.kind = CollectiveKind::kBarrier});
    if (rank != 0) return;
    const std::string made = calls();
    CHECK(count(made, "ncclGetUniqueId") == 1);
    CHECK(count(made, "ncclCommInitRankConfig") == kRanks);
    CHECK(count(made, "blocking") == 0);
  }));
  CHECK(count(calls(), "ncclCommInitRankConfig") == 0);
  run([](int, Group&) {});
  CHECK(calls().empty());
  all_well(run([](int rank, Group& group) {
    group.connect(heap(rank));
    CHECK(count(calls(), "ncclAllReduce") == 0);
  }));
  CHECK(count(calls(), "ncclAllReduce") == 0);
}

TEST_CASE("streams wait, and not whoever calls") {
  all_well(run([](int rank, Group& group) {
    group.start({.kind = CollectiveKind::kBarrier});
    const Tensor minus = full({1000}, -rank, rank);
    const auto began = Work::Clock::now();
    if (rank == 1) delay(rank, 300);
    const Tensor t = ops::neg::call(minus);  // behind the delay
    const WorkPtr work = start_all_reduce(group, t);
    CHECK(!work->is_completed());
    work->wait();
    CHECK(seconds_since(began) < 0.25);
    CHECK(values(t) == std::vector<double>(1000, 6));
    CHECK(seconds_since(began) > 0.25);
    while (!work->is_completed()) std::this_thread::sleep_for(1ms);
    CHECK(work->is_success());
    const Work::Times times = work->times();  // it began when its device came to it
    if (rank == 1) CHECK(times.started - times.queued > 250ms);
    CHECK(times.ended >= times.started);
    std::atomic<bool> told = false;
    work->when_done([&] { told = true; });
    CHECK(told);
  }));
}

TEST_CASE("a barrier, and a wait with a timeout, hold up the host") {
  all_well(run([](int rank, Group& group) {
    group.start({.kind = CollectiveKind::kBarrier});
    const auto began = Work::Clock::now();
    if (rank == 2) delay(rank, 200);
    group.start({.kind = CollectiveKind::kBarrier});
    CHECK(seconds_since(began) > 0.15);
    const Tensor t = full({2}, rank, rank);
    if (rank == 2) delay(rank, 200);
    const WorkPtr work = start_all_reduce(group, t);
    CHECK_THROWS_AS(work->wait(20ms), DistBackendError);
    work->wait(5s);
    CHECK(work->is_success());
  }));
}

TEST_CASE("letters have a communicator for each pair") {
  all_well(run([](int rank, Group& group) {
    const Tensor out = full({3}, rank + 1, rank), in = full({3}, 0, rank);
    const int next = (rank + 1) % kRanks, last = (rank + kRanks - 1) % kRanks;
    if (rank % 2 == 0) {
      group.start({.kind = CollectiveKind::kSend, .inputs = {out}, .root = next});
      group.start({.kind = CollectiveKind::kRecv, .outputs = {in}, .root = last});
    } else {
      group.start({.kind = CollectiveKind::kRecv, .outputs = {in}, .root = last});
      group.start({.kind = CollectiveKind::kSend, .inputs = {out}, .root = next});
    }
    CHECK(values(in) == std::vector<double>(3, last + 1));
  }));
  const std::string made = calls();
  CHECK(count(made, "ncclCommInitRankConfig rank 0 of 2") == 4);
  CHECK(count(made, "ncclCommInitRankConfig rank 1 of 2") == 4);
}

TEST_CASE("letters of a batch wait for nobody in turn") {
  all_well(run([](int rank, Group& group) {
    const Tensor in = full({3}, 0, rank), back = full({3}, 0, rank);
    const int next = (rank + 1) % kRanks, last = (rank + kRanks - 1) % kRanks;
    std::vector<WorkPtr> works;
    const auto send = [&](double value, int to) {
      works.push_back(group.start({.kind = CollectiveKind::kSend,
                                   .inputs = {full({3}, value, rank)},
                                   .root = to,
                                   .async = true}));
    };
    const auto receive = [&](const Tensor& t, int from) {
      works.push_back(group.start(
          {.kind = CollectiveKind::kRecv, .outputs = {t}, .root = from, .async = true}));
    };
    group.begin_batch();
    CHECK_THROWS_WITH_AS(group.begin_batch(), doctest::Contains("within another"), Error);
    send(rank, next);
    send(10 + rank, last);
    receive(in, last);
    receive(back, next);
    group.end_batch();
    for (const WorkPtr& work : works) work->wait();
    CHECK(values(in) == std::vector<double>(3, last));
    CHECK(values(back) == std::vector<double>(3, 10 + next));
  }));
}

TEST_CASE("a rank that does not come") {
  const auto began = Work::Clock::now();
  const auto errors = run([](int rank, Group& group) {
    group.start({.kind = CollectiveKind::kBarrier});
    if (rank == 3) return std::this_thread::sleep_for(2s);
    const Tensor t = full({2}, 1, rank);
    const WorkPtr work = start_all_reduce(group, t, 500ms);
    work->wait(10s);
  });
  CHECK(seconds_since(began) < 3);
  for (int r = 0; r < 3; ++r) {
    CHECK(errors[size_t(r)].find("all_reduce(sum) of float32[2] (number 1 of its group): ") !=
          std::string::npos);
    CHECK(errors[size_t(r)].find("rank 3 did not come in time; ranks 0, 1, 2 did") !=
          std::string::npos);
  }
  CHECK(count(calls(), "ncclCommAbort") == kRanks);
  all_well(run([](int rank, Group& group) { all_reduce(group, full({2}, 1, rank)); }));
}

TEST_CASE("a host that is far ahead of its device is not one that calls other things") {
  all_well(run([](int rank, Group& group) {
    const Tensor t = full({2}, 1, rank);
    group.start({.kind = CollectiveKind::kBarrier});
    if (rank == 3) std::this_thread::sleep_for(800ms);
    WorkPtr last;
    for (int i = 0; i < 100; ++i) last = start_all_reduce(group, t);
    last->wait(10s);
    CHECK(last->is_success());
  }));
}

TEST_CASE("a group that is over before its first collective") {
  const auto began = Work::Clock::now();
  const auto errors = run([](int rank, Group& group) {
    group.abort("it is enough");
    all_reduce(group, full({2}, 1, rank));
  });
  for (const std::string& error : errors) CHECK(error.find("it is enough") != std::string::npos);
  CHECK(seconds_since(began) < 10);
}

TEST_CASE("part of a graph ends when a rank dies") {
  const auto errors = run([](int rank, Group& group) {
    group.start({.kind = CollectiveKind::kBarrier});
    if (rank == 3) return group.abort("rank 3 gave up");
    function_of<void(bool)>(kHeap, "heap_target_capture")(true);
    const Tensor t = full({2}, 1, rank);
    try {
      start_all_reduce(group, t)->wait();
    } catch (const DistBackendError&) {
      // It had heard of it before.
    }
    values(t);  // would wait for ever
  });
  function_of<void(bool)>(kHeap, "heap_target_capture")(false);
  all_well(errors);
}

TEST_CASE("several devices on one rank, in another order than on the other, and parts of them") {
  set_up();
  const auto store = std::make_shared<HashStore>();
  std::vector<std::thread> ranks;
  for (int r = 0; r < 2; ++r) {
    ranks.emplace_back([&, r] {
      const BackendContext whole{store, "whole", r, 2, 5s};
      const auto backend = make_backend("stand_in", whole);
      Group group(whole, {{{}, backend}});
      const int first = 2 * r + r, second = 2 * r + 1 - r;
      const auto both_give_3 = [&](Group& of, int device) {
        const Tensor t = full({2}, r + 1, device);
        all_reduce(of, t);
        CHECK(values(t) == std::vector<double>(2, 3));
      };
      both_give_3(group, first);
      both_give_3(group, second);
      const BackendContext part{std::make_shared<PrefixStore>("part", store), "part", r, 2, 5s};
      Group same(part, {{{}, backend->split(part, 0)}});
      both_give_3(same, second);
      both_give_3(same, first);
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

TEST_CASE("letters of a pair are of one device") {
  all_well(run([](int rank, Group& group) {
    if (rank > 1) return;
    const int other = 1 - rank;
    const auto exchange = [&](int device) {
      const Tensor t = full({2}, 1, device);
      if (rank == 0) group.start({.kind = CollectiveKind::kSend, .inputs = {t}, .root = other});
      if (rank == 1) group.start({.kind = CollectiveKind::kRecv, .outputs = {t}, .root = other});
    };
    exchange(rank);
    if (rank == 0)
      CHECK_THROWS_WITH_AS(exchange(2), doctest::Contains("are of heap_target:0, and not of "),
                           Error);
    exchange(rank);  // and it goes on
  }));
}

TEST_CASE("a rank that does not connect") {
  set_up();
  const auto store = std::make_shared<HashStore>();
  std::vector<std::thread> ranks;
  for (const int r : {0, 2}) {
    ranks.emplace_back([&, r] {
      const BackendContext context{store, "world", r, 3, 500ms};
      CHECK_THROWS_WITH_AS(make_backend("stand_in", context),
                           doctest::Contains("rank 1 did not come in time"), DistBackendError);
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

TEST_CASE("a rank that leaves") {
  const auto errors = run([](int rank, Group& group) {
    group.start({.kind = CollectiveKind::kBarrier});
    if (rank == 0) return;
    const Tensor t = full({2}, 1, rank);
    start_all_reduce(group, t)->wait(10s);
  });
  for (int r = 1; r < kRanks; ++r)
    CHECK(errors[size_t(r)].find("rank 0 left the group") != std::string::npos);
}

TEST_CASE("ranks that call different things") {
  const auto differ = [](int rank, Group& group) {
    const Tensor t = full({rank == 1 ? 3 : 2}, 1, rank);
    start_all_reduce(group, t)->wait(10s);
  };
  for (const std::string& error : run(differ))
    CHECK(error.find("rank 1 all_reduce(sum) of float32, 3 elements") != std::string::npos);
  setenv("OPWEAVE_DISTRIBUTED_DEBUG", "DETAIL", 1);
  all_well(run([&](int rank, Group& group) {
    CHECK_THROWS_WITH_AS(differ(rank, group),
                         doctest::Contains("rank 1 all_reduce(sum) of float32, 3 elements"),
                         DistBackendError);
    const Tensor t = full({2}, 1, rank);  // and it goes on
    all_reduce(group, t);
    CHECK(values(t) == std::vector<double>(2, 4));
  }));
  unsetenv("OPWEAVE_DISTRIBUTED_DEBUG");
}

TEST_CASE("what the library says went wrong") {
  fail("ncclCommInitRankConfig", 2);
  for (const std::string& error :
       run([](int rank, Group&group) { all_reduce(group, full({2}, 1, rank)); }))
    CHECK(error.find("all_reduce(sum) of float32[2] (number 0 of its group): "
                     "ncclCommInitRankConfig: NCCL error: an error that was asked for "
                     "(ncclSystemError)") != std::string::npos);
  fail("ncclCommInitRankConfig", 0);
  fail("ncclAllReduce", 4);
  const auto errors = run([](int rank, Group& group) {
    group.connect(heap(rank));
    all_reduce(group, full({2}, 1, rank));
  });
  for (const std::string& error : errors)
    CHECK(error.find("an error that was asked for (ncclInvalidArgument)") != std::string::npos);
  fail("ncclAllReduce", 0);
}

TEST_CASE("what the library says later") {
  const auto began = Work::Clock::now();
  const auto errors = run([](int rank, Group& group) {
    group.start({.kind = CollectiveKind::kBarrier});
    if (rank == 3) {
      std::this_thread::sleep_for(200ms);
      fail("async", 6);
      std::this_thread::sleep_for(300ms);
      return;
    }
    const Tensor t = full({2}, 1, rank);
    start_all_reduce(group, t)->wait(10s);
  });
  fail("async", 0);
  CHECK(seconds_since(began) < 3);
  for (int r = 0; r < 3; ++r)
    CHECK(errors[size_t(r)].find("(ncclRemoteError)") != std::string::npos);
}

TEST_CASE("numbers that are none") {
  setenv("TORCH_NCCL_NAN_CHECK", "true", 1);
  const auto errors = run([](int rank, Group& group) {
    const Tensor t = full({2}, rank == 2 ? NAN : 1.0, rank);
    start_all_reduce(group, t)->wait(10s);
  });
  unsetenv("TORCH_NCCL_NAN_CHECK");
  for (const std::string& error : errors)
    CHECK(error.find("rank 2 gives NaN in tensor 0") != std::string::npos);
}

TEST_CASE("what NCCL has not is refused before anything is sent") {
  all_well(run([](int rank, Group& group) {
    CHECK_THROWS_WITH_AS(all_reduce(group, full({2}, 1, rank, kShort)),
                         doctest::Contains("all_reduce(): NCCL has no reductions of int16"), Error);
    CHECK_THROWS_WITH_AS(all_reduce(group, full({2}, 1, rank, kInt), ReduceOp::kBxor),
                         doctest::Contains("all_reduce(): Cannot use ReduceOp.bxor with NCCL"),
                         Error);
    CHECK_THROWS_WITH_AS(all_reduce(group, make_tensor({2}, kFloat, host_device())),
                         doctest::Contains("takes no tensors on cpu"), Error);
    const Tensor t = full({2}, 1, rank);
    all_reduce(group, t);
    CHECK(values(t) == std::vector<double>(2, 4));
  }));
}

TEST_CASE("a group that is captured asks no stream how far it is") {
  all_well(run([](int rank, Group& group) {
    group.start({.kind = CollectiveKind::kBarrier});
    function_of<void(bool)>(kHeap, "heap_target_capture")(true);
    const Tensor t = full({2}, 1, rank);
    if (rank == 1) delay(rank, 100);
    const WorkPtr work = start_all_reduce(group, t);
    CHECK(work->is_success());
    work->wait();
    CHECK(values(t) == std::vector<double>(2, 4));
  }));
  function_of<void(bool)>(kHeap, "heap_target_capture")(false);
}

TEST_CASE("parts of a group by splitting its communicator") {
  set_up();
  const auto store = std::make_shared<HashStore>();
  std::vector<std::thread> ranks;
  calls();
  for (int r = 0; r < kRanks; ++r) {
    ranks.emplace_back([&, r] {
      const DeviceGuard guard(heap(r));
      const BackendContext whole{store, "whole", r, kRanks, 5s};
      const auto backend = make_backend("stand_in", whole);
      Group group(whole, {{{}, backend}});
      group.connect(heap(r));
      const int color = r == 3 ? -1 : r % 2, place = r / 2, size = color == 0 ? 2 : 1;
      const BackendContext part{std::make_shared<PrefixStore>(std::to_string(color), store), "part",
                                place, size, 5s};
      const auto split = backend->split(part, color);
      CHECK((split == nullptr) == (color < 0));
      if (split == nullptr) return;
      Group small(part, {{{}, split}});
      const Tensor t = full({2}, r + 1, r);
      all_reduce(small, t);
      CHECK(values(t) == std::vector<double>(2, color == 0 ? 4 : 2));
    });
  }
  for (std::thread& rank : ranks) rank.join();
  const std::string made = calls();
  CHECK(count(made, "ncclCommSplit color") == kRanks);
  CHECK(count(made, "ncclCommSplit color -1") == 1);
  CHECK(count(made, "ncclCommInitRankConfig") == kRanks);
}

TEST_CASE("a split to which a rank does not come ends the group") {
  set_up();
  const auto store = std::make_shared<HashStore>();
  std::vector<std::thread> ranks;
  std::atomic<int> given_up = 0;
  for (int r = 0; r < kRanks; ++r) {
    ranks.emplace_back([&, r] {
      const DeviceGuard guard(heap(r));
      const BackendContext whole{store, "whole", r, kRanks, 2s};
      const auto backend = make_backend("stand_in", whole);
      Group group(whole, {{{}, backend}});
      group.connect(heap(r));
      if (r == 3) {
        while (given_up < kRanks - 1) std::this_thread::sleep_for(10ms);
        std::this_thread::sleep_for(200ms);  // what the others say is on its way
      } else {
        const BackendContext part{std::make_shared<PrefixStore>("p", store), "p", r, kRanks, 2s};
        CHECK_THROWS_WITH_AS(backend->split(part, 0),
                             doctest::Contains("the group 'whole' in time"), DistBackendError);
        ++given_up;
      }
      CHECK(backend->failure().find("not all ranks split the group 'whole' in time") !=
            std::string::npos);
    });
  }
  for (std::thread& rank : ranks) rank.join();
}

TEST_CASE("tensors of a device on a backend of the host") {
  all_well(run(
      [](int rank, Group& group) {
        const Tensor minus = full({1000}, -rank, rank);
        if (rank == 1) delay(rank, 50);
        const Tensor t = ops::neg::call(minus);
        all_reduce(group, t);
        CHECK(values(t) == std::vector<double>(1000, 6));
        std::vector<Tensor> all;
        for (int r = 0; r < kRanks; ++r) all.push_back(full({2}, -1, rank, kLong));
        group.start({.kind = CollectiveKind::kAllGather,
                     .inputs = {full({2}, rank, rank, kLong)},
                     .outputs = all});
        for (int r = 0; r < kRanks; ++r) CHECK(values(all[size_t(r)]) == std::vector<double>(2, r));
        const Staged staged = group.staged();
        CHECK(staged.collectives == 2);
        CHECK(staged.nbytes == 2 * 4000 + 16 + kRanks * 16);
      },
      {.backend = "gloo"}));
}

TEST_CASE("libraries that cannot serve") {
  set_up();
  const BackendContext context{std::make_shared<HashStore>(), "g", 0, 1, 5s};
  CHECK_THROWS_WITH_AS(
      make_nccl_backend({"theirs", {"libnone.so", "/none/libnone.so"}, "heap_target"}, context),
      doctest::Contains("theirs: the library cannot be loaded: libnone.so: "), DistBackendError);
  CHECK_THROWS_WITH_AS(make_nccl_backend({"theirs", {kHeap}, "heap_target"}, context),
                       doctest::Contains("has no ncclGetVersion(): NCCL 2.18 or later is needed"),
                       DistBackendError);
  CHECK_THROWS_WITH_AS(make_nccl_backend({"theirs", {kStandIn}, "none"}, context),
                       doctest::Contains("theirs: there is no none device"), DistBackendError);
  function_of<decltype(nccl_stand_in_version)>(kStandIn, "nccl_stand_in_version")(21700);
  CHECK_THROWS_WITH_AS(
      make_nccl_backend({"theirs", {kStandIn, "another name"}, "heap_target"}, context),
      doctest::Contains("is too old: 2.18 or later is needed"), DistBackendError);
  function_of<decltype(nccl_stand_in_version)>(kStandIn, "nccl_stand_in_version")(0);
}

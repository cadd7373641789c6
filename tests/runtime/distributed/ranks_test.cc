// Ranks as threads of one process, over each backend: what a sanitizer of threads sees of them.
#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "kernels/initialize/initialize.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/distributed/backends/groups/group.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/hash_store.h"
#include "tests/runtime/distributed/support.h"

using namespace opweave;
using namespace opweave::distributed;

namespace {

constexpr int kRanks = 3;
const char* const kBackends[] = {"shm", "gloo"};

Tensor full(int64_t count, float value) {
  Tensor x = make_tensor({count}, kFloat, host_device());
  auto* data = static_cast<float*>(x.raw_data());
  for (int64_t i = 0; i < count; ++i) data[i] = value;
  return x;
}

bool is_full(const Tensor& x, float value) {
  const auto* data = static_cast<const float*>(x.raw_data());
  for (int64_t i = 0; i < x.numel(); ++i) {
    if (data[i] != value) return false;
  }
  return true;
}

// A group of ranks, each of which does the same in a thread.
void on_ranks(const char* backend, const std::function<void(Group&, int)>& body,
              int ranks = kRanks) {
  initialize();
  set_num_threads(1);  // of a kernel: the sanitizer does not see how OpenMP's wait for one another
  const auto store = std::make_shared<HashStore>();
  in_threads(ranks, [&](int rank) {
    const BackendContext context{store, "ranks", rank, ranks, Milliseconds(60'000)};
    Group group(context, {{{}, make_backend(backend, context)}});
    body(group, rank);
  });
}

Collective all_reduce(const Tensor& x) {
  return {.kind = CollectiveKind::kAllReduce, .inputs = {x}, .outputs = {x}};
}

}  // namespace

TEST_CASE("collectives one after another") {
  for (const char* backend : kBackends) {
    on_ranks(backend, [](Group& group, int rank) {
      for (const int64_t count : {1, 20'000, 700'001}) {
        const Tensor x = full(count, static_cast<float>(rank));
        group.start(all_reduce(x))->wait();
        CHECK(is_full(x, 3));
        const Tensor y = full(count, static_cast<float>(rank));
        group.start({.kind = CollectiveKind::kBroadcast, .inputs = {y}, .outputs = {y}, .root = 2})
            ->wait();
        CHECK(is_full(y, 2));
        std::vector<Tensor> gathered;
        for (int r = 0; r < kRanks; ++r) gathered.push_back(full(count, -1));
        group
            .start({.kind = CollectiveKind::kAllGather,
                    .inputs = {full(count, static_cast<float>(rank))},
                    .outputs = gathered})
            ->wait();
        for (int r = 0; r < kRanks; ++r)
          CHECK(is_full(gathered[static_cast<size_t>(r)], static_cast<float>(r)));
        group.start({.kind = CollectiveKind::kBarrier})->wait();
      }
    });
  }
}

TEST_CASE("collectives that nobody waits for, beside letters") {
  for (const char* backend : kBackends) {
    on_ranks(backend, [](Group& group, int rank) {
      std::vector<Tensor> tensors;
      std::vector<WorkPtr> works;
      for (int i = 0; i < 20; ++i) {
        tensors.push_back(full(5000, static_cast<float>(rank + i)));
        Collective call = all_reduce(tensors.back());
        call.async = true;
        works.push_back(group.start(call));
      }
      const Tensor sent = full(100'000, static_cast<float>(rank)), received = full(100'000, -1);
      const int next = (rank + 1) % kRanks, last = (rank + kRanks - 1) % kRanks;
      works.push_back(group.start(
          {.kind = CollectiveKind::kSend, .inputs = {sent}, .root = next, .async = true}));
      works.push_back(group.start(
          {.kind = CollectiveKind::kRecv, .outputs = {received}, .root = last, .async = true}));
      for (const WorkPtr& work : works) work->wait();
      CHECK(is_full(received, static_cast<float>(last)));
      for (int i = 0; i < 20; ++i)
        CHECK(is_full(tensors[static_cast<size_t>(i)], static_cast<float>(3 + 3 * i)));
    });
  }
}

TEST_CASE("a letter arrives though its sender leaves when it is sent") {
  for (const char* backend : kBackends) {
    for (int i = 0; i < 20; ++i) {
      on_ranks(backend, [](Group& group, int rank) {
        const Tensor x = full(1'000'000, static_cast<float>(rank));
        if (rank == 0)
          group.start({.kind = CollectiveKind::kSend, .inputs = {x}, .root = 1})->wait();
        if (rank != 1) return;
        group.start({.kind = CollectiveKind::kRecv, .outputs = {x}, .root = 0})->wait();
        CHECK(is_full(x, 0));
      });
    }
  }
}

TEST_CASE("nobody passes a barrier before all have come") {
  for (const char* backend : kBackends) {
    for (const int ranks : {2, 4, 20}) {
      std::atomic<int> came{0};
      const auto body = [&](Group& group, int) {
        for (int i = 1; i <= 10; ++i) {
          ++came;
          group.start({.kind = CollectiveKind::kBarrier})->wait();
          CHECK(came >= i * ranks);
        }
      };
      on_ranks(backend, body, ranks);
    }
  }
}

TEST_CASE("one ends the group while the others wait") {
  for (const char* backend : kBackends) {
    on_ranks(backend, [](Group& group, int rank) {
      group.start({.kind = CollectiveKind::kBarrier})->wait();
      if (rank == 1) return group.abort("the test says so");
      const Tensor x = full(10, 1);
      CHECK_THROWS_WITH_AS(group.start(all_reduce(x))->wait(),
                           doctest::Contains("the test says so"), DistBackendError);
    });
  }
}

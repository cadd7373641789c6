// The CPU allocator and storage: caching, statistics, alignment, failure, resizing.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "runtime/core/tensor/tensor.h"

using namespace opweave;

TEST_CASE("blocks are aligned to 64 bytes, whatever their size") {
  Allocator& allocator = devices_of(kCPU).allocator();
  for (size_t n : {1, 63, 64, 65, 1000, 65536, 65537, 1 << 20, (1 << 20) + 1}) {
    void* p = allocator.allocate(n, kCPU);
    CHECK(reinterpret_cast<uintptr_t>(p) % 64 == 0);
    std::memset(p, 1, n);
    allocator.deallocate(p, n, kCPU);
  }
  CHECK(allocator.allocate(0, kCPU) == nullptr);
}

TEST_CASE("a large block is used again") {
  if (!kRecycle) return;  // under a sanitizer nothing is kept, so that use after free is found
  Allocator& allocator = devices_of(kCPU).allocator();
  allocator.empty_cache();
  void* first = allocator.allocate(5 << 20, kCPU);
  allocator.deallocate(first, 5 << 20, kCPU);
  void* second = allocator.allocate(5 << 20, kCPU);
  CHECK(first == second);
  allocator.deallocate(second, 5 << 20, kCPU);
}

TEST_CASE("statistics follow large blocks") {
  Allocator& allocator = devices_of(kCPU).allocator();
  allocator.empty_cache();
  const AllocatorStats before = allocator.stats(kCPU);
  void* p = allocator.allocate(8 << 20, kCPU);
  const AllocatorStats during = allocator.stats(kCPU);
  CHECK(during.allocated_bytes - before.allocated_bytes >= (8 << 20));
  CHECK(during.allocations == before.allocations + 1);
  allocator.deallocate(p, 8 << 20, kCPU);
  CHECK(allocator.stats(kCPU).allocated_bytes == before.allocated_bytes);
  allocator.reset_peak_stats(kCPU);
  CHECK(allocator.stats(kCPU).peak_allocated_bytes == allocator.stats(kCPU).allocated_bytes);
  allocator.empty_cache();
  CHECK(allocator.stats(kCPU).reserved_bytes <= before.reserved_bytes);
}

TEST_CASE("an impossible allocation is an error that the process survives") {
  try {
    devices_of(kCPU).allocator().allocate(size_t{1} << 60, kCPU);
    FAIL("no error");
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::kOutOfMemory);
    CHECK(std::string(e.what()).find("tried to allocate 1152921504606846976 bytes") !=
          std::string::npos);
  }
}

TEST_CASE("sizes whose product overflows are refused by name") {
  const auto message = [](auto f) {
    try {
      f();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(message([] {
          make_tensor({int64_t{1} << 40, int64_t{1} << 40}, kFloat, kCPU);
        }) == "numel: the product of sizes [1099511627776, 1099511627776] overflows int64");
  CHECK(message([] {
          make_tensor({2, -1}, kFloat, kCPU);
        }) == "Trying to create tensor with negative dimension -1: [2, -1]");
  CHECK(message([] { make_tensor({int64_t{1} << 62}, kDouble, kCPU); }) ==
        "Storage size calculation overflowed with sizes=[4611686018427387904] and dtype float64");
}

TEST_CASE("blocks freed on another thread are safe to reuse") {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 1000; ++i) tensors.push_back(make_tensor({i % 50}, kFloat, kCPU));
  std::thread([moved = std::move(tensors)]() mutable { moved.clear(); }).join();
  for (int i = 0; i < 1000; ++i) make_tensor({i % 50}, kFloat, kCPU);
}

TEST_CASE("wrapped memory is handed back once") {
  int calls = 0;
  float data[4] = {1, 2, 3, 4};
  {
    Storage storage = StorageImpl::wrap(data, sizeof(data), kCPU, [&](void* p) {
      CHECK(p == data);
      ++calls;
    });
    CHECK_FALSE(storage->resizable());
    Storage again = storage;
  }
  CHECK(calls == 1);
}

TEST_CASE("resizing keeps the contents and moves small storages out of their block") {
  Tensor t = make_tensor({4}, kFloat, kCPU);
  for (int i = 0; i < 4; ++i) t.data<float>()[i] = static_cast<float>(i);
  resize_tensor(t, {100});
  CHECK(t.sizes().size() == 1);
  CHECK(t.numel() == 100);
  for (int i = 0; i < 4; ++i) CHECK(t.data<float>()[i] == static_cast<float>(i));
  resize_tensor(t, {2, 2});
  CHECK(t.data<float>()[3] == 3.0f);
}

TEST_CASE("a forked process allocates, whatever other threads were at") {
  Allocator& allocator = devices_of(kCPU).allocator();
  std::atomic<bool> ends = false;
  std::thread other([&] {
    while (!ends) {
      allocator.deallocate(allocator.allocate(8 << 20, kCPU), 8 << 20, kCPU);
      allocator.empty_cache();
    }
  });
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends one that waits for ever
      allocator.deallocate(allocator.allocate(8 << 20, kCPU), 8 << 20, kCPU);
      allocator.empty_cache();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    failed += status != 0;
    if (failed > 0) break;
  }
  ends = true;
  other.join();
  CHECK(failed == 0);
}

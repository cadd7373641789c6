// What the tests of the NCCL backend share: four ranks, which are threads of this process, on
// devices that are heaps, and a library that stands in for NCCL.
#pragma once

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "kernels/initialize/initialize.h"
#include "opweave/ops/copy_.h"
#include "opweave/ops/fill_.h"
#include "opweave/ops/neg.h"
#include "runtime/distributed/backends/groups/group.h"
#include "runtime/distributed/backends/nccl/nccl_backend.h"
#include "runtime/distributed/backends/registry/nccl_library.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/hash_store.h"
#include "runtime/target/library.h"
#include "tests/runtime/distributed/nccl/stand_in.h"

namespace opweave::distributed::test {

inline constexpr int kRanks = 4;
inline constexpr const char* kHeap = "tests/kernels/target/libopweave_heap_target.so";
inline constexpr const char* kStandIn = "tests/runtime/distributed/nccl/libnccl_stand_in.so";

template <class Function>
Function* function_of(const char* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(dlopen(library, RTLD_NOW), name));
}

inline NcclLike stand_in() { return {"stand_in", {kStandIn}, "heap_target"}; }

inline void set_up() {
  static const bool done = [] {
    initialize();
    load_target_library(kHeap);
    function_of<void()>(kHeap, "heap_target_run_everything")();
    register_nccl_library(stand_in());
    return true;
  }();
  (void)done;
}

inline std::string calls() {
  static std::mutex mutex;  // what the library returns is its own
  const std::lock_guard lock(mutex);
  return function_of<decltype(nccl_stand_in_calls)>(kStandIn, "nccl_stand_in_calls")();
}

inline void fail(const char* function, int result) {
  function_of<decltype(nccl_stand_in_fail)>(kStandIn, "nccl_stand_in_fail")(function, result);
}

inline int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

inline Device heap(int rank) {
  return Device(find_device_type("heap_target"), static_cast<int8_t>(rank));
}

inline Tensor full(std::vector<int64_t> sizes, double value, int rank, ScalarType dtype = kFloat) {
  Tensor t = make_tensor(IntList(sizes), dtype, heap(rank));
  return ops::fill__Scalar::call(t, Scalar(value));
}

// All elements, after what the default stream of its device has.
inline std::vector<double> values(const Tensor& t) {
  Tensor host = make_tensor(t.sizes(), kDouble, host_device());
  ops::copy_::call(host, t, false);
  const auto* data = static_cast<const double*>(host.raw_data());
  return {data, data + host.numel()};
}

struct Setup {
  Milliseconds timeout{20'000};
  const char* backend = "stand_in";
  std::string name = "world";
  int ranks = kRanks;
};

// fn(rank, group) on every rank; what each threw, empty for nothing.
inline std::vector<std::string> run(const std::function<void(int, Group&)>& fn,
                                    const Setup& setup = {}) {
  set_up();
  calls();
  const auto store = std::make_shared<HashStore>();
  std::vector<std::string> errors(size_t(setup.ranks));
  std::vector<std::thread> threads;
  for (int r = 0; r < setup.ranks; ++r) {
    threads.emplace_back([&, r] {
      const DeviceGuard guard(heap(r));
      const BackendContext context{store, setup.name, r, setup.ranks, setup.timeout};
      try {
        Group group(context, {{{}, make_backend(setup.backend, context)}});
        fn(r, group);
      } catch (const Error& error) {
        errors[size_t(r)] = error.message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

inline void all_well(const std::vector<std::string>& errors) {
  for (const std::string& error : errors) CHECK_MESSAGE(error.empty(), error);
}

inline void all_reduce(Group& group, const Tensor& t, ReduceOp op = ReduceOp::kSum) {
  group.start({.kind = CollectiveKind::kAllReduce, .inputs = {t}, .outputs = {t}, .op = op});
}

using Doubles = std::vector<double>;

}  // namespace opweave::distributed::test

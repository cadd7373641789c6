// Groups from C++, on a backend that a program brings.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "kernels/initialize/initialize.h"
#include "runtime/core/tensor.h"
#include "runtime/distributed/backends/group.h"
#include "runtime/distributed/backends/registry.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/hash_store.h"

using namespace opweave;
using namespace opweave::distributed;

namespace {

std::atomic<bool> let_go{false};

// Carries nothing out, and does not look at deadlines: as a call of a driver that hangs.
class StuckBackend final : public Backend {
 public:
  std::string_view name() const override { return "stuck"; }
  int run(const Collective&, const Deadline&) override {
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 0;
  }
  std::string failure() const override { return aborted_ ? "it was aborted" : ""; }
  void abort(const std::string&) noexcept override { aborted_ = true; }
  void leave() noexcept override {}

 private:
  std::atomic<bool> aborted_{false};
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

// Calls that are issued without blocking, and what becomes of them.
#include "runtime/distributed/backends/nccl/nccl_comm.h"

#include <vector>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::nccl {
namespace {

constexpr Milliseconds kPause{1};

}  // namespace

std::unique_ptr<NcclComm> NcclComm::connect(const Library& library, const UniqueId& id, int rank,
                                            int ranks, const Look& look) {
  Config config;
  CommHandle handle = nullptr;
  const Result result = library.CommInitRankConfig(&handle, ranks, id, rank, &config);
  std::unique_ptr<NcclComm> comm(new NcclComm(library, handle));
  comm->settle(result, "ncclCommInitRankConfig", look);
  return comm;
}

std::unique_ptr<NcclComm> NcclComm::split(int color, int key, const Look& look) {
  const std::lock_guard lock(mutex_);
  check_usable();
  Config config;
  CommHandle& handle = *parts_.emplace_back(std::make_unique<CommHandle>(nullptr));
  const Result result = library_.CommSplit(handle_, color, key, &handle, &config);
  // The new one is there when this one is at rest; and then has to connect itself.
  settle(result, "ncclCommSplit", look);
  if (handle == nullptr) return nullptr;
  std::unique_ptr<NcclComm> part(new NcclComm(library_, handle));
  part->settle(Result::kInProgress, "ncclCommSplit", look);
  return part;
}

NcclComm::~NcclComm() { abort("it was given up"); }

void NcclComm::check_usable() {
  if (handle_ == nullptr) throw DistBackendError(str("NCCL communicator was aborted: ", reason_));
}

void NcclComm::settle(Result result, const char* what, const Look& look) const {
  while (result == Result::kInProgress) {
    look();
    if (forbidden_) throw DistBackendError(str(what, ": NCCL communicator was aborted"));
    const Result asked = library_.CommGetAsyncError(handle_, &result);
    if (asked != Result::kSuccess) result = asked;
    if (result == Result::kInProgress) pause_for(kPause, Deadline::never());
  }
  if (result != Result::kSuccess)
    throw DistBackendError(str(what, ": NCCL error: ", library_.describe(result, handle_)));
}

void NcclComm::issue(std::span<const Issue> issues, const Look& look) {
  std::vector<std::unique_lock<std::mutex>> locks;
  for (const Issue& one : issues) {
    locks.emplace_back(one.comm->mutex_);
    one.comm->check_usable();
  }
  const NcclComm& first = *issues[0].comm;
  first.settle(first.library_.GroupStart(), "ncclGroupStart", look);
  Result called = Result::kSuccess;
  try {
    for (const Issue& one : issues) {
      const Result result = one.calls(one.comm->handle_);
      if (called == Result::kSuccess && result != Result::kInProgress) called = result;
    }
  } catch (...) {
    first.library_.GroupEnd();  // or this thread's later calls would be part of it
    throw;
  }
  const Result ended = first.library_.GroupEnd();
  for (const Issue& one : issues)
    one.comm->settle(called == Result::kSuccess ? ended : called, "ncclGroupEnd", look);
}

std::string NcclComm::failure() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return {};  // whoever has it looks itself
  if (handle_ == nullptr) return reason_;
  Result result = Result::kSuccess;
  const Result asked = library_.CommGetAsyncError(handle_, &result);
  if (asked != Result::kSuccess) result = asked;
  if (result == Result::kSuccess || result == Result::kInProgress) return {};
  return str("NCCL error: ", library_.describe(result, handle_));
}

void NcclComm::abort(const std::string& reason) noexcept {
  forbid();  // whoever has the handle gives it back soon
  const std::lock_guard lock(mutex_);
  if (handle_ == nullptr) return;
  reason_ = reason;
  library_.CommAbort(handle_);
  handle_ = nullptr;
}

void NcclComm::close(const Deadline& deadline) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (handle_ == nullptr) return;
    forbidden_ = false;  // nobody else waits any more
    try {
      settle(library_.CommFinalize(handle_), "ncclCommFinalize", [&] {
        if (deadline.passed()) throw DistBackendError("ncclCommFinalize: not in time");
      });
      library_.CommDestroy(handle_);
      handle_ = nullptr;
      reason_ = "it was closed";
    } catch (const std::exception&) {
      // Somebody is gone: nothing is left to wait for.
    }
  }
  abort("it was closed");
}

}  // namespace opweave::distributed::nccl

// NcclComm: a communicator of NCCL, with an explicit life: connected, split, aborted or closed. No
// call of it blocks in the library: what takes its time is waited for here, where it can be ended.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/distributed/backends/nccl/library.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed::nccl {

// Called now and then by who waits; throws to end the wait.
using Look = std::function<void()>;

class NcclComm {
 public:
  // A call of every rank, each with its device current. DistBackendError.
  static std::unique_ptr<NcclComm> connect(const Library& library, const UniqueId& id, int rank,
                                           int ranks, const Look& look);
  // A part of it, of ranks that name the same color, in the order of their keys; null for kNoColor.
  // A call of every rank of this one.
  std::unique_ptr<NcclComm> split(int color, int key, const Look& look);
  // Aborts what was not closed.
  ~NcclComm();

  // Issues calls on several communicators, each of which is named once, as one group:
  // calls(handle), which returns the first result that is no success. Returns when the library has
  // taken them.
  struct Issue {
    NcclComm* comm;
    std::function<Result(CommHandle)> calls;
  };
  static void issue(std::span<const Issue> issues, const Look& look);
  // What the library says went wrong since; empty where nothing did.
  std::string failure();
  // Who waits in a call ends; waits for nobody. From any thread.
  void forbid() noexcept { forbidden_ = true; }
  // Ends what runs on the device, and every later call. From any thread.
  void abort(const std::string& reason) noexcept;
  // Returns when all ranks have done what was issued, and gives it up. One that was aborted is
  // gone already.
  void close(const Deadline& deadline) noexcept;

 private:
  NcclComm(const Library& library, CommHandle handle) : library_(library), handle_(handle) {}
  // Until it is no longer in progress. Throws for what is no success.
  void settle(Result result, const char* what, const Look& look) const;
  void check_usable();

  const Library& library_;
  CommHandle handle_;
  std::mutex mutex_;  // of the handle
  std::atomic<bool> forbidden_ = false;
  std::string reason_;  // why it was aborted
  // Where the library puts a part, when it has one: also after who waited for it has given up.
  std::vector<std::unique_ptr<CommHandle>> parts_;
};

}  // namespace opweave::distributed::nccl

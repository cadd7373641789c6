// PythonGroup: a process group that is a class of Python, with the methods of PyTorch's.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "bindings/python/distributed/python_waits.h"
#include "runtime/distributed/group/process_group.h"
#include "runtime/distributed/watch/watched.h"

namespace opweave::python {

class PythonGroup final : public distributed::ProcessGroup, private distributed::Watched {
 public:
  PythonGroup(int rank, int size) : rank_(rank), size_(size) {}
  ~PythonGroup() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::string& name() const override { return name_; }
  // The ranks are those of the world. From now on the watchdog looks at what it waits for.
  void set_name(const std::string& name, const std::string& backend, std::vector<int> ranks,
                distributed::Milliseconds timeout);
  // Of collectives that name none: the watchdog's limit for them.
  void set_timeout(distributed::Milliseconds timeout) { timeout_.store(timeout); }
  // Calls its method (opweave.distributed._backends.start_python).
  distributed::WorkPtr start(distributed::Collective collective) override;
  // Its methods `_abort(reason)` or `abort()`, and `shutdown()`, where it has them.
  void abort(const std::string& reason) override;
  void leave() override;

 private:
  // What it raises nobody is there to hear.
  template <class Call>
  void tell(const char* method, Call call) const;
  // Of its methods, from the first call to what that returns.
  distributed::WorkPtr start_in_python(distributed::Collective collective, PythonCollective call);

  const std::shared_ptr<const distributed::GroupName>& group_name() const override {
    return group_name_;
  }
  std::string end_overdue(distributed::Work::Clock::time_point now) override;
  // Its methods know; a group that hangs is over by end_overdue().
  std::string failure() const override { return {}; }
  std::vector<distributed::Progress> progress() const override;

  const int rank_, size_;
  std::string name_;
  std::shared_ptr<const distributed::GroupName> group_name_;  // null until it is named
  std::array<std::atomic<uint64_t>, 3> counts_{};             // collectives, sends, receives
  std::atomic<distributed::Milliseconds> timeout_{distributed::Milliseconds::max()};
  // Null when it is gone; under the interpreter's lock.
  const std::shared_ptr<PythonGroup*> self_ = std::make_shared<PythonGroup*>(this);
  const std::shared_ptr<PythonWaits> waits_ = std::make_shared<PythonWaits>();
};

}  // namespace opweave::python

// PythonGroup: a process group that is a class of Python, with the methods of PyTorch's.
#pragma once

#include <array>
#include <atomic>
#include <vector>

#include "runtime/distributed/group/process_group.h"
#include "runtime/distributed/watch/record.h"

namespace opweave::python {

class PythonGroup final : public distributed::ProcessGroup {
 public:
  PythonGroup(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::string& name() const override { return name_; }
  // The ranks are those of the world.
  void set_name(const std::string& name, const std::string& backend, std::vector<int> ranks);
  // Calls its method (opweave.distributed._backends.start_python).
  distributed::WorkPtr start(distributed::Collective collective) override;
  // Its methods `_abort(reason)` or `abort()`, and `shutdown()`, where it has them.
  void abort(const std::string& reason) override;
  void leave() override;

 private:
  // What it raises nobody is there to hear.
  template <class Call>
  void tell(const char* method, Call call) const;
  const int rank_, size_;
  std::string name_;
  std::shared_ptr<const distributed::GroupName> group_name_;  // of its records
  std::array<std::atomic<uint64_t>, 3> counts_{};             // collectives, sends, receives
};

}  // namespace opweave::python

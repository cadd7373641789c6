// PythonGroup: a process group that is a class of Python, with the methods of PyTorch's.
#pragma once

#include "runtime/distributed/group/process_group.h"

namespace opweave::python {

class PythonGroup final : public distributed::ProcessGroup {
 public:
  PythonGroup(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  const std::string& name() const override { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  // Calls its method (opweave.distributed._backends.start_python).
  distributed::WorkPtr start(distributed::Collective collective) override;
  void abort(const std::string&) override {}
  void leave() override {}

 private:
  const int rank_, size_;
  std::string name_;
};

}  // namespace opweave::python

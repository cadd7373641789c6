// Calls of C++ that become calls of Python, and what those return.
#include "bindings/python/distributed/python_group.h"

#include <pybind11/chrono.h>
#include <pybind11/stl.h>

#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/tensor/tensor_object.h"
#include "bindings/python/distributed/in_python.h"
#include "bindings/python/distributed/tensor_list.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

// What a method returned: an object with wait(), or None where all is done.
class PythonWork final : public Work {
 public:
  PythonWork(py::object work, std::vector<Tensor> outputs)
      : work_(std::move(work)), outputs_(std::move(outputs)) {}
  ~PythonWork() override { drop_reference(work_.release().ptr()); }

  void wait(std::optional<Milliseconds> timeout) override {
    in_python([&] {
      if (work_.is_none()) return;
      timeout ? work_.attr("wait")(*timeout) : work_.attr("wait")();
      waited_ = true;
    });
  }
  bool is_completed() const override {
    return in_python([&] {
      if (work_.is_none() || !py::hasattr(work_, "is_completed")) return waited_ || work_.is_none();
      return work_.attr("is_completed")().cast<bool>();
    });
  }
  // Such works say nothing by themselves.
  void when_done(std::function<void()> callback) override {
    wait({});
    callback();
  }
  std::exception_ptr exception() const override { return nullptr; }
  std::vector<Tensor> result() const override { return outputs_; }
  int source_rank() const override {
    return in_python([&] {
      const bool says = !work_.is_none() && py::hasattr(work_, "source_rank");
      return says ? work_.attr("source_rank")().cast<int>() : -1;
    });
  }
  uint64_t sequence() const override { return 0; }
  Times times() const override { return {}; }

 private:
  py::object work_;
  const std::vector<Tensor> outputs_;
  bool waited_ = false;
};

}  // namespace

WorkPtr PythonGroup::start(Collective collective) {
  return in_python([&]() -> WorkPtr {
    py::dict options;
    options["op"] = std::string(name_of(collective.op));
    options["root"] = collective.root;
    options["tag"] = collective.tag;
    options["timeout"] = collective.timeout;
    const py::object start =
        py::module_::import("opweave.distributed._backends").attr("start_python");
    py::object work =
        start(py::cast(this), std::string(name_of(collective.kind)), to_list(collective.inputs),
              to_list(collective.outputs), collective.async, **options);
    return std::make_shared<PythonWork>(std::move(work), std::move(collective.outputs));
  });
}

}  // namespace opweave::python

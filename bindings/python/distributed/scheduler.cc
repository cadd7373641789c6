// The scheduler of collectives, as a Python class.
#include "runtime/distributed/schedule/scheduler.h"

#include <pybind11/stl.h>

#include "bindings/python/core/objects/gil.h"
#include "bindings/python/distributed/python_site.h"
#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/tensor_list.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

std::shared_ptr<Scheduler> make(ProcessGroupPtr group, size_t round_nbytes) {
  return make_without_gil<Scheduler>(std::move(group), round_nbytes);
}

WorkPtr start(Scheduler& scheduler, CollectiveKind kind, const py::object& tensor,
              const std::string& op, int root, int priority) {
  OW_CHECK_TYPE(is_tensor(tensor.ptr()), name_of(kind), "(): tensor: expected a Tensor, got ",
                Py_TYPE(tensor.ptr())->tp_name);
  const Tensor t = tensor_of(tensor.ptr());
  Collective collective{.kind = kind, .inputs = {t}, .outputs = {t}, .root = root, .async = true};
  if (!op.empty()) collective.op = reduce_op(op);
  note_python_site();
  return without_gil([&] { return scheduler.start(std::move(collective), priority); });
}

py::dict statistics(const Scheduler& scheduler) {
  const SchedulerStatistics found = scheduler.statistics();
  py::dict all;
  all["collectives"] = found.collectives;
  all["rounds"] = found.rounds;
  all["parts"] = found.parts;
  all["overtakings"] = found.overtakings;
  all["order"] = found.order;
  all["agreeing"] = found.agreeing;
  return all;
}

}  // namespace

void add_scheduler(py::module_& module) {
  py::class_<Scheduler, std::shared_ptr<Scheduler>>(module, "_Scheduler")
      .def(py::init(&make), py::arg("group"), py::arg("round_nbytes"))
      .def(
          "all_reduce",
          [](Scheduler& scheduler, const py::object& tensor, const std::string& op, int priority) {
            return start(scheduler, CollectiveKind::kAllReduce, tensor, op, 0, priority);
          },
          py::arg("tensor"), py::arg("op"), py::arg("priority"))
      .def(
          "broadcast",
          [](Scheduler& scheduler, const py::object& tensor, int root, int priority) {
            return start(scheduler, CollectiveKind::kBroadcast, tensor, "", root, priority);
          },
          py::arg("tensor"), py::arg("root"), py::arg("priority"))
      .def(
          "abort",
          [](Scheduler& scheduler, const std::string& reason) {
            without_gil([&] { scheduler.abort(reason); });
          },
          py::arg("reason"))
      .def("statistics", &statistics);
}

}  // namespace opweave::python

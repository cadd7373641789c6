// The reducer of data-parallel training, as a Python class.
#include "runtime/distributed/training/reducer.h"

#include <pybind11/stl.h>

#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/tensor_list.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

std::shared_ptr<Reducer> make(const py::list& parameters, std::vector<std::string> names,
                              ProcessGroupPtr group, size_t first_bytes, size_t other_bytes,
                              bool gradients_are_views, bool finds_unused) {
  const ReducerOptions options{.limits = {first_bytes, other_bytes},
                               .gradients_are_views = gradients_are_views,
                               .finds_unused = finds_unused};
  // Its hooks go with it: whoever drops the last reference waits for no lock of Python.
  return std::make_shared<Reducer>(to_tensors(parameters), std::move(names), std::move(group),
                                   options);
}

py::dict statistics(const Reducer& reducer) {
  const ReducerStatistics found = without_gil([&] { return reducer.statistics(); });
  py::list buckets;
  for (const BucketTimes& one : found.buckets) {
    py::dict bucket;
    bucket["parameters"] = one.parameters;
    bucket["bytes"] = one.nbytes;
    bucket["ready"] = one.ready;
    bucket["reduced"] = one.reduced;
    buckets.append(bucket);
  }
  py::dict all;
  all["buckets"] = buckets;
  all["backward"] = found.backward;
  all["total"] = found.total;
  all["hidden"] = found.hidden;
  return all;
}

}  // namespace

void add_reducer(py::module_& module) {
  py::class_<Reducer, std::shared_ptr<Reducer>>(module, "_Reducer")
      .def(py::init(&make), py::arg("parameters"), py::arg("names"), py::arg("group"),
           py::arg("first_bytes"), py::arg("other_bytes"), py::arg("gradients_are_views"),
           py::arg("finds_unused"))
      .def("prepare_for_forward",
           [](Reducer& reducer) { without_gil([&] { reducer.prepare_for_forward(); }); })
      .def("prepare_for_backward",
           [](Reducer& reducer, const py::list& outputs) {
             const std::vector<Tensor> tensors = to_tensors(outputs);
             without_gil([&] { reducer.prepare_for_backward(tensors); });
           })
      .def("expect_nothing", &Reducer::expect_nothing)
      .def("statistics", &statistics);
}

}  // namespace opweave::python

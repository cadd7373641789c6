// The reducer of data-parallel training, as a Python class.
#include "runtime/distributed/training/reducer.h"

#include <pybind11/stl.h>

#include "bindings/python/core/objects/gil.h"
#include "bindings/python/distributed/in_python.h"
#include "bindings/python/distributed/python_site.h"
#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/tensor_list.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

void note_site() {
  const py::gil_scoped_acquire gil;
  note_python_site();
}

std::shared_ptr<Reducer> make(const py::list& parameters, std::vector<std::string> names,
                              ProcessGroupPtr group, BucketLimits limits, bool gradients_are_views,
                              bool finds_unused, bool is_static, bool skips_unused, bool is_lazy) {
  return Reducer::make(to_tensors(parameters), std::move(names), std::move(group),
                       {.limits = std::move(limits),
                        .gradients_are_views = gradients_are_views,
                        .finds_unused = finds_unused,
                        .is_static = is_static,
                        .skips_unused = skips_unused,
                        .is_lazy = is_lazy,
                        .note_site = note_site});
}

// What a hook of Python returned: a future of a tensor, or of a list of one.
class PythonReduction final : public Reduction {
 public:
  explicit PythonReduction(py::object future) : future_(std::move(future)) {}
  ~PythonReduction() override { drop_reference(future_.release().ptr()); }
  Tensor wait() override {
    Tensor result = in_python([&] {
      py::object value = future_.attr("wait")();
      if (py::isinstance<py::sequence>(value) && !is_tensor(value.ptr()) && py::len(value) == 1)
        value = value[py::int_(0)];
      OW_CHECK_TYPE(is_tensor(value.ptr()),
                    "communication hook: expected a future of a tensor, got one of ",
                    Py_TYPE(value.ptr())->tp_name);
      return tensor_of(value.ptr());
    });
    ended_ = Clock::now();
    return result;
  }
  Clock::time_point ended() const override { return ended_; }

 private:
  py::object future_;
  Clock::time_point ended_{};
};

class PythonHook final : public CommHook {
 public:
  PythonHook(py::object state, py::object hook)
      : state_(std::move(state)), hook_(std::move(hook)) {}
  ~PythonHook() override {
    drop_reference(state_.release().ptr());
    drop_reference(hook_.release().ptr());
  }
  std::unique_ptr<Reduction> start(GradBucket bucket) override {
    return in_python([&]() -> std::unique_ptr<Reduction> {
      py::object future = hook_(state_, std::make_shared<GradBucket>(std::move(bucket)));
      OW_CHECK_TYPE(py::hasattr(future, "wait"),
                    "communication hook: expected it to return a Future, got ",
                    Py_TYPE(future.ptr())->tp_name);
      return std::make_unique<PythonReduction>(std::move(future));
    });
  }

 private:
  py::object state_, hook_;
};

py::object one(const Tensor& t) { return py::reinterpret_steal<py::object>(wrap(t)); }

void add_bucket(py::module_& module) {
  py::class_<GradBucket, std::shared_ptr<GradBucket>>(
      module, "GradBucket",
      "Gradients that are reduced together, as a communication hook sees them.")
      .def(
          "index", [](const GradBucket& b) { return b.index; },
          "Its place in the order in which buckets are reduced.")
      .def(
          "is_last", [](const GradBucket& b) { return b.is_last; },
          "Whether it is the last of a backward pass.")
      .def(
          "buffer", [](const GradBucket& b) { return one(b.buffer); },
          "A one-dimensional tensor of all its gradients.")
      .def(
          "gradients", [](const GradBucket& b) { return to_list(b.gradients); },
          "Parts of the buffer, of the sizes of the parameters.")
      .def(
          "parameters", [](const GradBucket& b) { return to_list(b.parameters); },
          "The parameters whose gradients it has.")
      .def(
          "set_buffer",
          [](GradBucket& b, const py::object& buffer) {
            OW_CHECK_TYPE(is_tensor(buffer.ptr()), "set_buffer(): expected a tensor, got ",
                          Py_TYPE(buffer.ptr())->tp_name);
            b.buffer = tensor_of(buffer.ptr());
          },
          py::arg("buffer"),
          "Another tensor in the place of the buffer, for hooks that are called by this one.");
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
  all["began"] = found.began;
  all["backward"] = found.backward;
  all["total"] = found.total;
  all["hidden"] = found.hidden;
  return all;
}

}  // namespace

void add_reducer(py::module_& module) {
  add_bucket(module);
  py::class_<Reducer, std::shared_ptr<Reducer>>(module, "_Reducer")
      .def(py::init(&make), py::arg("parameters"), py::arg("names"), py::arg("group"),
           py::arg("limits"), py::arg("gradients_are_views"), py::arg("finds_unused"),
           py::arg("is_static"), py::arg("skips_unused"), py::arg("is_lazy"))
      .def("prepare_for_backward",
           [](Reducer& reducer, const py::list& outputs) {
             const std::vector<Tensor> tensors = to_tensors(outputs);
             note_python_site();
             without_gil([&] { reducer.prepare_for_backward(tensors); });
           })
      .def("expect_nothing",
           [](Reducer& reducer) { without_gil([&] { reducer.expect_nothing(); }); })
      .def("set_hook",
           [](Reducer& reducer, py::object state, py::object hook) {
             auto made = std::make_unique<PythonHook>(std::move(state), std::move(hook));
             without_gil([&] { reducer.set_hook(std::move(made)); });
           })
      .def("set_group",
           [](Reducer& reducer, ProcessGroupPtr group) {
             without_gil([&] { reducer.set_group(std::move(group)); });
           })
      .def("set_divisor",
           [](Reducer& reducer, int ranks) { without_gil([&] { reducer.set_divisor(ranks); }); })
      .def("keep_only",
           [](Reducer& reducer, std::vector<bool> kept) {
             without_gil([&] { reducer.keep_only(std::move(kept)); });
           })
      .def("shadow_pass",
           [](Reducer& reducer) {
             note_python_site();
             without_gil([&] { reducer.shadow_pass(); });
           })
      .def("arrived",
           [](Reducer& reducer) { return without_gil([&] { return reducer.arrived(); }); })
      .def("changes",
           [](Reducer& reducer) { return without_gil([&] { return reducer.changes(); }); })
      .def("is_rebuilt",
           [](Reducer& reducer) { return without_gil([&] { return reducer.is_rebuilt(); }); })
      .def("statistics", &statistics);
}

}  // namespace opweave::python

// The reducer of data-parallel training, as a Python class.
#include "runtime/distributed/training/reducer.h"

#include <pybind11/stl.h>

#include <atomic>
#include <numeric>

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
  // Notes when it is done, as far as it tells: who waits may come much later.
  void listen() {
    if (!py::hasattr(future_, "add_done_callback")) return;
    future_.attr("add_done_callback")(
        py::cpp_function([done = done_](const py::args&) { done->store(Clock::now()); }));
  }
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
  Clock::time_point ended() const override {
    const Clock::time_point done = done_->load();
    return done == Clock::time_point{} ? ended_ : std::min(done, ended_);
  }

 private:
  py::object future_;
  Clock::time_point ended_{};
  const std::shared_ptr<std::atomic<Clock::time_point>> done_ =
      std::make_shared<std::atomic<Clock::time_point>>(Clock::time_point{});
};

// The group that a hook has been given as its state, or within that.
ProcessGroupPtr group_in(const py::object& state) {
  py::object found = state;
  if (py::hasattr(state, "process_group")) found = state.attr("process_group");
  return py::isinstance<ProcessGroup>(found) ? found.cast<ProcessGroupPtr>() : nullptr;
}

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
      auto reduction = std::make_unique<PythonReduction>(std::move(future));
      reduction->listen();
      return reduction;
    });
  }
  void abort(const std::string& reason) override {
    const ProcessGroupPtr own = in_python([&] { return group_in(state_); });
    if (own != nullptr) own->abort(reason);
  }
  int traverse(visitproc visit, void* arg) const {
    Py_VISIT(state_.ptr());
    Py_VISIT(hook_.ptr());
    return 0;
  }

 private:
  py::object state_, hook_;
};

std::shared_ptr<Reducer>& reducer_in(PyObject* self) {
  return reinterpret_cast<py::detail::instance*>(self)
      ->get_value_and_holder()
      .holder<std::shared_ptr<Reducer>>();
}

// A hook often knows the model that knows the reducer: a collector of garbage has to see that.
// Outputs of a forward pass keep a reducer, too; then nothing of it is garbage.
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const auto value = reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder();
  if (!value.holder_constructed()) return 0;
  const std::shared_ptr<Reducer>& reducer = reducer_in(self);
  if (reducer == nullptr || reducer.use_count() > 1 || reducer->hook().use_count() > 1) return 0;
  const auto* hook = dynamic_cast<const PythonHook*>(reducer->hook().get());
  return hook == nullptr ? 0 : hook->traverse(visit, arg);
}

int clear(PyObject* self) {
  if (reinterpret_cast<py::detail::instance*>(self)->get_value_and_holder().holder_constructed())
    reducer_in(self)->drop_hook();
  return 0;
}

// What libraries of C++ bring: a capsule of this name, of a pointer to a shared pointer.
constexpr const char* kHookCapsule = "opweave::distributed::CommHook";

std::shared_ptr<CommHook> hook_of(const py::object& state, const py::object& hook) {
  if (!PyCapsule_CheckExact(hook.ptr())) return std::make_shared<PythonHook>(state, hook);
  OW_CHECK_VALUE(PyCapsule_IsValid(hook.ptr(), kHookCapsule),
                 "register_comm_hook: hook: expected a capsule named '", kHookCapsule, "', got '",
                 PyCapsule_GetName(hook.ptr()) ? PyCapsule_GetName(hook.ptr()) : "", "'");
  OW_CHECK_VALUE(state.is_none(),
                 "register_comm_hook: state: a hook of C++ has its own: expected None, got ",
                 Py_TYPE(state.ptr())->tp_name);
  return *static_cast<std::shared_ptr<CommHook>*>(PyCapsule_GetPointer(hook.ptr(), kHookCapsule));
}

void set_buffer(GradBucket& bucket, const py::object& buffer) {
  OW_CHECK_TYPE(is_tensor(buffer.ptr()), "set_buffer(): expected a tensor, got ",
                Py_TYPE(buffer.ptr())->tp_name);
  const Tensor& given = tensor_of(buffer.ptr());
  OW_CHECK_VALUE(given.dim() == 1 && given.numel() == bucket.buffer.numel(),
                 "set_buffer(): buffer: expected one dimension of ", bucket.buffer.numel(),
                 " elements, got the sizes ", given.sizes());
  bucket.buffer = given;
}

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
          "gradients", [](const GradBucket& b) { return to_list(b.gradients()); },
          "Parts of the buffer, of the sizes of the parameters.")
      .def(
          "parameters", [](const GradBucket& b) { return to_list(b.parameters); },
          "The parameters whose gradients it has.")
      .def(
          "used",
          [](const GradBucket& b) {
            return b.used.empty() ? std::vector<bool>(b.parameters.size(), true) : b.used;
          },
          "For each parameter whether any rank has used it. Gradients of others are zeros here, "
          "and "
          "what the hook makes of them is dropped.")
      .def(
          "group", [](const GradBucket& b) { return b.group; },
          "The model's group of processes, which may be another one after a failure.")
      .def("set_buffer", &set_buffer, py::arg("buffer"),
           "Another tensor in the place of the buffer, of as many elements, for hooks that are "
           "called by this one: gradients() are parts of it.");
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
  module.attr("_FIRST_BUCKET") = kFirstBucket;
  module.attr("_BUCKET") = kBucket;
  module.def(
      "_assign_buckets",
      [](const std::vector<std::pair<size_t, size_t>>& kinds_and_nbytes,
         const BucketLimits& limits) {
        std::vector<GradientSize> gradients;
        for (const auto& [kind, nbytes] : kinds_and_nbytes) gradients.push_back({kind, nbytes});
        std::vector<size_t> order(gradients.size());
        std::iota(order.begin(), order.end(), size_t{0});
        return assign_buckets(gradients, order, limits);
      },
      py::arg("kinds_and_nbytes"), py::arg("limits"));
  const py::custom_type_setup collected([](PyHeapTypeObject* heap_type) {
    PyTypeObject* type = &heap_type->ht_type;
    type->tp_flags |= Py_TPFLAGS_HAVE_GC;
    type->tp_traverse = traverse;
    type->tp_clear = clear;
  });
  py::class_<Reducer, std::shared_ptr<Reducer>>(module, "_Reducer", collected)
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
      .def("check_finished",
           [](Reducer& reducer) { without_gil([&] { reducer.check_finished(); }); })
      .def("set_hook",
           [](Reducer& reducer, const py::object& state, const py::object& hook) {
             std::shared_ptr<CommHook> made = hook_of(state, hook);
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
      .def("order", [](Reducer& reducer) { return without_gil([&] { return reducer.order(); }); })
      .def("set_order",
           [](Reducer& reducer, const std::vector<size_t>& order) {
             without_gil([&] { reducer.set_order(order); });
           })
      .def("statistics", &statistics);
}

}  // namespace opweave::python

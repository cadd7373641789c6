// What the making of groups in Python has of C++: a rank's claim, and the time that all may take.
#include "runtime/distributed/backends/groups/claim.h"

#include <pybind11/pybind11.h>

#include <optional>

#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/timeout.h"
#include "runtime/distributed/store/time_limit.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

// Of the thread that enters it; within another it is no longer than that.
class Within {
 public:
  explicit Within(Milliseconds timeout) : timeout_(timeout) {}
  void enter() {
    const TimeLimit own = TimeLimit::after(timeout_);
    const TimeLimit* outer = TimeLimitScope::current();
    scope_.emplace(outer == nullptr ? own : own.or_earlier(*outer));
  }
  void leave() { scope_.reset(); }

 private:
  const Milliseconds timeout_;
  std::optional<TimeLimitScope> scope_;
};

}  // namespace

void add_claim(py::module_& module) {
  py::class_<Within>(module, "_Within")
      .def(py::init<Milliseconds>(), py::arg("timeout"))
      .def("__enter__", &Within::enter)
      .def("__exit__", [](Within& w, const py::args&) { w.leave(); });
  py::class_<Claim, std::shared_ptr<Claim>>(module, "_Claim")
      .def(py::init([](std::shared_ptr<Store> store, std::string group, int rank, int size) {
             return make_without_gil<Claim>(std::move(store), std::move(group), rank, size);
           }),
           py::arg("store"), py::arg("group"), py::arg("rank"), py::arg("size"),
           // A store that is a Python object is to live as long.
           py::keep_alive<1, 2>())
      .def_property_readonly("store", &Claim::store, py::keep_alive<0, 1>())
      .def_property_readonly("meeting_store", &Claim::meeting_store, py::keep_alive<0, 1>())
      .def("note_made", &Claim::note_made)
      .def("release", [](Claim& c) { without_gil([&] { c.release(); }); });
}

}  // namespace opweave::python

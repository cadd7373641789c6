// ProcessGroup and Work, as Python classes.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <thread>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/distributed/opaque_classes.h"
#include "bindings/python/distributed/python_group.h"
#include "bindings/python/distributed/python_site.h"
#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "bindings/python/distributed/tensor_list.h"
#include "bindings/python/distributed/timeout.h"
#include "runtime/distributed/backends/groups/make_group.h"
#include "runtime/distributed/backends/nccl/nccl_backend.h"
#include "runtime/distributed/backends/registry/nccl_library.h"
#include "runtime/distributed/backends/registry/registry.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/watch/call_site.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

std::shared_ptr<ProcessGroup> owned(std::unique_ptr<Group> group) {
  return std::shared_ptr<ProcessGroup>(group.release(), [](Group* group) {
    if (PyGILState_Check() == 0) return delete group;
    without_gil([&] { delete group; });
  });
}

const Group& native(const ProcessGroup& group, const char* function) {
  const auto* made = dynamic_cast<const Group*>(&group);
  OW_CHECK(made != nullptr, function, "(): the backend of the group '", group.name(),
           "' is not one of Opweave's");
  return *made;
}

// Of ranks that know of one another from a group of Opweave, if there is one.
BackendContext context_in(const std::shared_ptr<ProcessGroup>& parent, BackendContext context) {
  const auto* group = dynamic_cast<const Group*>(parent.get());
  return group == nullptr ? context : group->watched(context);
}

// `device` is connected at once.
std::shared_ptr<ProcessGroup> make(const Routes& routes, std::shared_ptr<Store> store,
                                   const std::string& name, int rank, std::vector<int> ranks,
                                   Milliseconds timeout, std::optional<std::string> device,
                                   const std::shared_ptr<ProcessGroup>& parent, int priority) {
  const int size = static_cast<int>(ranks.size());
  const BackendContext context =
      context_in(parent, {std::move(store), name, rank, size, timeout, std::move(ranks), priority});
  return without_gil([&] {
    std::optional<Device> connected;
    if (device) connected = parse_device(*device);
    return owned(make_group(context, routes, connected));
  });
}

// Of a group of Opweave; None for a rank of no part (its color is negative).
std::shared_ptr<ProcessGroup> split_group(ProcessGroup& whole, int color,
                                          std::shared_ptr<Store> store, const std::string& name,
                                          int rank, std::vector<int> ranks, Milliseconds timeout) {
  auto* group = dynamic_cast<Group*>(&whole);
  OW_CHECK(group != nullptr, "split_group(): the backend of the group '", whole.name(),
           "' cannot be split");
  const int size = static_cast<int>(ranks.size());
  const BackendContext part{std::move(store), name, rank, size, timeout, std::move(ranks)};
  return without_gil([&]() -> std::shared_ptr<ProcessGroup> {
    auto made = group->split(part, color);
    return made == nullptr ? nullptr : owned(std::move(made));
  });
}

std::string choose(std::shared_ptr<Store> store, const std::string& name, int rank,
                   std::vector<int> ranks, const std::shared_ptr<ProcessGroup>& parent) {
  const Milliseconds timeout = store->timeout();
  const int size = static_cast<int>(ranks.size());
  const BackendContext context =
      context_in(parent, {std::move(store), name, rank, size, timeout, std::move(ranks)});
  return without_gil([&] { return choose_backend(context); });
}

// The callback is called, and given up, on whatever thread the work ends.
void when_done(Work& work, const py::function& callback) {
  const std::shared_ptr<PyObject> kept(callback.inc_ref().ptr(), &drop_reference);
  without_gil([&] {
    work.when_done([kept] {
      const AcquireGil gil;
      if (PyObject* result = interpreted(PyObject_CallNoArgs, kept.get()))
        Py_DECREF(result);
      else
        PyErr_WriteUnraisable(kept.get());
    });
  });
}

// At once: each may wait for ranks that say nothing.
void leave_all(const std::vector<std::shared_ptr<ProcessGroup>>& groups) {
  without_gil([&] {
    std::vector<std::thread> others;
    size_t begun = 1;
    try {
      others.reserve(groups.size());
      for (; begun < groups.size(); ++begun)
        others.emplace_back([&group = *groups[begun]] { group.leave(); });
    } catch (const std::system_error&) {
      // Without threads one leaves after the other.
    }
    if (!groups.empty()) groups[0]->leave();
    for (; begun < groups.size(); ++begun) groups[begun]->leave();
    for (std::thread& other : others) other.join();
  });
}

// How long it ran. RuntimeError while it does.
double milliseconds_of(const Work& work) {
  OW_CHECK(work.is_completed(), "_get_duration(): the work is not done");
  const Work::Times times = work.times();
  return std::chrono::duration<double, std::milli>(times.ended - times.started).count();
}

std::vector<std::string_view> reduction_names() {
  std::vector<std::string_view> names;
  for (int op = 0; op <= static_cast<int>(ReduceOp::kBxor); ++op)
    names.push_back(name_of(static_cast<ReduceOp>(op)));
  return names;
}

void add_work(py::module_& module) {
  py::class_<Work, std::shared_ptr<Work>>(module, "Work",
                                          "A collective on its way: what `async_op=True` returns.")
      .def(
          "wait",
          [](Work& work, std::optional<Milliseconds> timeout) {
            without_gil([&] { work.wait(timeout); });
            return true;
          },
          py::arg("timeout") = py::none(),
          "Returns True when it is done; raises what it failed with, and DistBackendError after "
          "the timeout.")
      .def(
          "get_future",
          [](const std::shared_ptr<Work>& work) {
            return py::module_::import("opweave.futures").attr("_of_work")(work);
          },
          "An opweave.futures.Future of the tensors that it writes.")
      .def("_when_done", &when_done)
      .def("is_completed", &Work::is_completed, "Whether it is done, or failed.")
      .def("is_success", &Work::is_success, "Whether it is done and did not fail.")
      .def(
          "exception",
          [](const Work& work) -> py::object {
            const std::exception_ptr error = work.exception();
            if (!error) return py::none();
            try {
              std::rethrow_exception(error);
            } catch (const DistBackendError& e) {
              return py::module_::import("opweave.distributed")
                  .attr("DistBackendError")(e.message());
            } catch (const PythonException& e) {
              e.restore();
              const py::error_already_set raised;
              return raised.value();
            } catch (const std::exception& e) {
              return py::reinterpret_borrow<py::object>(PyExc_RuntimeError)(e.what());
            }
          },
          "What it failed with; None where it has not.")
      .def(
          "result", [](const Work& work) { return to_list(work.result()); },
          "The tensors that it writes.")
      .def("source_rank", &Work::source_rank, "The rank in the group from which a recv came.")
      .def("_source_rank", &Work::source_rank)
      .def("_get_sequence_number", &Work::sequence)
      .def("_get_duration", &milliseconds_of)
      .def("_sequence", &Work::sequence);
}

void add_group(py::module_& module) {
  py::class_<ProcessGroup, PythonGroup, std::shared_ptr<ProcessGroup>>(
      module, "ProcessGroup",
      "Processes that compute together. Made by init_process_group and new_group. A backend that "
      "is written in Python is a class derived from this one (Backend.register_backend).")
      .def(py::init_alias<int, int>(), py::arg("rank"), py::arg("size"))
      .def("_set_group_name",
           [](ProcessGroup& g, const std::string& name, const std::string& backend,
              std::vector<int> ranks, Milliseconds timeout) {
             if (auto* made = dynamic_cast<PythonGroup*>(&g))
               made->set_name(name, backend, std::move(ranks), timeout);
           })
      .def("rank", &ProcessGroup::rank, "The rank of this process in the group.")
      .def("size", &ProcessGroup::size, "How many processes the group has.")
      .def_property_readonly("group_name", &ProcessGroup::name, "A name that all its ranks know.")
      .def("name", &ProcessGroup::name, "The same as group_name.")
      .def(
          "abort",
          [](ProcessGroup& g, const std::string& reason) { without_gil([&] { g.abort(reason); }); },
          py::arg("reason") = "it was aborted",
          "Ends what runs, on all ranks, and whatever is called later.")
      .def(
          "_set_timeout",
          [](ProcessGroup& g, Milliseconds timeout) {
            if (auto* made = dynamic_cast<Group*>(&g)) return made->set_timeout(timeout);
            auto* made = dynamic_cast<PythonGroup*>(&g);
            OW_CHECK(made != nullptr, "set_timeout(): the backend of the group '", g.name(),
                     "' keeps its timeout to itself");
            made->set_timeout(timeout);
          },
          py::arg("timeout"))
      .def("_speaks_on",
           [](ProcessGroup& g) {
             const auto* made = dynamic_cast<Group*>(&g);
             return to_string(made == nullptr ? host_device() : made->speaks_on());
           })
      .def("_is_native", [](ProcessGroup& g) { return dynamic_cast<Group*>(&g) != nullptr; })
      .def("_begin_batch", &ProcessGroup::begin_batch)
      .def("_end_batch", [](ProcessGroup& g) { without_gil([&] { g.end_batch(); }); })
      .def("_staged",
           [](const ProcessGroup& g) {
             const auto* made = dynamic_cast<const Group*>(&g);
             const Staged staged = made == nullptr ? Staged{} : made->staged();
             return std::pair(staged.collectives, staged.nbytes);
           })
      .def("_hosts",
           [](const ProcessGroup& g) { return native(g, "measure_links").on_host()->hosts(); })
      .def("_explain",
           [](const ProcessGroup& g, size_t nbytes) {
             return native(g, "explain").on_host()->explain(nbytes);
           })
      .def("_set_links",
           [](const ProcessGroup& g, std::array<double, 3> within, std::array<double, 3> between) {
             const auto link = [](const auto& a) { return Link{a[0], a[1], a[2]}; };
             native(g, "measure_links").on_host()->set_links({link(within), link(between)});
           })
      .def("_lost",
           [](const ProcessGroup& g) {
             const auto* made = dynamic_cast<const Group*>(&g);
             return made == nullptr ? std::map<int, std::string>() : made->lost();
           })
      .def("_leave", [](ProcessGroup& g) { without_gil([&] { g.leave(); }); });
  module.def("_leave_all", &leave_all, py::arg("groups"));
  module.def("_make_group", &make, py::arg("routes"), py::arg("store"), py::arg("name"),
             py::arg("rank"), py::arg("ranks"), py::arg("timeout"), py::arg("device") = py::none(),
             py::arg("parent") = py::none(), py::arg("priority") = 0);
  module.def("_split_group", &split_group, py::arg("group"), py::arg("color"), py::arg("store"),
             py::arg("name"), py::arg("rank"), py::arg("ranks"), py::arg("timeout"));
  module.def("_is_nccl_available",
             [] { return without_gil([] { return is_available(nccl_like()); }); });
  module.def("_nccl_version",
             [] { return without_gil([] { return library_version(nccl_like()); }); });
  module.def(
      "register_nccl_library",
      [](const std::string& name, const std::string& library, const std::string& device) {
        register_nccl_library({name, {library}, device});
      },
      py::arg("name"), py::arg("library"), py::arg("device"),
      "Makes a backend of a library of NCCL's interface: `library` is its file, `device` the type "
      "of "
      "the devices whose tensors it takes. Groups know it by `name` from now on. ValueError where "
      "the name is taken.");
  module.def("_choose_backend", &choose, py::arg("store"), py::arg("name"), py::arg("rank"),
             py::arg("ranks"), py::arg("parent"));
  module.def("_backend_names", &backend_names);
  module.def("_start_place", [](const std::string& backend) {
    return without_gil([&]() -> std::optional<std::tuple<int, int, std::string>> {
      const auto starter = find_starter(backend);
      if (!starter) return std::nullopt;
      const StartPlace own = starter->place();
      return std::tuple(own.rank, own.size, own.address);
    });
  });
  module.def("_spread",
             [](const std::string& backend, const std::string& text, Milliseconds timeout) {
               return without_gil(
                   [&] { return find_starter(backend)->spread(text, Deadline::after(timeout)); });
             });
  module.def("_has_backend", [](const std::string& name) {
    return without_gil([&] { return has_backend(name); });
  });
  module.def("_reduction_names", &reduction_names);
}

}  // namespace

void add_groups(py::module_& module) {
  add_work(module);
  add_group(module);
  register_shared_class<ProcessGroup, note_python_site>("ProcessGroup",
                                                        "opweave.distributed.ProcessGroup");
  register_shared_class<Work>("Work", "opweave.distributed.Work");
  distributed::set_site_source(note_python_site_of_thread);
}

}  // namespace opweave::python

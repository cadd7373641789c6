// The flight record, as Python reads it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "runtime/core/str.h"
#include "runtime/distributed/watch/watchdog.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

void dump_before_end(const std::string& reason) {
  if (!watch_settings().dump_on_failure) return;
  try {
    say(str(reason, "; the flight record is in ", Watchdog::of_process().dump(reason)));
  } catch (const Error& error) {
    say(error.message());
  }
}

}  // namespace

void add_watch(py::module_& module) {
  module.def(
      "_flight_record",
      [](const std::string& reason) {
        return without_gil([&] { return Watchdog::of_process().to_json(reason); });
      },
      py::arg("reason"));
  module.def(
      "_dump_flight_record",
      [](const std::string& reason, const std::string& path) {
        return without_gil([&] { return Watchdog::of_process().dump(reason, path); });
      },
      py::arg("reason"), py::arg("path"));
  module.def(
      "_dump_before_end",
      [](const std::string& reason) { without_gil([&] { dump_before_end(reason); }); },
      py::arg("reason"));
  module.def(
      "_set_collective_title",
      [](const std::optional<std::string>& name) -> std::optional<std::string> {
        const std::string* before = set_title(name ? interned(*name) : nullptr);
        return before == nullptr ? std::nullopt : std::optional(*before);
      },
      py::arg("name"));
  module.def("_watchdog_heartbeat", [] { return Watchdog::of_process().heartbeat(); });
}

}  // namespace opweave::python

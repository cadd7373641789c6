// The flight record, as Python reads it.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <stdlib.h>
#include <unistd.h>

#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "runtime/core/base/str.h"
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

// What is written if the process ends with another status than 0, by sys.exit(3): that is known
// only when Python is gone.
struct Ending {
  pid_t process;
  std::string path, before, after;  // of the file; its text, around the status
};

void end_with(int status, void* kept) noexcept try {
  const auto& ending = *static_cast<const Ending*>(kept);
  if (status == 0 || getpid() != ending.process) return;
  const std::string number = std::to_string(status);
  write_report(ending.path, ending.before + number + ending.after);
  say(str("this rank exited with status ", number, "; the flight record is in ", ending.path));
} catch (const std::exception& error) {
  say(error.what());
}

void dump_if_it_failed() {
  if (!watch_settings().dump_on_failure) return;
  const Watchdog& watchdog = Watchdog::of_process();
  constexpr std::string_view kMark = "\x1a";  // where the status goes; JSON writes it as \u001a
  const std::string text = watchdog.to_json(str("this rank exited with status ", kMark));
  const size_t at = text.find("\\u001a");
  if (at == text.npos) return;
  const std::string path = str(watch_settings().dump_prefix, watchdog.rank());
  // For as long as the process lives.
  on_exit(&end_with, new Ending{getpid(), path, text.substr(0, at), text.substr(at + 6)});
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
  module.def("_dump_if_it_failed", [] { without_gil([] { dump_if_it_failed(); }); });
  module.def("_watchdog_heartbeat", [] { return Watchdog::of_process().heartbeat(); });
}

}  // namespace opweave::python

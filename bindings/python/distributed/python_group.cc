// Calls of C++ that become calls of Python, and what those return.
#include "bindings/python/distributed/python_group.h"

#include <pybind11/chrono.h>
#include <pybind11/stl.h>

#include <mutex>

#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/tensor/tensor_object.h"
#include "bindings/python/distributed/in_python.h"
#include "bindings/python/distributed/tensor_list.h"
#include "runtime/distributed/watch/flight_recorder.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

// The text of what Python raised.
std::string text_of(const PythonException& error) {
  const py::gil_scoped_acquire gil;
  error.restore();
  const py::error_already_set raised;
  const std::string kind = py::str(raised.type().attr("__name__"));
  return kind + ": " + std::string(py::str(raised.value()));
}

// What a method returned: an object with wait(), or None where all is done.
class PythonWork final : public Work {
 public:
  PythonWork(py::object work, std::vector<Tensor> outputs, uint64_t sequence, uint64_t record)
      : work_(std::move(work)),
        outputs_(std::move(outputs)),
        sequence_(sequence),
        record_(record),
        began_(Clock::now()) {
    if (work_.is_none()) end(nullptr, "");
  }
  ~PythonWork() override { drop_reference(work_.release().ptr()); }

  void wait(std::optional<Milliseconds> timeout) override {
    // What it failed with it is asked for again: its object knows better, where it is written so.
    try {
      in_python([&] {
        if (work_.is_none()) return;
        timeout ? work_.attr("wait")(*timeout) : work_.attr("wait")();
      });
    } catch (const PythonException& error) {
      end(std::current_exception(), text_of(error));
      throw;
    }
    end(nullptr, "");
  }
  bool is_completed() const override {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return true;
    }
    return in_python([&] {
      return py::hasattr(work_, "is_completed") && work_.attr("is_completed")().cast<bool>();
    });
  }
  // Such works say nothing by themselves.
  void when_done(std::function<void()> callback) override {
    try {
      wait({});
    } catch (const PythonException&) {
      // Whoever is called asks for it.
    }
    callback();
  }
  // Also one that its object tells of before it is waited for.
  std::exception_ptr exception() const override {
    {
      const std::lock_guard lock(mutex_);
      if (error_ != nullptr || ended_) return error_;
    }
    return in_python([&]() -> std::exception_ptr {
      if (!py::hasattr(work_, "exception")) return nullptr;
      const py::object error = work_.attr("exception")();
      if (!PyExceptionInstance_Check(error.ptr())) return nullptr;
      PyErr_SetObject(py::type::of(error).ptr(), error.ptr());
      return std::make_exception_ptr(PythonException());
    });
  }
  std::vector<Tensor> result() const override { return outputs_; }
  int source_rank() const override {
    return in_python([&] {
      const bool says = !work_.is_none() && py::hasattr(work_, "source_rank");
      return says ? work_.attr("source_rank")().cast<int>() : -1;
    });
  }
  uint64_t sequence() const override { return sequence_; }
  Times times() const override {
    const std::lock_guard lock(mutex_);
    return {began_, began_, when_ended_};
  }

 private:
  void end(std::exception_ptr error, std::string_view text) {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      ended_ = true;
      error_ = std::move(error);
      when_ended_ = Clock::now();
    }
    FlightRecorder::of_process().end(record_, text);
  }

  py::object work_;
  const std::vector<Tensor> outputs_;
  const uint64_t sequence_, record_;
  const Clock::time_point began_;
  mutable std::mutex mutex_;
  bool ended_ = false;
  std::exception_ptr error_;
  Clock::time_point when_ended_{};
};

}  // namespace

void PythonGroup::set_name(const std::string& name, const std::string& backend,
                           std::vector<int> ranks) {
  name_ = name;
  group_name_ = std::make_shared<GroupName>(
      GroupName{name, backend, rank_, size_, std::move(ranks), 0, environment_of_groups()});
}

template <class Call>
void PythonGroup::tell(const char* method, Call call) const {
  const py::gil_scoped_acquire gil;
  try {
    const py::function own = py::get_override(static_cast<const ProcessGroup*>(this), method);
    if (own) call(own);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable(method);
  }
}

void PythonGroup::abort(const std::string& reason) {
  tell("_abort", [&](const py::function& own) { own(reason); });
  tell("abort", [](const py::function& own) { own(); });
}

void PythonGroup::leave() {
  tell("shutdown", [](const py::function& own) { own(); });
}

WorkPtr PythonGroup::start(Collective collective) {
  std::atomic<uint64_t>& count =
      counts_[is_letter(collective.kind) ? (collective.kind == CollectiveKind::kSend ? 1 : 2) : 0];
  collective.sequence = count.fetch_add(1);
  const CallSite site = take_call_site();
  FlightRecorder& recorder = FlightRecorder::of_process();
  const uint64_t record =
      group_name_ == nullptr ? 0 : recorder.record(group_name_, collective, site);
  recorder.start(record);
  try {
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
      auto made = std::make_shared<PythonWork>(std::move(work), std::move(collective.outputs),
                                               collective.sequence, record);
      if (!collective.async) made->wait({});
      return made;
    });
  } catch (const PythonException& error) {
    recorder.end(record, text_of(error));
    throw;
  }
}

}  // namespace opweave::python

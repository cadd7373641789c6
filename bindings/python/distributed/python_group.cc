// Calls of C++ that become calls of Python, and what those return.
#include "bindings/python/distributed/python_group.h"

#include <pybind11/chrono.h>
#include <pybind11/stl.h>

#include <mutex>

#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/tensor_object.h"
#include "bindings/python/distributed/in_python.h"
#include "bindings/python/distributed/tensor_list.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/threads.h"
#include "runtime/distributed/watch/flight_recorder.h"
#include "runtime/distributed/watch/watchdog.h"

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

// The same, with a note of the call, which Python prints below it.
[[noreturn]] void throw_with_note(const PythonException& error, const PythonCollective& call) {
  const py::gil_scoped_acquire gil;
  error.restore();
  py::error_already_set raised;
  try {
    raised.value().attr("add_note")("in " + call.text + call.site);
  } catch (const py::error_already_set&) {
    // An exception of an odd class goes without.
  }
  raised.restore();
  throw PythonException();
}

// Calls what may hang, and raises if the watchdog gave it up meanwhile.
template <class Call>
auto watched(PythonWaits& waits, const PythonCollective& call, Call body) {
  const PythonWaits::Waiting waiting(waits, call);
  const auto check = [&] {
    if (const std::string why = waiting.given_up(); !why.empty())
      throw DistBackendError(why + call.site);
  };
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    check();
  } else {
    auto result = body();
    check();
    return result;
  }
}

// What a method returned: an object with wait(), or None where all is done.
class PythonWork final : public Work {
 public:
  PythonWork(py::object work, std::vector<Tensor> outputs, uint64_t sequence, PythonCollective call,
             std::shared_ptr<PythonWaits> waits)
      : work_(std::move(work)),
        outputs_(std::move(outputs)),
        sequence_(sequence),
        call_(std::move(call)),
        waits_(std::move(waits)),
        began_(Clock::now()) {
    if (work_.is_none()) end(nullptr, "");
  }
  ~PythonWork() override { drop_reference(work_.release().ptr()); }

  void wait(std::optional<Milliseconds> timeout) override {
    // What it failed with it is asked for again: its object knows better, where it is written so.
    try {
      watched(*waits_, call_, [&] {
        in_python([&] {
          if (work_.is_none()) return;
          timeout ? work_.attr("wait")(*timeout) : work_.attr("wait")();
        });
      });
    } catch (const DistBackendError& error) {
      end(std::current_exception(), error.message());
      throw;
    } catch (const PythonException& error) {
      const bool is_first = end(std::current_exception(), text_of(error));
      if (is_first) throw_with_note(error, call_);
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
    } catch (const DistBackendError&) {
      // The same.
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
  // Whether this is how it ended.
  bool end(std::exception_ptr error, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    ended_ = true;
    error_ = std::move(error);
    when_ended_ = Clock::now();
    FlightRecorder::of_process().end(call_.record, text);
    return true;
  }

  py::object work_;
  const std::vector<Tensor> outputs_;
  const uint64_t sequence_;
  const PythonCollective call_;
  const std::shared_ptr<PythonWaits> waits_;
  const Clock::time_point began_;
  mutable std::mutex mutex_;
  bool ended_ = false;
  std::exception_ptr error_;
  Clock::time_point when_ended_{};
};

}  // namespace

PythonGroup::~PythonGroup() {
  *self_ = nullptr;
  if (group_name_ != nullptr) Watchdog::of_process().remove(*this);
}

void PythonGroup::set_name(const std::string& name, const std::string& backend,
                           std::vector<int> ranks, Milliseconds timeout) {
  const bool is_new = group_name_ == nullptr;
  name_ = name;
  set_timeout(timeout);
  group_name_ = std::make_shared<GroupName>(
      GroupName{name, backend, rank_, size_, std::move(ranks), 0, environment_of_groups()});
  if (is_new) Watchdog::of_process().add(*this);
}

std::string PythonGroup::end_overdue(Work::Clock::time_point now) {
  const bool gives_up = watch_settings().policy != FailurePolicy::log;
  const std::string why = waits_->take_overdue(now, gives_up);
  if (why.empty() || !gives_up) return why;
  // Its methods need the interpreter, which whoever hangs may have.
  begin_thread([self = self_, why] {
    const AcquireGil gil;
    if (*self == nullptr) return;
    const py::object stays = py::cast(static_cast<ProcessGroup*>(*self));
    (*self)->abort(why);
  }).detach();
  return why;
}

std::vector<Progress> PythonGroup::progress() const {
  std::vector<Progress> all;
  size_t i = 0;
  for (const std::string_view queue : {"collectives", "sends", "receives"}) {
    const auto called = static_cast<int64_t>(counts_[i++].load());
    all.push_back({queue, {called - 1, CollectiveKind{}}, {called - 1, CollectiveKind{}}, {}, 0});
  }
  return all;
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
  const std::string place = describe(site);
  PythonCollective call{.text = describe_call(collective),
                        .site = str("; in the group '", name_, "' (rank ", rank_, " of ", size_,
                                    ")", place.empty() ? "" : ", called at ", place),
                        .timeout = collective.timeout.value_or(timeout_.load())};
  if (group_name_ != nullptr) call.record = recorder.record(group_name_, collective, site);
  recorder.start(call.record);
  const uint64_t record = call.record;
  try {
    return start_in_python(std::move(collective), std::move(call));
  } catch (const PythonException& error) {
    recorder.end(record, text_of(error));
    throw;
  }
}

WorkPtr PythonGroup::start_in_python(Collective collective, PythonCollective call) {
  const bool async = collective.async;
  const auto call_method = [&] {
    return in_python([&]() -> std::shared_ptr<PythonWork> {
      py::dict options;
      options["op"] = std::string(name_of(collective.op));
      options["root"] = collective.root;
      options["tag"] = collective.tag;
      options["timeout"] = collective.timeout;
      const py::object start =
          py::module_::import("opweave.distributed._backends").attr("start_python");
      py::object work =
          start(py::cast(this), std::string(name_of(collective.kind)), to_list(collective.inputs),
                to_list(collective.outputs), async, **options);
      return std::make_shared<PythonWork>(std::move(work), std::move(collective.outputs),
                                          collective.sequence, call, waits_);
    });
  };
  std::shared_ptr<PythonWork> made;
  try {
    made = watched(*waits_, call, call_method);
  } catch (const PythonException& error) {
    throw_with_note(error, call);
  }
  if (!async) made->wait({});
  return made;
}

}  // namespace opweave::python

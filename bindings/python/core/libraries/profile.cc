#include "bindings/python/core/libraries/profile.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <vector>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/size_object.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/dispatch/observer.h"

namespace opweave::python {
namespace {

struct Event {
  const OperatorEntry* op;
  int64_t start, end, thread;
  bool failed;
  std::vector<DimVector> shapes;  // of the arguments; of what is no tensor none
};

// A call of this thread that is not over.
struct Open {
  const ObservedCall* call;
  int64_t start;
};

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t this_thread() {
  thread_local const int64_t id = syscall(SYS_gettid);
  return id;
}

std::vector<DimVector> shapes_of(const Stack* arguments) {
  std::vector<DimVector> shapes;
  if (arguments == nullptr) return shapes;
  for (const IValue& value : *arguments) {
    const bool known = value.is_tensor() && value.to_tensor().defined();
    shapes.push_back(known ? DimVector(value.to_tensor().sizes()) : DimVector());
  }
  return shapes;
}

class Profile final : public CallObserver {
 public:
  explicit Profile(bool record_shapes) : record_shapes_(record_shapes) {}
  bool wants_values() const override { return record_shapes_; }

  void begin(const ObservedCall& call) override {
    if (is_same_call(call)) return;
    open().push_back({&call, now()});
  }
  void end(const ObservedCall& call) noexcept override {
    if (open().empty() || open().back().call != &call) return;
    const int64_t start = open().back().start, ended = now();
    open().pop_back();
    try {
      Event event{&call.op(),    start,         ended,
                  this_thread(), call.failed(), shapes_of(call.arguments())};
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    } catch (const std::bad_alloc&) {
      // The event is lost, which the program that is observed does not feel.
    }
  }

  std::vector<Event> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(events_, {});
  }

 private:
  // What autograd records calls the operator once more, below itself.
  static bool is_same_call(const ObservedCall& call) {
    return call.caller() != nullptr && &call.caller()->op() == &call.op();
  }
  static std::vector<Open>& open() {
    thread_local std::vector<Open> calls;
    return calls;
  }

  const bool record_shapes_;
  ForkSafeMutex mutex_;
  std::vector<Event> events_;
};

// With the interpreter lock held.
std::shared_ptr<Profile>& running() {
  static auto& profile = *new std::shared_ptr<Profile>;
  return profile;
}

PyObject* start(PyObject*, PyObject* record_shapes) try {
  OW_CHECK(running() == nullptr, "Profiler is already enabled on this thread");
  running() = std::make_shared<Profile>(PyObject_IsTrue(record_shapes) > 0);
  add_global_observer(running());
  return none();
} catch (...) {
  return set_python_error();
}

// "add" of "add.Tensor"
std::string base_name(const OperatorEntry& op) {
  std::string name = op.full_name();
  return name.substr(0, name.find('.'));
}

PyObject* tuple_of(const Event& event) {
  const PyPtr shapes =
      PyPtr::steal(check(PyList_New(static_cast<Py_ssize_t>(event.shapes.size()))));
  for (size_t i = 0; i < event.shapes.size(); ++i) {
    const PyPtr sizes = PyPtr::steal(wrap_tuple(event.shapes[i]));
    PyList_SET_ITEM(shapes.get(), static_cast<Py_ssize_t>(i), check(PySequence_List(sizes.get())));
  }
  return check(Py_BuildValue("sLLLOO", base_name(*event.op).c_str(),
                             static_cast<long long>(event.start), static_cast<long long>(event.end),
                             static_cast<long long>(event.thread), shapes.get(),
                             event.failed ? Py_True : Py_False));
}

PyObject* stop(PyObject*, PyObject*) try {
  OW_CHECK(running() != nullptr, "can't disable Profiler when it's not running");
  const std::shared_ptr<Profile> profile = std::exchange(running(), nullptr);
  remove_global_observer(*profile);
  PyPtr events = PyPtr::steal(check(PyList_New(0)));
  for (const Event& event : profile->take()) {
    const PyPtr made = PyPtr::steal(tuple_of(event));
    if (PyList_Append(events.get(), made.get()) != 0) throw_python_exception();
  }
  return events.release();
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef profile_functions[] = {
    {"_start_profile", start, METH_O, nullptr}, {"_stop_profile", stop, METH_NOARGS, nullptr}, {}};

}  // namespace opweave::python

// Notes the operators that a program calls: an observer of the thread.
#include <dlfcn.h>

#include <map>
#include <set>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/dispatch/observer.h"
#include "runtime/dispatch/registry.h"

namespace opweave {
namespace {

struct Called {
  std::set<ScalarType> dtypes;
  std::set<DeviceType> targets;
  std::string library;  // whose operator it is, if not ours
};
// The dtypes of the tensors on the stack, and those that numbers beside them promote to.
struct Values {
  Called found;
  bool real = false, integer = false;

  void add(const Stack& stack) {
    for (const IValue& value : stack) {
      if (value.is_tensor()) add(value.to_tensor());
      if (value.is_tensor_list()) {
        for (const Tensor& tensor : value.to_tensor_list()) add(tensor);
      }
      real |= std::holds_alternative<double>(value.value());
      integer |= std::holds_alternative<int64_t>(value.value());
    }
  }
  void add(const Tensor& tensor) {
    if (!tensor.defined()) return;
    if (tensor.impl()->is_wrapped_number()) {
      real |= is_floating(tensor.dtype());
      integer |= tensor.dtype() == kLong;
      return;
    }
    found.dtypes.insert(tensor.dtype());
    found.targets.insert(tensor.device().type);
  }
  void promote() {
    if (found.dtypes.empty()) return;
    const ScalarType highest = *found.dtypes.rbegin();
    if (real && !is_floating(highest)) found.dtypes.insert(default_dtype());
    if (integer && highest == kBool) found.dtypes.insert(kLong);
  }
};

// The shared library that holds a table, if it is not the one that holds this code.
std::string other_library(const OperatorEntry& op) {
  Dl_info ours, theirs;
  if (dladdr(reinterpret_cast<void*>(&start_trace), &ours) == 0 || dladdr(&op, &theirs) == 0)
    return "";
  const std::string_view path(theirs.dli_fname);
  return path == ours.dli_fname ? "" : std::string(path.substr(path.rfind('/') + 1));
}

std::string list(const std::set<ScalarType>& dtypes) {
  std::string text;
  for (ScalarType dtype : dtypes) text += str(text.empty() ? "" : ", ", dtype_name(dtype));
  return str("[", text, "]");
}

std::string list(const std::set<DeviceType>& targets) {
  std::string text;
  for (DeviceType target : targets) text += str(text.empty() ? "" : ", ", device_type_name(target));
  return text;
}

std::string line(const std::string& name, const Called& called) {
  if (!called.library.empty()) return str("# ", name, " is an operator of ", called.library, "\n");
  if (called.dtypes.empty()) return str("- ", name, "\n");
  const std::string targets = list(called.targets);
  return str("- {name: ", name, ", dtypes: ", list(called.dtypes), "}",
             targets.empty() ? "" : "  # ", targets, "\n");
}

std::string selection(const std::map<std::string, Called>& calls) {
  Called all;
  std::string operators;
  for (const auto& [name, called] : calls) {
    all.dtypes.insert(called.dtypes.begin(), called.dtypes.end());
    all.targets.insert(called.targets.begin(), called.targets.end());
    operators += line(name, called);
  }
  return str("# The operators that a program called, on: ", list(all.targets), "\n",
             all.dtypes.empty() ? "" : str("dtypes: ", list(all.dtypes), "\n"),
             "operators:", operators.empty() ? " []\n" : str("\n", operators));
}

class Trace final : public CallObserver {
 public:
  bool wants_values() const override { return true; }
  // Before what is written takes on another shape or dtype.
  void begin(const ObservedCall& call) override {
    Values values;
    values.add(*call.arguments());
    values.promote();
    note(call.op(), values);
  }
  void end(const ObservedCall& call) noexcept override {
    if (call.results() == nullptr) return;
    Values values;
    values.add(*call.results());
    note(call.op(), values);
  }

  std::string text() const {
    const std::lock_guard lock(mutex_);
    return selection(calls_);
  }

 private:
  void note(const OperatorEntry& op, Values& values) {
    const std::lock_guard lock(mutex_);
    Called& called = calls_[op.full_name()];
    called.dtypes.merge(values.found.dtypes);
    called.targets.merge(values.found.targets);
    if (called.library.empty()) called.library = other_library(op);
  }

  mutable ForkSafeMutex mutex_;
  std::map<std::string, Called> calls_;
};

// That of this thread.
std::shared_ptr<Trace>& running() {
  thread_local std::shared_ptr<Trace> trace;
  return trace;
}

}  // namespace

void start_trace() {
  OW_CHECK(running() == nullptr, "a trace of operators is running already");
  running() = std::make_shared<Trace>();
  add_thread_observer(running());
}

std::string stop_trace() {
  OW_CHECK(running() != nullptr, "no trace of operators is running in this thread");
  const std::shared_ptr<Trace> trace = std::exchange(running(), nullptr);
  remove_thread_observer(*trace);
  return trace->text();
}

}  // namespace opweave

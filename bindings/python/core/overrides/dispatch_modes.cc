// Modes that see operators below autograd: the innermost answers in the place of the kernel.
//
// A functionality right above the kernels: what a mode sees, autograd, autocast and vmap have dealt
// with. An operator that is made of others and has no gradient of its own is not shown; the
// operators that it calls are. The package's _dispatch_modes.py asks the mode.
#include "bindings/python/core/overrides/dispatch_modes.h"

#include <mutex>
#include <utility>
#include <vector>

#include "bindings/python/core/calls/operator_object.h"
#include "bindings/python/core/calls/python_call.h"
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/shared_object.h"
#include "runtime/core/base/ref_counted.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/functionality.h"
#include "runtime/dispatch/registry.h"

namespace opweave::python {
namespace {

constinit FunctionalityKey modes_key{"DispatchModes", {.below = "ADInplaceOrView", .opt_in = true}};

// Of a thread and those that work for it, the innermost last. Not changed once a thread has it.
struct Modes : RefCounted {
  explicit Modes(std::vector<SharedObject> modes) : open(std::move(modes)) {}
  const std::vector<SharedObject> open;
};
constinit ThreadReference<Modes> open_modes;

std::vector<SharedObject> modes_of_thread() {
  const Modes* modes = open_modes.get();
  return modes != nullptr ? modes->open : std::vector<SharedObject>();
}

void set_modes(std::vector<SharedObject> modes) {
  ThreadState& state = thread_state();
  const DispatchKeySet key = modes_key.key();
  state.included = modes.empty() ? state.included - key : state.included | key;
  state.excluded = modes.empty() ? state.excluded | key : state.excluded - key;
  open_modes.set(modes.empty() ? intrusive_ptr<const Modes>()
                               : make_intrusive<Modes>(std::move(modes)));
}

// What the innermost mode calls, the modes around it see, and nobody above them.
class WithoutInnermost {
 public:
  WithoutInnermost() : modes_(modes_of_thread()), mode_(modes_.back()) {
    modes_.pop_back();
    set_modes(std::move(modes_));
    ThreadState& state = thread_state();
    state.excluded =
        state.excluded | (keys_from(modes_key.key()) - modes_key.key() - observer_keys());
  }
  PyObject* mode() const { return mode_.get(); }

 private:
  const ThreadStateGuard restore_;  // constructed first: saves, and restores last
  std::vector<SharedObject> modes_;
  const SharedObject mode_;
};

void ask_innermost(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  if (is_made_of_others(op, keys)) return op.call_resolved(keys - modes_key.key(), stack);
  const AcquireGil gil;
  const WithoutInnermost outer;
  const PythonCall call = to_short_call(op, stack);
  const PyPtr self = PyPtr::steal(wrap(const_cast<OperatorEntry&>(op)));
  const PyPtr module = PyPtr::steal(check(PyImport_ImportModule("opweave._dispatch_modes")));
  const PyPtr answer = PyPtr::steal(check(PyObject_GetAttrString(module.get(), "answer")));
  const PyPtr result =
      PyPtr::steal(check(interpreted(PyObject_CallFunctionObjArgs, answer.get(), outer.mode(),
                                     self.get(), call.args.get(), call.kwargs.get(), nullptr)));
  from_python_result(result.get(), op, stack);
}

PyObject* push(PyObject*, PyObject* mode) try {
  static std::once_flag once;
  std::call_once(once, [] { register_fallback(modes_key.key(), ask_innermost); });
  std::vector<SharedObject> modes = modes_of_thread();
  modes.emplace_back(mode);
  set_modes(std::move(modes));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* pop(PyObject*, PyObject*) try {
  std::vector<SharedObject> modes = modes_of_thread();
  OW_CHECK(!modes.empty(), "no dispatch mode of this thread is entered");
  const SharedObject mode = modes.back();
  modes.pop_back();
  set_modes(std::move(modes));
  return Py_NewRef(mode.get());
} catch (...) {
  return set_python_error();
}

// All of the thread, the innermost last.
PyObject* all(PyObject*, PyObject*) try {
  const std::vector<SharedObject> modes = modes_of_thread();
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(modes.size()))));
  for (size_t i = 0; i < modes.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(modes[i].get()));
  return tuple.release();
} catch (...) {
  return set_python_error();
}

}  // namespace

bool is_made_of_others(const OperatorEntry& op, DispatchKeySet keys) {
  constexpr auto kNobody = static_cast<DispatchKey>(kMaxDeviceTypes - 1);  // no device has it
  const DispatchKeySet backends = keys & DispatchKeySet::backends();
  if (op.has_kernel(DispatchKey::kAutograd) || !op.has_kernel(kNobody) || backends.empty())
    return false;
  return op.save_kernel(backends.highest()).kernel == op.save_kernel(kNobody).kernel;
}

PyMethodDef dispatch_mode_functions[] = {{"_push_dispatch_mode", push, METH_O, nullptr},
                                         {"_pop_dispatch_mode", pop, METH_NOARGS, nullptr},
                                         {"_dispatch_modes", all, METH_NOARGS, nullptr},
                                         {}};

}  // namespace opweave::python

// Asking modes and classes.
#include <string>

#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/overrides/overrides.h"

namespace opweave::python {
namespace {

// A mode is not asked about what it calls itself.
class WithoutInnermostMode {
 public:
  WithoutInnermostMode() : mode_(std::move(override_state().modes.back())) {
    override_state().modes.pop_back();
    --override_count;
  }
  ~WithoutInnermostMode() {
    override_state().modes.push_back(std::move(mode_));
    ++override_count;
  }
  WithoutInnermostMode(const WithoutInnermostMode&) = delete;
  WithoutInnermostMode& operator=(const WithoutInnermostMode&) = delete;
  PyObject* mode() const { return mode_.get(); }

 private:
  PyPtr mode_;
};

PyPtr types_of(const Overloaded& overloaded) {
  const auto& arguments = overloaded.arguments();
  PyPtr types = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(arguments.size()))));
  for (size_t i = 0; i < arguments.size(); ++i) {
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i),
                     Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(arguments[i]))));
  }
  return types;
}

struct Question {
  PyObject* function;
  PyObject* types;
  PyObject* args;
  PyObject* kwargs;  // or null
};

// Null and no error for NotImplemented.
PyPtr answer_of(PyObject* handler, const Question& q) {
  PyPtr answer = PyPtr::steal(check(interpreted(PyObject_CallFunctionObjArgs, handler, q.function,
                                                q.types, q.args, q.kwargs, nullptr)));
  return answer.get() == Py_NotImplemented ? PyPtr() : answer;
}

PyPtr handler_of(PyObject* object) {
  return PyPtr::steal(check(PyObject_GetAttrString(object, "__torch_function__")));
}

void warn_of_plain_method(PyObject* object, PyObject* handler) {
  if (PyMethod_Check(handler) == 0 || PyMethod_GET_SELF(handler) != object) return;
  check(
      PyErr_WarnEx(PyExc_UserWarning,
                   "Defining your `__torch_function__` as a plain method is deprecated and will be "
                   "an error in future, please define it as a classmethod.",
                   1));
}

std::string name_of(PyObject* function) {
  const PyPtr overrides = PyPtr::steal(check(PyImport_ImportModule("opweave.overrides")));
  const PyPtr name = PyPtr::steal(
      check(interpreted(PyObject_CallMethod, overrides.get(), "_name_of", "O", function)));
  return std::string(to_string_view(name.get()));
}

[[noreturn]] void fail_unanswered(PyObject* function, const Overloaded& overloaded,
                                  PyObject* mode) {
  std::string asked;
  const auto add = [&](const char* what, PyObject* type) {
    const PyPtr text = PyPtr::steal(check(PyObject_Repr(type)));
    asked += str("\n  - ", what, to_string_view(text.get()));
  };
  if (mode != nullptr) {
    const PyPtr text = PyPtr::steal(check(PyObject_Repr(mode)));
    asked += str("\n  - mode object ", to_string_view(text.get()));
  }
  for (PyObject* argument : overloaded.arguments())
    add("tensor subclass ", reinterpret_cast<PyObject*>(Py_TYPE(argument)));
  OW_THROW(ErrorKind::kType, "Multiple dispatch failed for '", name_of(function),
           "'; all __torch_function__ handlers returned NotImplemented:\n", asked);
}

[[noreturn]] void fail_unanswered_python(PyObject* function, const Overloaded& overloaded,
                                         PyObject* mode) {
  const PyPtr types = PyPtr::steal(check(PySequence_List(types_of(overloaded).get())));
  const PyPtr text = PyPtr::steal(check(PyObject_Repr(types.get())));
  std::string in_mode;
  if (mode != nullptr) {
    const PyPtr name = PyPtr::steal(check(PyObject_Repr(mode)));
    in_mode = str(" nor in mode ", to_string_view(name.get()));
  }
  OW_THROW(ErrorKind::kType, "no implementation found for '", name_of(function),
           "' on types that implement __torch_function__: ", to_string_view(text.get()), in_mode);
}

PyPtr ask_mode(const Question& q) {
  const WithoutInnermostMode inner;
  return answer_of(handler_of(inner.mode()).get(), q);
}

}  // namespace

PyObject* ask(PyObject* function, const Overloaded& overloaded, PyObject* args, PyObject* kwargs,
              Asker asker) {
  const PyPtr types = types_of(overloaded);
  const Question question{function, types.get(), args, kwargs};
  PyPtr mode;
  if (mode_is_on()) {
    mode = override_state().modes.back();
    if (PyPtr answer = ask_mode(question)) return answer.release();
  }
  for (PyObject* argument : overloaded.arguments()) {
    const PyPtr handler = handler_of(argument);
    warn_of_plain_method(argument, handler.get());
    if (PyPtr answer = answer_of(handler.get(), question)) return answer.release();
  }
  if (asker == Asker::kPython) fail_unanswered_python(function, overloaded, mode.get());
  fail_unanswered(function, overloaded, mode.get());
}

PyObject* ask_method(const char* name, std::initializer_list<PyObject*> args) {
  Overloaded overloaded;
  if (override_state().asked == Asked::kAll) {
    for (PyObject* argument : args) overloaded.add(argument);
  }
  const PyPtr function =
      PyPtr::steal(check(PyObject_GetAttrString(reinterpret_cast<PyObject*>(tensor_class), name)));
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(args.size()))));
  Py_ssize_t i = 0;
  for (PyObject* argument : args) PyTuple_SET_ITEM(tuple.get(), i++, Py_NewRef(argument));
  return ask(function.get(), overloaded, tuple.get(), nullptr);
}

}  // namespace opweave::python

// A Python exception on its way through C++ frames: without tensors, for the fuzz target of
// pickles.
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {

// Of gil.h, which brings tensors.
void drop_reference(PyObject* object) noexcept;

namespace {

std::string describe(PyObject* value) {
  PyPtr text = PyPtr::steal(value != nullptr ? PyObject_Str(value) : nullptr);
  const char* utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  return str(value != nullptr ? Py_TYPE(value)->tp_name : "unknown error", ": ",
             utf8 != nullptr ? utf8 : "");
}

}  // namespace

struct PythonException::State {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  std::string text;

  ~State() {
    for (PyObject* object : {type, value, traceback}) drop_reference(object);
  }
};

PythonException::PythonException() : state_(std::make_shared<State>()) {
  PyErr_Fetch(&state_->type, &state_->value, &state_->traceback);
  PyErr_NormalizeException(&state_->type, &state_->value, &state_->traceback);
  state_->text = describe(state_->value);
}

const char* PythonException::what() const noexcept { return state_->text.c_str(); }

void PythonException::restore() const noexcept {
  Py_XINCREF(state_->type);
  Py_XINCREF(state_->value);
  Py_XINCREF(state_->traceback);
  PyErr_Restore(state_->type, state_->value, state_->traceback);
}

void throw_python_exception() { throw PythonException(); }

}  // namespace opweave::python

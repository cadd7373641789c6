// What is said of wrong arguments: pybind11 would print signatures of C++, and reads an object that
// was never made through a null pointer.
#include <algorithm>
#include <string>
#include <string_view>

#include "bindings/python/distributed/store_types.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using Record = py::detail::function_record;

// What pybind11 gave each of its functions to run.
PyCFunctionWithKeywords call_function = nullptr;

Record* record_of(PyObject* capsule) {
  return static_cast<Record*>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
}

std::string class_of(const Record& record) { return py::str(record.scope.attr("__name__")); }

std::string name_of(const Record& record) {
  const std::string_view name = record.name;  // of a property's function there is none
  return name.empty() || record.is_constructor ? class_of(record) : std::string(name);
}

// Whether the first argument is an object of the class, made by its constructor.
bool has_object(const Record& record, PyObject* args) {
  if (PyTuple_GET_SIZE(args) == 0) return false;
  PyObject* self = PyTuple_GET_ITEM(args, 0);
  if (PyObject_TypeCheck(self, reinterpret_cast<PyTypeObject*>(record.scope.ptr())) == 0)
    return false;
  auto* object = reinterpret_cast<py::detail::instance*>(self);
  return object->get_value_and_holder().holder_constructed();
}

// "(key: str, value: str)" of "set(self: opweave._distributed.Store, key: str, value: str) ->
// None".
std::string parameters_of(const Record& record) {
  std::string text = record.signature;
  text = text.substr(0, text.rfind(" -> "));
  text = text.substr(text.find('('));
  if (record.is_method) {
    const size_t second = text.find(", ");
    text = second == std::string::npos ? "()" : "(" + text.substr(second + 2);
  }
  static const std::string module = "opweave._distributed.";
  for (size_t at; (at = text.find(module)) != std::string::npos;) text.erase(at, module.size());
  return text;
}

// Numbers as they are; of what may be long or secret the type.
std::string given(PyObject* value) {
  const bool shown = value == Py_None || PyLong_Check(value) != 0 || PyFloat_Check(value) != 0;
  if (!shown) return Py_TYPE(value)->tp_name;
  const std::string text = py::repr(value);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

std::string given(const Record& record, PyObject* args, PyObject* kwargs) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  for (Py_ssize_t i = record.is_method ? 1 : 0; i < PyTuple_GET_SIZE(args); ++i)
    add(given(PyTuple_GET_ITEM(args, i)));
  if (kwargs != nullptr) {
    for (const auto& [name, value] : py::reinterpret_borrow<py::dict>(kwargs))
      add(std::string(py::str(name)) + "=" + given(value.ptr()));
  }
  return "(" + text + ")";
}

void refuse(const Record& record, PyObject* args, PyObject* kwargs) {
  std::string expected;
  for (const Record* r = &record; r != nullptr; r = r->next)
    expected += (expected.empty() ? "" : " or ") + parameters_of(*r);
  const std::string text = name_of(record) + "(): expected the arguments " + expected +
                           ", but got " + given(record, args, kwargs);
  PyErr_SetString(PyExc_TypeError, text.c_str());
}

// Whether pybind11 has found no function for the arguments; takes its error if so.
bool fits_nothing() {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
  py::error_already_set error;
  const std::string text = py::str(error.value());
  if (text.find("The following argument types are supported") != std::string::npos) return true;
  error.restore();
  return false;
}

// The ValueError of an argument that was read and cannot be, which knows no call.
void name_call(const Record& record) {
  if (PyErr_ExceptionMatches(PyExc_ValueError) == 0) return;
  py::error_already_set error;
  const std::string text = py::str(error.value());
  if (!text.starts_with("timeout: ")) return error.restore();
  PyErr_SetString(PyExc_ValueError, (name_of(record) + "(): " + text).c_str());
}

PyObject* call(PyObject* capsule, PyObject* args, PyObject* kwargs) try {
  const Record& record = *record_of(capsule);
  if (record.is_method && !record.is_constructor && !has_object(record, args)) {
    PyErr_Format(PyExc_TypeError, "%s(): expected an object of %s, made by its constructor",
                 name_of(record).c_str(), class_of(record).c_str());
    return nullptr;
  }
  PyObject* result = call_function(capsule, args, kwargs);
  if (result == nullptr) fits_nothing() ? refuse(record, args, kwargs) : name_call(record);
  return result;
} catch (py::error_already_set& error) {
  error.restore();
  return nullptr;
} catch (const std::exception& error) {
  PyErr_SetString(PyExc_RuntimeError, error.what());
  return nullptr;
}

void guard(PyObject* function) {
  if (function == nullptr) return;
  if (PyInstanceMethod_Check(function)) function = PyInstanceMethod_GET_FUNCTION(function);
  if (!PyCFunction_Check(function)) return;
  PyObject* capsule = PyCFunction_GET_SELF(function);
  if (capsule == nullptr || PyCapsule_CheckExact(capsule) == 0) return;
  PyMethodDef* definition = record_of(capsule)->def;
  const auto wrapper = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call));
  if (definition->ml_meth == wrapper) return;
  call_function =
      reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(definition->ml_meth));
  definition->ml_meth = wrapper;
}

void guard_class(py::handle type) {
  for (const auto& [name, member] :
       py::reinterpret_borrow<py::dict>(reinterpret_cast<PyTypeObject*>(type.ptr())->tp_dict)) {
    if (!PyObject_TypeCheck(member.ptr(), &PyProperty_Type)) {
      guard(member.ptr());
      continue;
    }
    for (const char* accessor : {"fget", "fset"}) guard(member.attr(accessor).ptr());
  }
}

}  // namespace

void guard_functions(py::module_& module) {
  for (const auto& [name, member] :
       py::reinterpret_borrow<py::dict>(PyModule_GetDict(module.ptr()))) {
    PyType_Check(member.ptr()) ? guard_class(member) : guard(member.ptr());
  }
}

}  // namespace opweave::python

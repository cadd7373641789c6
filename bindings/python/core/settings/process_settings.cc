// What a program sets for the whole process: runtime/settings.
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/settings/settings.h"
#include "runtime/settings/flush_denormal.h"
#include "runtime/settings/uninitialized.h"

namespace opweave::python {
namespace {

PyObject* flush_denormal(PyObject*, PyObject* mode) try {
  OW_CHECK_TYPE(PyBool_Check(mode), "set_flush_denormal expects a bool, but got ", type_name(mode));
  return PyBool_FromLong(static_cast<long>(set_flush_denormal(mode == Py_True)));
} catch (...) {
  return set_python_error();
}

PyObject* fill_uninitialized(PyObject*, PyObject* fills) {
  set_fills_uninitialized(PyObject_IsTrue(fills) > 0);
  return none();
}

}  // namespace

PyMethodDef process_functions[] = {
    {"set_flush_denormal", flush_denormal, METH_O,
     "Whether floats too small for a full mantissa become zeros in results and operands, in this "
     "thread and those that compute for it. Returns whether the processor can."},
    {"_set_fills_uninitialized", fill_uninitialized, METH_O, nullptr},
    {}};

}  // namespace opweave::python

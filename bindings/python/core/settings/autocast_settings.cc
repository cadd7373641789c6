// Autocast's settings of this thread, for opweave.amp, which gives them PyTorch's names.
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/named_dtypes.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/settings/settings.h"
#include "runtime/autocast/settings.h"

namespace opweave::python {
namespace {

// Checked by opweave.amp, which makes the devices.
DeviceType type_of(PyObject* device) {
  OW_CHECK_TYPE(is_device(device), "expected a device, got ", type_name(device));
  return to_device(device).type;
}

PyObject* is_enabled(PyObject*, PyObject* device) try {
  return PyBool_FromLong(autocast::is_enabled(type_of(device)));
} catch (...) {
  return set_python_error();
}

// (device, enabled)
PyObject* set_enabled(PyObject*, PyObject* args) try {
  PyObject *device = nullptr, *enabled = nullptr;
  if (PyArg_UnpackTuple(args, "_autocast_set_enabled", 2, 2, &device, &enabled) == 0)
    return nullptr;
  OW_CHECK_TYPE(PyBool_Check(enabled),
                "set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not ",
                type_name(enabled));
  autocast::set_enabled(type_of(device), enabled == Py_True);
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* get_dtype(PyObject*, PyObject* device) try {
  return wrap(autocast::dtype_of(type_of(device)));
} catch (...) {
  return set_python_error();
}

// (device, dtype)
PyObject* set_dtype(PyObject*, PyObject* args) try {
  PyObject *device = nullptr, *dtype = nullptr;
  if (PyArg_UnpackTuple(args, "_autocast_set_dtype", 2, 2, &device, &dtype) == 0) return nullptr;
  refuse_named_dtype(dtype);
  OW_CHECK_TYPE(is_dtype_object(dtype),
                "set_autocast_dtype(): argument 'dtype' (position 2) must be opweave.dtype, not ",
                type_name(dtype));
  autocast::set_dtype(type_of(device), to_dtype(dtype));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* is_cache_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(autocast::is_cache_enabled());
}

PyObject* set_cache_enabled(PyObject*, PyObject* enabled) try {
  OW_CHECK_TYPE(PyBool_Check(enabled), "enabled must be a bool (got ", type_name(enabled), ")");
  autocast::set_cache_enabled(enabled == Py_True);
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* clear_cache(PyObject*, PyObject*) try {
  autocast::clear_cache();
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* increment_nesting(PyObject*, PyObject*) try {
  return PyLong_FromLong(autocast::increment_nesting());
} catch (...) {
  return set_python_error();
}

PyObject* decrement_nesting(PyObject*, PyObject*) try {
  return PyLong_FromLong(autocast::decrement_nesting());
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef autocast_functions[] = {
    {"_autocast_is_enabled", is_enabled, METH_O, nullptr},
    {"_autocast_set_enabled", set_enabled, METH_VARARGS, nullptr},
    {"_autocast_dtype", get_dtype, METH_O, nullptr},
    {"_autocast_set_dtype", set_dtype, METH_VARARGS, nullptr},
    {"is_autocast_cache_enabled", is_cache_enabled, METH_NOARGS,
     "is_autocast_cache_enabled()\n--\n\nWhether weights are cast once in a region of autocast."},
    {"set_autocast_cache_enabled", set_cache_enabled, METH_O,
     "set_autocast_cache_enabled(enabled, /)\n--\n\nSets whether weights are cast once in a "
     "region."},
    {"clear_autocast_cache", clear_cache, METH_NOARGS,
     "clear_autocast_cache()\n--\n\nDrops the weights that this region has cast."},
    {"autocast_increment_nesting", increment_nesting, METH_NOARGS,
     "autocast_increment_nesting()\n--\n\nEnters a region of autocast; returns how many there "
     "are."},
    {"autocast_decrement_nesting", decrement_nesting, METH_NOARGS,
     "autocast_decrement_nesting()\n--\n\nLeaves a region of autocast; returns how many are left."},
    {}};

}  // namespace opweave::python

// The module functions about targets: loading them, their devices and their memory. What users call
// stands in opweave/_targets.py.
#include "bindings/python/core/libraries/targets.h"

#include "bindings/python/core/functions/handwritten.h"
#include "runtime/core/allocator.h"
#include "runtime/dispatch/target_library.h"

namespace opweave::python {
namespace {

// --- libraries -----------------------------------------------------------------------------------
PyObject* load_target(PyObject*, PyObject* path) try {
  load_target_library(std::string(to_string_view(path)));
  return none();
} catch (...) {
  return set_python_error();
}

const TargetLibrary& loaded_target(std::string_view name) {
  const TargetLibrary* target = find_target_library(name);
  OW_CHECK(target != nullptr, "the target '", name, "' is not loaded");
  return *target;
}

PyObject* device_count(PyObject*, PyObject* name) try {
  return wrap(int64_t{loaded_target(to_string_view(name)).device_count()});
} catch (...) {
  return set_python_error();
}

PyObject* synchronize(PyObject*, PyObject* args) try {
  const char* name;
  int index;
  if (PyArg_ParseTuple(args, "si", &name, &index) == 0) return nullptr;
  const TargetLibrary& target = loaded_target(name);
  {
    const ReleaseGil unlocked;
    target.synchronize(index);
  }
  return none();
} catch (...) {
  return set_python_error();
}

// --- device types --------------------------------------------------------------------------------
PyObject* has_device_type(PyObject*, PyObject* name) try {
  return wrap(find_device_type(to_string_view(name)) >= 0);
} catch (...) {
  return set_python_error();
}

PyObject* device_types(PyObject*, PyObject*) {
  return PyUnicode_FromString(registered_device_names().c_str());
}

// --- memory --------------------------------------------------------------------------------------
PyObject* memory_stats(PyObject*, PyObject* object) try {
  const Device device = to_device(object);
  const AllocatorStats s = allocator_of(device.type).stats(device);
  return check(Py_BuildValue("{sLsLsLsLsLsL}", "allocated_bytes", s.allocated_bytes,
                             "peak_allocated_bytes", s.peak_allocated_bytes, "reserved_bytes",
                             s.reserved_bytes, "peak_reserved_bytes", s.peak_reserved_bytes,
                             "allocations", s.allocations, "system_allocations",
                             s.system_allocations));
} catch (...) {
  return set_python_error();
}

PyObject* reset_peaks(PyObject*, PyObject* object) try {
  const Device device = to_device(object);
  allocator_of(device.type).reset_peak_stats(device);
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* empty_cache(PyObject*, PyObject* object) try {
  allocator_of(to_device(object).type).empty_cache();
  return none();
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef target_functions[] = {{"_load_target_library", load_target, METH_O, nullptr},
                                  {"_target_device_count", device_count, METH_O, nullptr},
                                  {"_target_synchronize", synchronize, METH_VARARGS, nullptr},
                                  {"_has_device_type", has_device_type, METH_O, nullptr},
                                  {"_device_types", device_types, METH_NOARGS, nullptr},
                                  {"_memory_stats", memory_stats, METH_O, nullptr},
                                  {"_reset_peak_memory_stats", reset_peaks, METH_O, nullptr},
                                  {"_empty_cache", empty_cache, METH_O, nullptr},
                                  {}};

}  // namespace opweave::python

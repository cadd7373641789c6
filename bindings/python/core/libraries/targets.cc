// The module functions about targets: loading them, their devices, streams and memory. What users
// call stands in opweave/_targets.py and opweave/accelerator.py.
#include "bindings/python/core/libraries/targets.h"

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/stream_object.h"
#include "runtime/target/library.h"

namespace opweave::python {
namespace {

// Most functions take a device, whose index may be left out.
Device resolved(PyObject* object) { return resolve_device(to_device(object)); }
Target& target_of_object(PyObject* device) { return target_of(to_device(device).type); }

// --- libraries -----------------------------------------------------------------------------------
PyObject* load_target(PyObject*, PyObject* path) try {
  load_target_library(std::string(to_string_view(path)));
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* has_device_type(PyObject*, PyObject* name) try {
  return wrap(find_device_type(to_string_view(name)) >= 0);
} catch (...) {
  return set_python_error();
}

// Makes the name of a device type known whose target is not there: devices can be made, nothing on
// them.
PyObject* register_type(PyObject*, PyObject* name) try {
  register_device_type(to_string_view(name));
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* device_types(PyObject*, PyObject*) try {
  return PyUnicode_FromString(registered_device_names().c_str());
} catch (...) {
  return set_python_error();
}

// The device type that programs mean when they name none, or None.
PyObject* accelerator(PyObject*, PyObject*) try {
  const Target* target = find_accelerator();
  return target == nullptr ? none() : wrap(Device(target->type()));
} catch (...) {
  return set_python_error();
}

// --- devices -------------------------------------------------------------------------------------
PyObject* device_count(PyObject*, PyObject* device) try {
  return wrap(int64_t{target_of_object(device).count()});
} catch (...) {
  return set_python_error();
}

PyObject* current_device(PyObject*, PyObject* device) try {
  return wrap(int64_t{target_of_object(device).current()});
} catch (...) {
  return set_python_error();
}

// _exchange_device(device): makes it the current one of its type; returns which one was.
PyObject* exchange_device(PyObject*, PyObject* object) try {
  const Device device = resolved(object);
  return wrap(int64_t{target_of(device.type).exchange(device.index < 0 ? 0 : device.index)});
} catch (...) {
  return set_python_error();
}

// Whether the program itself can read the memory of a device.
PyObject* is_host_device(PyObject*, PyObject* object) try {
  return Py_NewRef(is_host(to_device(object)) ? Py_True : Py_False);
} catch (...) {
  return set_python_error();
}

PyObject* default_device_object(PyObject*, PyObject*) try {
  return wrap(default_device());
} catch (...) {
  return set_python_error();
}

PyObject* synchronize(PyObject*, PyObject* object) try {
  const Device device = resolved(object);
  {
    const ReleaseGil unlocked;
    target_of(device.type).synchronize(device.index);
  }
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* device_properties(PyObject*, PyObject* object) try {
  const Device device = resolved(object);
  const DeviceProperties p = target_of(device.type).properties(device.index);
  return check(Py_BuildValue("{sssnsnsisisi}", "name", p.name.c_str(), "total_memory",
                             static_cast<Py_ssize_t>(p.total_memory), "free_memory",
                             static_cast<Py_ssize_t>(p.free_memory), "processors", p.processors,
                             "major", p.major, "minor", p.minor));
} catch (...) {
  return set_python_error();
}

// --- streams -------------------------------------------------------------------------------------
PyObject* current_stream_of(PyObject*, PyObject* device) try {
  return wrap(current_stream(to_device(device)));
} catch (...) {
  return set_python_error();
}

// Makes its device the current one as well.
PyObject* set_stream(PyObject*, PyObject* object) try {
  OW_CHECK_TYPE(is_stream(object), "set_stream(): argument 'stream' must be opweave.Stream, not ",
                type_name(object));
  const Stream& stream = to_stream(object);
  if (is_accelerator(stream.device())) stream.target().set_current(stream.device().index);
  set_current_stream(stream);
  return none();
} catch (...) {
  return set_python_error();
}

// --- memory --------------------------------------------------------------------------------------
PyObject* memory_stats(PyObject*, PyObject* object) try {
  const Device device = resolved(object);
  const AllocatorStats s = devices_of(device.type).allocator().stats(device);
  return check(Py_BuildValue(
      "{sLsLsLsLsLsL}", "allocated_bytes.all.current", s.allocated_bytes,
      "allocated_bytes.all.peak", s.peak_allocated_bytes, "reserved_bytes.all.current",
      s.reserved_bytes, "reserved_bytes.all.peak", s.peak_reserved_bytes,
      "allocation.all.allocated", s.allocations, "num_device_alloc", s.system_allocations));
} catch (...) {
  return set_python_error();
}

PyObject* reset_peaks(PyObject*, PyObject* object) try {
  const Device device = resolved(object);
  devices_of(device.type).allocator().reset_peak_stats(device);
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* empty_cache(PyObject*, PyObject* device) try {
  Allocator& allocator = target_of_object(device).allocator();
  {
    const ReleaseGil unlocked;
    allocator.empty_cache();
  }
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* empty_host_cache(PyObject*, PyObject* device) try {
  Allocator* allocator = target_of_object(device).pinned_allocator();
  if (allocator != nullptr) {
    const ReleaseGil unlocked;
    allocator->empty_cache();
  }
  return none();
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef target_functions[] = {{"_load_target_library", load_target, METH_O, nullptr},
                                  {"_has_device_type", has_device_type, METH_O, nullptr},
                                  {"_register_device_type", register_type, METH_O, nullptr},
                                  {"_device_types", device_types, METH_NOARGS, nullptr},
                                  {"_accelerator", accelerator, METH_NOARGS, nullptr},
                                  {"_device_count", device_count, METH_O, nullptr},
                                  {"_current_device", current_device, METH_O, nullptr},
                                  {"_exchange_device", exchange_device, METH_O, nullptr},
                                  {"_is_host", is_host_device, METH_O, nullptr},
                                  {"_default_device", default_device_object, METH_NOARGS, nullptr},
                                  {"_synchronize", synchronize, METH_O, nullptr},
                                  {"_device_properties", device_properties, METH_O, nullptr},
                                  {"_current_stream", current_stream_of, METH_O, nullptr},
                                  {"_set_stream", set_stream, METH_O, nullptr},
                                  {"_memory_stats", memory_stats, METH_O, nullptr},
                                  {"_reset_peak_memory_stats", reset_peaks, METH_O, nullptr},
                                  {"_empty_cache", empty_cache, METH_O, nullptr},
                                  {"_empty_host_cache", empty_host_cache, METH_O, nullptr},
                                  {}};

}  // namespace opweave::python

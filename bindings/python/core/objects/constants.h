// The Python objects of dtypes, layouts, memory formats and devices.
#pragma once

#include <Python.h>

#include <optional>
#include <string>

#include "runtime/core/devices/device.h"
#include "runtime/core/numbers/scalar_type.h"
#include "runtime/core/tensor/layout.h"

namespace opweave::python {

struct DtypeObject {
  PyObject_HEAD;
  ScalarType dtype;
};
struct LayoutObject {
  PyObject_HEAD;
  Layout layout;
};
struct MemoryFormatObject {
  PyObject_HEAD;
  MemoryFormat format;
};
struct DeviceObject {
  PyObject_HEAD;
  Device device;
};
extern PyTypeObject dtype_type, layout_type, memory_format_type, device_type;

inline bool is_dtype_object(PyObject* o) { return Py_IS_TYPE(o, &dtype_type); }
inline bool is_memory_format(PyObject* o) { return Py_IS_TYPE(o, &memory_format_type); }
inline bool is_device_object(PyObject* o) { return Py_IS_TYPE(o, &device_type); }

// A dtype, or one of the Python types bool, int and float. Throws NotImplementedError for a dtype
// that can only be named (named_dtypes.h).
bool is_dtype(PyObject* object);
// Throws NotImplementedError for a layout that is reserved.
bool is_layout(PyObject* object);
ScalarType to_dtype(PyObject* object);
// A device, its text, or an index of the current accelerator.
bool is_device(PyObject* object);
Device to_device(PyObject* object);
inline Layout to_layout(PyObject* o) { return reinterpret_cast<LayoutObject*>(o)->layout; }
inline MemoryFormat to_memory_format(PyObject* o) {
  return reinterpret_cast<MemoryFormatObject*>(o)->format;
}

// The package under which constants, sizes and types of tensors print: "opweave", or "torch" while
// programs for PyTorch run (opweave.as_torch).
const std::string& printed_package();
void set_printed_package(std::string name);

// New references.
PyObject* wrap(ScalarType dtype);
PyObject* wrap(Layout layout);
PyObject* wrap(MemoryFormat format);
PyObject* wrap(Device device);

// Adds the types and the constants (float32, float, strided, …) to the module.
void add_constants(PyObject* module);

}  // namespace opweave::python

// opweave.UntypedStorage: the bytes under a tensor, as a Python buffer.
#pragma once

#include <Python.h>

#include "runtime/core/tensor/storage.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

struct StorageObject {
  PyObject_HEAD;
  Storage storage;
  PyObject* weakrefs;
};
extern PyTypeObject storage_type;

inline bool is_storage(PyObject* o) { return Py_IS_TYPE(o, &storage_type); }
inline const Storage& storage_of(PyObject* o) {
  return reinterpret_cast<StorageObject*>(o)->storage;
}
PyObject* wrap(const Storage& storage);
// A tensor (n) of as many elements as the storage has room for, sharing it.
Tensor tensor_over(const Storage& storage, ScalarType dtype);
void add_storage_type(PyObject* module);

}  // namespace opweave::python

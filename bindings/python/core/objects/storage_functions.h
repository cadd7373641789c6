// What few programs ask of a storage: written in Python, in the class
// opweave._untyped_storage.UntypedStorage.
#pragma once

#include <Python.h>

#include <vector>

namespace opweave::python {

// Calls a function of the class with the storage `self`, or without one if that is null.
PyObject* call_storage_function(const char* name, PyObject* self, PyObject* args,
                                PyObject* keywords);
// The methods of UntypedStorage that are written there.
std::vector<PyMethodDef> storage_functions();

PyObject* read_storage_property(PyObject* self, void* name);
#define OW_STORAGE_PROPERTY(name, doc) \
  { name, read_storage_property, nullptr, doc, const_cast<char*>(name) }
#define OW_STORAGE_PROPERTIES                                                       \
  OW_STORAGE_PROPERTY("is_cuda", "Whether it lies on a CUDA device."),              \
      OW_STORAGE_PROPERTY("is_hpu", "False: there is no such device."),             \
      OW_STORAGE_PROPERTY("is_sparse", "False: there are no sparse storages."),     \
      OW_STORAGE_PROPERTY("is_sparse_csr", "False: there are no sparse storages."), \
      OW_STORAGE_PROPERTY("filename", "None: no storage remembers the file of its bytes.")

}  // namespace opweave::python

// The Python faces of runtime/target/shared_storage.h; the package's storage.py and multiprocessing
// make of them what PyTorch names.
#include "bindings/python/core/tensor/shared_memory.h"

#include "bindings/python/core/functions/handwritten.h"
#include "runtime/target/shared_storage.h"

namespace opweave::python {
namespace {

const Storage& expect_storage(PyObject* object) {
  OW_CHECK_TYPE(is_storage(object), "an UntypedStorage is expected, but got ", type_name(object));
  return storage_of(object);
}

size_t to_size(Py_ssize_t value, const char* name) {
  OW_CHECK_VALUE(value >= 0, name, " must not be negative, but got ", value);
  return static_cast<size_t>(value);
}

// _new_shared_storage(nbytes): of zeros.
PyObject* new_shared_storage(PyObject*, PyObject* args) try {
  Py_ssize_t nbytes;
  if (PyArg_ParseTuple(args, "n", &nbytes) == 0) return nullptr;
  const size_t size = to_size(nbytes, "nbytes");
  return wrap(shared_storage(SharedFile::create(size), 0, size));
} catch (...) {
  return set_python_error();
}

// _open_shared_storage(descriptor, nbytes): of the first bytes of a file, whose descriptor it
// takes.
PyObject* open_shared_storage(PyObject*, PyObject* args) try {
  int descriptor;
  Py_ssize_t nbytes;
  if (PyArg_ParseTuple(args, "in", &descriptor, &nbytes) == 0) return nullptr;
  const size_t size = to_size(nbytes, "nbytes");
  return wrap(shared_storage(SharedFile::open(descriptor, size), 0, size));
} catch (...) {
  return set_python_error();
}

// _move_to_shared_memory(storage)
PyObject* share(PyObject*, PyObject* object) try {
  move_to_shared_memory(*expect_storage(object));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

// _shared_place(storage): the descriptor of its file, the file's bytes, and at which of them it
// begins; None for one that is not shared.
PyObject* place_of(PyObject*, PyObject* object) try {
  const SharedPlace* place = shared_place(*expect_storage(object));
  if (place == nullptr) Py_RETURN_NONE;
  return Py_BuildValue("inn", place->file->descriptor(),
                       static_cast<Py_ssize_t>(place->file->nbytes()),
                       static_cast<Py_ssize_t>(place->offset));
} catch (...) {
  return set_python_error();
}

// _part_of_shared(storage, offset, nbytes): a storage of bytes of the same file, counted from the
// file's beginning.
PyObject* part_of_shared(PyObject*, PyObject* args) try {
  PyObject* object;
  Py_ssize_t offset, nbytes;
  if (PyArg_ParseTuple(args, "Onn", &object, &offset, &nbytes) == 0) return nullptr;
  const SharedPlace* place = shared_place(*expect_storage(object));
  OW_CHECK_VALUE(place != nullptr, "a shared storage is expected");
  return wrap(shared_storage(place->file, to_size(offset, "offset"), to_size(nbytes, "nbytes")));
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef shared_memory_functions[] = {
    {"_new_shared_storage", new_shared_storage, METH_VARARGS, nullptr},
    {"_open_shared_storage", open_shared_storage, METH_VARARGS, nullptr},
    {"_move_to_shared_memory", share, METH_O, nullptr},
    {"_shared_place", place_of, METH_O, nullptr},
    {"_part_of_shared", part_of_shared, METH_VARARGS, nullptr},
    {}};

}  // namespace opweave::python

// opweave.UntypedStorage. CPU storages export their bytes through the buffer protocol, which is how
// NumPy and pickle get at them without a copy.
#include "bindings/python/core/tensor/storage_object.h"

#include <cstring>
#include <new>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {
namespace {

PyObject* make(Storage storage) {
  auto* self = reinterpret_cast<StorageObject*>(check(storage_type.tp_alloc(&storage_type, 0)));
  new (&self->storage) Storage(std::move(storage));
  return reinterpret_cast<PyObject*>(self);
}

// UntypedStorage(n) or UntypedStorage(bytes)
PyObject* storage_new(PyTypeObject*, PyObject* args, PyObject*) try {
  PyObject* source = nullptr;
  if (PyArg_ParseTuple(args, "O:UntypedStorage", &source) == 0) return nullptr;
  if (is_int(source)) {
    const int64_t n = to_int64(source);
    OW_CHECK(n >= 0, "UntypedStorage: the size must not be negative, got ", n);
    return make(StorageImpl::allocate(static_cast<size_t>(n), host_device()));
  }
  Py_buffer buffer;
  check(PyObject_GetBuffer(source, &buffer, PyBUF_SIMPLE));
  Storage storage = StorageImpl::allocate(static_cast<size_t>(buffer.len), host_device());
  if (buffer.len > 0) std::memcpy(storage->data(), buffer.buf, static_cast<size_t>(buffer.len));
  PyBuffer_Release(&buffer);
  return make(std::move(storage));
} catch (...) {
  return set_python_error("UntypedStorage");
}

void storage_dealloc(PyObject* self) {
  auto* object = reinterpret_cast<StorageObject*>(self);
  if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  object->storage.~Storage();
  Py_TYPE(self)->tp_free(self);
}

int storage_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const Storage& storage = storage_of(self);
  if (!is_host(storage->device())) {
    PyErr_SetString(PyExc_BufferError, "only CPU storages can be read as a buffer");
    return -1;
  }
  static char empty[1];
  void* data = storage->nbytes() > 0 ? storage->data() : empty;
  return PyBuffer_FillInfo(view, self, data, static_cast<Py_ssize_t>(storage->nbytes()), 0, flags);
}

Py_ssize_t storage_length(PyObject* self) {
  return static_cast<Py_ssize_t>(storage_of(self)->nbytes());
}
PyObject* storage_nbytes(PyObject* self, PyObject*) {
  return PyLong_FromSize_t(storage_of(self)->nbytes());
}
PyObject* storage_data_ptr(PyObject* self, PyObject*) {
  return PyLong_FromVoidPtr(storage_of(self)->data());
}
PyObject* storage_resize(PyObject* self, PyObject* size) try {
  OW_CHECK_TYPE(is_int(size), "resize_ expects an int, but got ", type_name(size));
  const int64_t bytes = to_int64(size);
  OW_CHECK(bytes >= 0, "resize_ expects a size that is not negative, but got ", bytes);
  storage_of(self)->resize(static_cast<size_t>(bytes));
  return Py_NewRef(self);
} catch (...) {
  return set_python_error("resize_");
}
// A tensor of all bytes, sharing them.
PyObject* storage_bytes_tensor(PyObject* self, PyObject*) try {
  const Storage& storage = storage_of(self);
  const int64_t n = static_cast<int64_t>(storage->nbytes());
  return wrap(Tensor(make_intrusive<TensorImpl>(storage, kByte, storage->device(), IntList{n})));
} catch (...) {
  return set_python_error();
}
PyObject* storage_device(PyObject* self, void*) try {
  return wrap(storage_of(self)->device());
} catch (...) {
  return set_python_error();
}

PyObject* storage_address(PyObject* self, void*) {
  return PyLong_FromVoidPtr(storage_of(self).get());
}

// Pickles as its bytes.
PyObject* storage_reduce(PyObject* self, PyObject*) try {
  const PyPtr bytes = PyPtr::steal(PyBytes_FromObject(self));
  return bytes ? Py_BuildValue("O(O)", &storage_type, bytes.get()) : nullptr;
} catch (...) {
  return set_python_error();
}

PyObject* storage_compare(PyObject* a, PyObject* b, int op) {
  if (!is_storage(a) || !is_storage(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((storage_of(a) == storage_of(b)) == (op == Py_EQ));
}
Py_hash_t storage_hash(PyObject* self) { return _Py_HashPointer(storage_of(self).get()); }

// What few programs ask of a storage is written in Python: opweave.storage._untyped_NAME(self, …).
PyObject* delegate(const char* name, PyObject* self, PyObject* args, PyObject* keywords) try {
  const PyPtr module = PyPtr::steal(check(PyImport_ImportModule("opweave.storage")));
  const PyPtr function =
      PyPtr::steal(check(PyObject_GetAttrString(module.get(), str("_untyped_", name).c_str())));
  const PyPtr first = PyPtr::steal(check(PyTuple_Pack(1, self)));
  const PyPtr all = PyPtr::steal(check(PySequence_Concat(first.get(), args)));
  return interpreted(PyObject_Call, function.get(), all.get(), keywords);
} catch (...) {
  return set_python_error();
}
#define OW_DELEGATED(name, doc)                                                          \
  {                                                                                      \
#name,                                                                               \
        reinterpret_cast < PyCFunction>(reinterpret_cast <void (*)()>(                   \
                               +[](PyObject* self, PyObject* args, PyObject* keywords) { \
                                 return delegate(#name, self, args, keywords);           \
                               })),                                                      \
        METH_VARARGS | METH_KEYWORDS, doc                                                \
  }

PyObject* storage_item(PyObject* self, Py_ssize_t index) {
  const Storage& storage = storage_of(self);
  if (index < 0 || static_cast<size_t>(index) >= storage->nbytes()) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of range for a storage of %zu bytes", index,
                 storage->nbytes());
    return nullptr;
  }
  if (!is_host(storage->device())) {
    PyErr_SetString(PyExc_RuntimeError, "only bytes of CPU storages can be read one by one");
    return nullptr;
  }
  return PyLong_FromLong(static_cast<const uint8_t*>(storage->data())[index]);
}

PyBufferProcs buffer_methods = {storage_get_buffer, nullptr};
PySequenceMethods sequence_methods = [] {
  PySequenceMethods m{};
  m.sq_length = storage_length;
  m.sq_item = storage_item;
  return m;
}();
PyMethodDef methods[] = {
    {"nbytes", storage_nbytes, METH_NOARGS, "The size in bytes."},
    {"size", storage_nbytes, METH_NOARGS, "The size in bytes."},
    {"data_ptr", storage_data_ptr, METH_NOARGS, "The address of the first byte."},
    {"resize_", storage_resize, METH_O, "Makes room for a number of bytes."},
    OW_DELEGATED(clone, "A copy."),
    OW_DELEGATED(cpu, "The bytes in host memory; itself if they are there."),
    OW_DELEGATED(to, "The bytes on a device; itself if they are there."),
    OW_DELEGATED(tolist, "The bytes as a list of ints."),
    OW_DELEGATED(copy_, "Fills it with the bytes of another storage of its size."),
    OW_DELEGATED(fill_, "Fills it with a byte."),
    OW_DELEGATED(element_size, "One: of a byte."),
    OW_DELEGATED(is_shared, "Whether other processes can map it."),
    OW_DELEGATED(share_memory_, "Moves it where other processes can map it, and stays itself."),
    {"__reduce__", storage_reduce, METH_NOARGS, nullptr},
    {"_bytes", storage_bytes_tensor, METH_NOARGS, "A uint8 tensor over all bytes."},
    {}};
PyGetSetDef getset[] = {{"device", storage_device, nullptr, nullptr, nullptr},
                        {"_cdata", storage_address, nullptr, "Tells storages apart.", nullptr},
                        {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.UntypedStorage";
  type.tp_doc = PyDoc_STR("The bytes under one or more tensors.");
  type.tp_basicsize = sizeof(StorageObject);
  type.tp_new = storage_new;
  type.tp_dealloc = storage_dealloc;
  type.tp_as_buffer = &buffer_methods;
  type.tp_as_sequence = &sequence_methods;
  type.tp_richcompare = storage_compare;
  type.tp_hash = storage_hash;
  type.tp_weaklistoffset = offsetof(StorageObject, weakrefs);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}

}  // namespace

PyTypeObject storage_type = make_type();

PyObject* wrap(const Storage& storage) { return make(storage); }

void add_storage_type(PyObject* module) {
  check(PyType_Ready(&storage_type));
  check(PyModule_AddType(module, &storage_type));
}

}  // namespace opweave::python

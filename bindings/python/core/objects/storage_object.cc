// opweave.UntypedStorage. CPU storages export their bytes through the buffer protocol, which is how
// NumPy and pickle get at them without a copy.
#include "bindings/python/core/objects/storage_object.h"

#include <cstring>
#include <new>
#include <vector>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/storage_functions.h"
#include "bindings/python/core/objects/tensor_object.h"

namespace opweave::python {
namespace {

PyObject* make(Storage storage) {
  auto* self = reinterpret_cast<StorageObject*>(check(storage_type.tp_alloc(&storage_type, 0)));
  new (&self->storage) Storage(std::move(storage));
  return reinterpret_cast<PyObject*>(self);
}

// Of a size, or of what lies in memory byte by byte; null, and no error set, for what is neither.
PyObject* made_of(PyObject* source) {
  if (is_int(source)) {
    const int64_t n = to_int64(source);
    OW_CHECK(n >= 0, "UntypedStorage: the size must not be negative, got ", n);
    return make(StorageImpl::allocate(static_cast<size_t>(n), host_device()));
  }
  if (PyObject_CheckBuffer(source) == 0) return nullptr;
  Py_buffer buffer;
  check(PyObject_GetBuffer(source, &buffer, PyBUF_SIMPLE));
  Storage storage;
  if (buffer.itemsize == 1) {
    storage = StorageImpl::allocate(static_cast<size_t>(buffer.len), host_device());
    if (buffer.len > 0) std::memcpy(storage->data(), buffer.buf, static_cast<size_t>(buffer.len));
  }
  PyBuffer_Release(&buffer);
  return storage ? make(std::move(storage)) : nullptr;
}

// UntypedStorage(n) or UntypedStorage(bytes), and what Python makes of the rest.
PyObject* storage_new(PyTypeObject*, PyObject* args, PyObject* keywords) try {
  if (PyTuple_GET_SIZE(args) == 1 && keywords == nullptr) {
    if (PyObject* made = made_of(PyTuple_GET_ITEM(args, 0))) return made;
  }
  return call_storage_function("made", nullptr, args, keywords);
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

void check_is_readable(const Storage& storage) {
  OW_CHECK(is_host(storage->device()), "only bytes of CPU storages can be read one by one");
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
PyObject* storage_resizable(PyObject* self, PyObject*) {
  return PyBool_FromLong(storage_of(self)->resizable());
}
// A tensor of all bytes, sharing them.
PyObject* storage_bytes_tensor(PyObject* self, PyObject*) try {
  return wrap(tensor_over(storage_of(self), kByte));
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

PyObject* storage_item(PyObject* self, Py_ssize_t index) try {
  const Storage& storage = storage_of(self);
  const auto size = static_cast<Py_ssize_t>(storage->nbytes());
  if (index < 0 || index >= size) {
    PyErr_Format(PyExc_IndexError, "index %zd out of range for storage of size %zd", index, size);
    return nullptr;
  }
  check_is_readable(storage);
  return PyLong_FromLong(static_cast<const uint8_t*>(storage->data())[index]);
} catch (...) {
  return set_python_error();
}

// Some of the bytes of a storage, as a storage of its own that looks at them.
PyObject* storage_part(PyObject* self, PyObject* slice) {
  const Storage& storage = storage_of(self);
  Py_ssize_t start, stop, step;
  check(PySlice_Unpack(slice, &start, &stop, &step));
  const Py_ssize_t n = PySlice_AdjustIndices(storage_length(self), &start, &stop, step);
  OW_CHECK(step == 1, "Trying to slice with a step of ", step,
           ", but only a step of 1 is supported");
  check_is_readable(storage);
  // A resized storage keeps the memory that it leaves while somebody else holds it.
  return make(StorageImpl::wrap(static_cast<std::byte*>(storage->data()) + start,
                                static_cast<size_t>(n), storage->device(), [storage](void*) {}));
}

PyObject* storage_subscript(PyObject* self, PyObject* key) try {
  if (PySlice_Check(key)) return storage_part(self, key);
  OW_CHECK_TYPE(PyIndex_Check(key), "can't index a ", printed_package(), ".UntypedStorage with ",
                type_name(key));
  const Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  if (index == -1 && PyErr_Occurred() != nullptr) return nullptr;
  return storage_item(self, index < 0 ? index + storage_length(self) : index);
} catch (...) {
  return set_python_error();
}

int storage_assign(PyObject* self, PyObject* key, PyObject* value) try {
  OW_CHECK_TYPE(value != nullptr, "bytes of a storage cannot be deleted");
  const PyPtr args = PyPtr::steal(check(PyTuple_Pack(2, key, value)));
  const PyPtr done = PyPtr::steal(call_storage_function("__setitem__", self, args.get(), nullptr));
  return done ? 0 : -1;
} catch (...) {
  set_python_error();
  return -1;
}

PyObject* storage_repr(PyObject* self) try {
  const PyPtr none = PyPtr::steal(check(PyTuple_New(0)));
  return call_storage_function("__repr__", self, none.get(), nullptr);
} catch (...) {
  return set_python_error();
}

PyBufferProcs buffer_methods = {storage_get_buffer, nullptr};
PySequenceMethods sequence_methods = [] {
  PySequenceMethods m{};
  m.sq_length = storage_length;
  m.sq_item = storage_item;
  return m;
}();
PyMappingMethods mapping_methods = {storage_length, storage_subscript, storage_assign};
constexpr PyMethodDef kOwnMethods[] = {
    {"nbytes", storage_nbytes, METH_NOARGS, "The size in bytes."},
    {"size", storage_nbytes, METH_NOARGS, "The size in bytes."},
    {"data_ptr", storage_data_ptr, METH_NOARGS, "The address of the first byte."},
    {"resize_", storage_resize, METH_O, "Makes room for a number of bytes."},
    {"resizable", storage_resizable, METH_NOARGS, "Whether resize_() can be called."},
    {"__reduce__", storage_reduce, METH_NOARGS, nullptr},
    {"_bytes", storage_bytes_tensor, METH_NOARGS, "A uint8 tensor over all bytes."}};
PyMethodDef* methods() {
  static std::vector<PyMethodDef> all = [] {
    std::vector<PyMethodDef> found = storage_functions();
    found.insert(found.end(), std::begin(kOwnMethods), std::end(kOwnMethods));
    found.push_back({});
    return found;
  }();
  return all.data();
}
PyGetSetDef getset[] = {{"device", storage_device, nullptr, nullptr, nullptr},
                        {"_cdata", storage_address, nullptr, "Tells storages apart.", nullptr},
                        OW_STORAGE_PROPERTIES,
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
  type.tp_as_mapping = &mapping_methods;
  type.tp_repr = storage_repr;
  type.tp_richcompare = storage_compare;
  type.tp_hash = storage_hash;
  type.tp_weaklistoffset = offsetof(StorageObject, weakrefs);
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_methods = methods();
  type.tp_getset = getset;
  return type;
}

}  // namespace

PyTypeObject storage_type = make_type();

PyObject* wrap(const Storage& storage) { return make(storage); }

Tensor tensor_over(const Storage& storage, ScalarType dtype) {
  const auto n = static_cast<int64_t>(storage->nbytes() / element_size(dtype));
  return Tensor(make_intrusive<TensorImpl>(storage, dtype, storage->device(), IntList{n}));
}

void add_storage_type(PyObject* module) {
  check(PyType_Ready(&storage_type));
  check(PyModule_AddType(module, &storage_type));
}

}  // namespace opweave::python

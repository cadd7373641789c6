// The Python faces of the unpickling machine, of the renaming of globals, and of storages over the
// memory of files.
#include "bindings/python/core/pickling/functions.h"

#include <fcntl.h>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/pickling/crc32.h"
#include "bindings/python/core/pickling/machine.h"
#include "bindings/python/core/pickling/names.h"

namespace opweave::python {
namespace {

// A view of a Python buffer, given back at the end.
class Buffer {
 public:
  Buffer(PyObject* object, int flags) { check(PyObject_GetBuffer(object, &view_, flags)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&view_); }
  std::string_view bytes() const {
    return {static_cast<const char*>(view_.buf), static_cast<size_t>(view_.len)};
  }
  char* data() const { return static_cast<char*>(view_.buf); }

 private:
  Py_buffer view_;
};

// _unpickle(pickle, policy, encoding)
PyObject* unpickle(PyObject*, PyObject* args) try {
  PyObject *pickle, *policy;
  const char* encoding;
  if (PyArg_ParseTuple(args, "OOs", &pickle, &policy, &encoding) == 0) return nullptr;
  const Buffer buffer(pickle, PyBUF_SIMPLE);
  return pickling::Machine(buffer.bytes(), policy, encoding).run().release();
} catch (...) {
  return set_python_error();
}

PyPtr to_unicode(const std::string& text) {
  return PyPtr::steal(
      check(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()))));
}

pickling::Name ask_for_name(PyObject* rename, const pickling::Name& name) {
  const PyPtr module = to_unicode(name.first), own = to_unicode(name.second);
  const PyPtr answer = PyPtr::steal(
      check(interpreted(PyObject_CallFunctionObjArgs, rename, module.get(), own.get(), nullptr)));
  const char *new_module, *new_name;
  if (PyArg_ParseTuple(answer.get(), "ss", &new_module, &new_name) == 0) throw_python_exception();
  return {new_module, new_name};
}

// _rename_globals(pickle, rename): rename(module, name) gives both anew.
PyObject* rename_globals(PyObject*, PyObject* args) try {
  PyObject *pickle, *rename;
  if (PyArg_ParseTuple(args, "OO", &pickle, &rename) == 0) return nullptr;
  const Buffer buffer(pickle, PyBUF_SIMPLE);
  const std::string result = pickling::rename_globals(
      buffer.bytes(), [&](const pickling::Name& name) { return ask_for_name(rename, name); });
  return PyBytes_FromStringAndSize(result.data(), static_cast<Py_ssize_t>(result.size()));
} catch (...) {
  return set_python_error();
}

// _storage_of_buffer(buffer, offset, nbytes): a storage over a part of a writable buffer, which it
// keeps.
PyObject* storage_of_buffer(PyObject*, PyObject* args) try {
  PyObject* object;
  Py_ssize_t offset, bytes;
  if (PyArg_ParseTuple(args, "Onn", &object, &offset, &bytes) == 0) return nullptr;
  const Buffer buffer(object, PyBUF_WRITABLE);
  const auto length = static_cast<Py_ssize_t>(buffer.bytes().size());
  OW_CHECK_VALUE(offset >= 0 && bytes >= 0 && offset <= length && bytes <= length - offset, bytes,
                 " bytes from byte ", offset, " on are not within a buffer of ", length, " bytes");
  // Keeps the buffer exported, which the destructor of the one above ends.
  PyObject* view = check(PyMemoryView_FromObject(object));
  return wrap(StorageImpl::wrap(buffer.data() + offset, static_cast<size_t>(bytes), host_device(),
                                [view](void*) { drop_reference(view); }));
} catch (...) {
  return set_python_error();
}

// _crc32(buffer, crc): as zlib.crc32; None where this processor is not faster than that.
PyObject* crc32(PyObject*, PyObject* args) try {
  PyObject* object;
  unsigned int crc;
  if (PyArg_ParseTuple(args, "OI", &object, &crc) == 0) return nullptr;
  const Buffer buffer(object, PyBUF_SIMPLE);
  std::optional<uint32_t> result;
  {
    const ReleaseGil released;
    result = pickling::crc32(buffer.bytes(), crc);
  }
  return result ? PyLong_FromUnsignedLong(*result) : none();
} catch (...) {
  return set_python_error();
}

// _write_back(descriptor, offset, nbytes): has the disk begin with a part of a file, so that a
// later fsync() finds little to wait for. Where that is not known, nothing happens.
PyObject* write_back(PyObject*, PyObject* args) {
  int descriptor;
  long long offset, bytes;
  if (PyArg_ParseTuple(args, "iLL", &descriptor, &offset, &bytes) == 0) return nullptr;
#if defined(SYNC_FILE_RANGE_WRITE)
  sync_file_range(descriptor, offset, bytes, SYNC_FILE_RANGE_WRITE);
#endif
  return none();
}

}  // namespace

PyMethodDef pickling_functions[] = {
    {"_crc32", crc32, METH_VARARGS, "The CRC-32 of a buffer; None where zlib is as fast."},
    {"_write_back", write_back, METH_VARARGS, "Has the disk begin with a part of a file."},
    {"_unpickle", unpickle, METH_VARARGS, "The object of a pickle, made by what a policy allows."},
    {"_rename_globals", rename_globals, METH_VARARGS, "A pickle with other names of classes."},
    {"_storage_of_buffer", storage_of_buffer, METH_VARARGS, "A storage over a part of a buffer."},
    {}};

}  // namespace opweave::python

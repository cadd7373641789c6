#include "bindings/python/core/objects/storage_functions.h"

#include <array>
#include <utility>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "dtypes/dtype.h"

namespace opweave::python {
namespace {

struct Function {
  const char *name, *doc;
  int flags = METH_VARARGS | METH_KEYWORDS;
};
constexpr int kStatic = METH_VARARGS | METH_KEYWORDS | METH_STATIC;
constexpr Function kFunctions[] = {
    {"from_file", "The first `nbytes` bytes of a file, mapped.", kStatic},
    {"from_buffer", "A copy of a buffer's bytes, of elements in an order of bytes.", kStatic},
    {"clone", "A copy."},
    {"cpu", "The bytes in host memory; itself if they are there."},
    {"cuda", "The bytes on a CUDA device; itself if they are there."},
    {"to", "The bytes on a device; itself if they are there."},
    {"pin_memory", "A copy in host memory that a device reads directly; itself if it is one."},
    {"is_pinned", "Whether a device reads it directly."},
    {"tolist", "The bytes as a list of ints."},
    {"copy_", "Fills it with the bytes of another storage of its size."},
    {"fill_", "Fills it with a byte."},
    {"byteswap", "Turns the bytes of each element of a dtype around."},
    {"element_size", "One: of a byte."},
    {"get_device", "The index of its device; None without one."},
    {"untyped", "Itself."},
    {"new", "An empty storage on its device."},
    {"type", "The name of its class, or its bytes as elements of a dtype."},
    {"is_shared", "Whether other processes can map it."},
    {"share_memory_", "Moves it where other processes can map it, and stays itself."},
    {"__copy__", nullptr},
    {"__deepcopy__", nullptr},
    {"__sizeof__", nullptr}};

PyPtr attribute(const char* name) {
  const PyPtr module = PyPtr::steal(check(PyImport_ImportModule("opweave._untyped_storage")));
  const PyPtr functions =
      PyPtr::steal(check(PyObject_GetAttrString(module.get(), "UntypedStorage")));
  return PyPtr::steal(check(PyObject_GetAttrString(functions.get(), name)));
}

template <size_t i>
PyObject* call(PyObject* self, PyObject* args, PyObject* keywords) {
  const bool has_storage = (kFunctions[i].flags & METH_STATIC) == 0;
  return call_storage_function(kFunctions[i].name, has_storage ? self : nullptr, args, keywords);
}

// float(), half() and kin: the bytes, each as a number of a dtype.
template <size_t dtype>
PyObject* converted(PyObject* self, PyObject*) try {
  const PyPtr wanted = PyPtr::steal(wrap(static_cast<ScalarType>(dtype)));
  const PyPtr args = PyPtr::steal(check(PyTuple_Pack(1, wanted.get())));
  return call_storage_function("type", self, args.get(), nullptr);
} catch (...) {
  return set_python_error();
}

PyCFunction cast(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

template <size_t... i, size_t... dtype>
std::vector<PyMethodDef> all(std::index_sequence<i...>, std::index_sequence<dtype...>) {
  std::vector<PyMethodDef> found = {
      {kFunctions[i].name, cast(&call<i>), kFunctions[i].flags, kFunctions[i].doc}...};
  const PyMethodDef conversions[] = {{kDtypes[dtype].method.data(), &converted<dtype>, METH_NOARGS,
                                      "The bytes, each as a number of this dtype."}...};
  for (const PyMethodDef& method : conversions) {
    if (method.ml_name != nullptr && *method.ml_name != 0) found.push_back(method);
  }
  return found;
}

}  // namespace

PyObject* call_storage_function(const char* name, PyObject* self, PyObject* args,
                                PyObject* keywords) try {
  const PyPtr function = attribute(name);
  if (self == nullptr) return interpreted(PyObject_Call, function.get(), args, keywords);
  const PyPtr first = PyPtr::steal(check(PyTuple_Pack(1, self)));
  const PyPtr with_self = PyPtr::steal(check(PySequence_Concat(first.get(), args)));
  return interpreted(PyObject_Call, function.get(), with_self.get(), keywords);
} catch (...) {
  return set_python_error();
}

std::vector<PyMethodDef> storage_functions() {
  return all(std::make_index_sequence<std::size(kFunctions)>{},
             std::make_index_sequence<kNumScalarTypes>{});
}

PyObject* read_storage_property(PyObject* self, void* name) try {
  const PyPtr none = PyPtr::steal(check(PyTuple_New(0)));
  return call_storage_function(static_cast<const char*>(name), self, none.get(), nullptr);
} catch (...) {
  return set_python_error();
}

}  // namespace opweave::python

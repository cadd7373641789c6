// NumPy: arrays from tensors and tensors from arrays, by the array interface protocol.
#include <array>

#include "bindings/python/core/autograd/captures.h"
#include "bindings/python/core/autograd/host_values.h"
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/functions/operators.h"
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/size_object.h"
#include "bindings/python/core/objects/storage_object.h"

namespace opweave::python {
namespace {

// The struct behind `__array_struct__`, as NumPy documents it.
struct ArrayInterface {
  int two;  // 2, to tell garbage from the struct
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;
  void* data;
  PyObject* descr;
};
constexpr int kNotSwapped = 0x200, kWriteable = 0x400;

// "float64, float32, float16, int64, …, uint8, and bool": the dtypes that NumPy has.
std::string numpy_types() {
  std::string text;
  for (const DtypeCategory category :
       {DtypeCategory::floating, DtypeCategory::complex, DtypeCategory::signed_integer,
        DtypeCategory::unsigned_integer, DtypeCategory::boolean}) {
    for (int i = kNumScalarTypes; i-- > 0;) {
      if (kDtypes[i].category != category || kDtypes[i].numpy == 0) continue;
      text += category == DtypeCategory::boolean ? "and " : "";
      text += std::string(kDtypes[i].name) + (category == DtypeCategory::boolean ? "." : ", ");
    }
  }
  return text;
}

// Whether the object's class is NumPy's of this name, or derived from it. What is not yet imported
// has no objects, so the name tells.
bool derives_from(PyObject* o, std::string_view name) {
  PyObject* classes = Py_TYPE(o)->tp_mro;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(classes); ++i) {
    if (reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(classes, i))->tp_name == name) return true;
  }
  return false;
}

bool is_of_python(PyObject* o) {
  return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyList_CheckExact(o) ||
         PyTuple_CheckExact(o) || PyBool_Check(o);
}

// The struct lives as long as the capsule.
const ArrayInterface* interface_of(PyObject* array, PyPtr& capsule) {
  capsule = PyPtr::steal(PyObject_GetAttrString(array, "__array_struct__"));
  if (!capsule) {
    PyErr_Clear();
    return nullptr;
  }
  auto* interface =
      static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (interface == nullptr) throw_python_exception();
  OW_CHECK_TYPE(interface->two == 2, "the __array_struct__ of '", type_name(array),
                "' is not NumPy's");
  return interface;
}

ScalarType dtype_of(const ArrayInterface& a, PyObject* array) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const DtypeInfo& info = kDtypes[i];
    if (info.numpy == a.typekind && info.bytes == a.itemsize) return static_cast<ScalarType>(i);
  }
  const PyPtr dtype = PyPtr::steal(check(PyObject_GetAttrString(array, "dtype")));
  const PyPtr type = PyPtr::steal(check(PyObject_GetAttrString(dtype.get(), "type")));
  OW_THROW(ErrorKind::kType, "can't convert np.ndarray of type ",
           PyType_Check(type.get()) != 0 ? reinterpret_cast<PyTypeObject*>(type.get())->tp_name
                                         : type_name(dtype.get()),
           ". The only supported types are: ", numpy_types());
}

void check_layout(const ArrayInterface& a) {
  OW_CHECK_VALUE((a.flags & kNotSwapped) != 0,
                 "given numpy array has byte order different from the native byte order. "
                 "Conversion between byte orders is currently not supported.");
  for (int i = 0; i < a.nd; ++i) {
    OW_CHECK_VALUE(a.strides[i] >= 0,
                   "At least one stride in the given numpy array is negative, and tensors with "
                   "negative strides are not currently supported. (You can probably work around "
                   "this by making a copy of your array  with array.copy().)");
    OW_CHECK_VALUE(a.strides[i] % a.itemsize == 0 || a.shape[i] < 2,
                   "given numpy array strides not a multiple of the element byte size. Copy the "
                   "numpy array to reallocate the memory.");
  }
}

void warn_read_only(const ArrayInterface& a) {
  if ((a.flags & kWriteable) != 0) return;
  check(PyErr_WarnEx(PyExc_UserWarning,
                     "The given NumPy array is not writable, and tensors cannot be read-only: "
                     "writing to the tensor is undefined behaviour. Copy the array first if the "
                     "tensor is to be written to.",
                     1));
}

Tensor share_array(const ArrayInterface& a, PyObject* array) {
  const ScalarType dtype = dtype_of(a, array);
  check_layout(a);
  DimVector sizes, strides;
  int64_t last = 0;
  for (int i = 0; i < a.nd; ++i) {
    sizes.push_back(a.shape[i]);
    strides.push_back(a.strides[i] / a.itemsize);
    last += (a.shape[i] - 1) * strides.back();
  }
  const bool empty = checked_numel(sizes) == 0;
  const size_t nbytes = empty ? 0 : static_cast<size_t>(last + 1) * static_cast<size_t>(a.itemsize);
  Storage storage =
      StorageImpl::wrap(a.data, nbytes, host_device(), [array](void*) { drop_reference(array); });
  Py_INCREF(array);
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, host_device(), sizes,
                                           empty ? contiguous_strides(sizes) : strides));
}

// "f4": NumPy's name of a dtype.
std::string numpy_code(ScalarType dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  OW_CHECK_TYPE(info.numpy != 0, "Got unsupported ScalarType ", info.id);
  return str(info.numpy, int64_t{info.bytes});
}

PyObject* make_array(const Tensor& t) {
  const std::string code = numpy_code(t.dtype());
  const PyPtr numpy = PyPtr::steal(check(PyImport_ImportModule("numpy")));
  const PyPtr type = PyPtr::steal(check(PyObject_GetAttrString(numpy.get(), "ndarray")));
  const int64_t item = static_cast<int64_t>(t.element_size());
  DimVector strides(t.strides());
  for (int64_t& s : strides) s *= item;
  const PyPtr shape = PyPtr::steal(wrap_tuple(t.sizes()));
  const PyPtr byte_strides = PyPtr::steal(wrap_tuple(strides));
  const PyPtr buffer = PyPtr::steal(wrap(t.storage()));
  const int64_t offset = t.numel() == 0 ? 0 : t.storage_offset() * item;
  return check(interpreted(PyObject_CallFunction, type.get(), "OsOLO", shape.get(), code.c_str(),
                           buffer.get(), static_cast<long long>(offset), byte_strides.get()));
}

}  // namespace

bool is_numpy_array(PyObject* o) { return !is_of_python(o) && derives_from(o, "numpy.ndarray"); }
bool is_numpy_scalar(PyObject* o) { return !is_of_python(o) && derives_from(o, "numpy.generic"); }

std::optional<ScalarType> dtype_of_array(PyObject* o) {
  if (!is_numpy_array(o) && !is_numpy_scalar(o)) return std::nullopt;
  PyPtr capsule;
  const ArrayInterface* a = interface_of(o, capsule);
  return a != nullptr ? std::optional(dtype_of(*a, o)) : std::nullopt;
}

std::optional<Tensor> tensor_from_array(PyObject* o) {
  PyPtr capsule;
  const ArrayInterface* a = interface_of(o, capsule);
  if (a == nullptr) return std::nullopt;
  if (is_numpy_array(o)) warn_read_only(*a);
  return share_array(*a, o);
}

Tensor cast_copy(const Tensor& tensor, std::optional<ScalarType> dtype) {
  Tensor copy = make_tensor(tensor.sizes(), dtype.value_or(tensor.dtype()), tensor.device());
  operators::copy_(copy, tensor, /*non_blocking=*/false);
  return copy;
}

PyObject* to_numpy(PyObject* self, bool force) {
  const Tensor& t = tensor_of(self);
  if (!t.requires_grad()) check_not_followed(t, "numpy()");
  OW_CHECK(force || !t.requires_grad(),
           "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  OW_CHECK_TYPE(force || t.in_host_memory(), "can't convert ", to_string(t.device()),
                " device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
                "first.");
  check_has_values(t);  // an array of what examples have in common would be a copy
  return make_array(on_host(t));
}

}  // namespace opweave::python

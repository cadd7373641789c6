// opweave.tensor(data): shape, dtype and values of nested Python sequences.
#include "bindings/python/core/tensor/construct.h"

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/objects/read_element.h"
#include "bindings/python/core/objects/sequence_items.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/number.h"

namespace opweave::python {
namespace {

constexpr size_t kMaxDims = 64;

bool is_nested(PyObject* o) {
  return PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o) && !is_tensor(o);
}

// A sequence's items as an array, whatever it is.
PyPtr fast_items(PyObject* sequence) {
  return PyPtr::steal(check(PySequence_Fast(sequence, "not a sequence")));
}

[[noreturn]] void fail_dtype(PyObject* o) {
  OW_CHECK_TYPE(!PyUnicode_Check(o) && !PyBytes_Check(o), "new(): invalid data type '",
                type_name(o), "'");
  OW_THROW(ErrorKind::kRuntime, "Could not infer dtype of ", type_name(o));
}

// What is no number where the dtype is known.
template <class T>
[[noreturn]] void fail_number(PyObject* o) {
  if (PyUnicode_Check(o) || PyBytes_Check(o)) fail_dtype(o);
  if constexpr (std::floating_point<T> || StoredFloat<T>)
    OW_THROW(ErrorKind::kType, "must be real number, not ", type_name(o));
  OW_THROW(ErrorKind::kType, "'", type_name(o), "' object cannot be interpreted as an integer");
}

ScalarType dtype_of_number(PyObject* o) {
  if (is_tensor(o)) return tensor_of(o).dtype();
  if (const auto dtype = dtype_of_array(o)) return *dtype;
  if (PyFloat_Check(o)) return default_dtype();
  if (is_bool(o)) return kBool;
  if (is_int(o)) return kLong;
  if (is_complex(o)) return promote_types(kComplexFloat, default_dtype());
  fail_dtype(o);
}

ScalarType infer_dtype(PyObject* data, size_t depth = 0) {
  if (!is_nested(data) || dtype_of_array(data)) return dtype_of_number(data);
  OW_CHECK_VALUE(depth < kMaxDims, "too many dimensions '", type_name(data), "'");
  const PyPtr items = fast_items(data);
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
  ScalarType result = ScalarType::kUndefined;
  for (Py_ssize_t i = 0; i < n; ++i) {
    const PyPtr item = item_of(items.get(), i);
    OW_CHECK_TYPE(item.get() != data, "new(): self-referential lists are incompatible");
    const ScalarType t = infer_dtype(item.get(), depth + 1);
    result = result == ScalarType::kUndefined ? t : promote_types(result, t);
  }
  return result == ScalarType::kUndefined ? default_dtype() : result;
}

// Follows the first items down; fill() checks that the others agree.
DimVector infer_sizes(PyObject* data) {
  DimVector sizes;
  PyPtr holder;
  while (is_nested(data)) {
    const Py_ssize_t n = PySequence_Size(data);
    if (n < 0) throw_python_exception();
    sizes.push_back(n);
    OW_CHECK_VALUE(sizes.size() <= kMaxDims, "too many dimensions '", type_name(data), "'");
    if (n == 0) break;
    PyPtr first = PyPtr::steal(check(PySequence_GetItem(data, 0)));
    holder = std::move(first);
    data = holder.get();
  }
  // Text is a sequence of texts without end.
  OW_CHECK_VALUE(sizes.empty() || PyUnicode_Check(data) == 0, "too many dimensions '",
                 type_name(data), "'");
  return sizes;
}

// The number as it is before it is converted to T.
template <class T>
Scalar value_of(PyObject* o) {
  if (is_tensor(o)) {
    OW_CHECK_VALUE(tensor_of(o).numel() == 1,
                   "only one element tensors can be converted to Python scalars");
    return item(tensor_of(o));
  }
  OW_CHECK_TYPE(!is_nested(o), "'", type_name(o), "' object cannot be interpreted as a number");
  if (!is_plain_number(o)) fail_number<T>(o);
  if constexpr (std::same_as<T, bool>) return to_bool(o);
  if constexpr (Complex<T>) return to_scalar(o);
  if (is_complex(o)) fail_number<T>(o);
  if (!PyLong_Check(o) || PyBool_Check(o) || std::same_as<T, uint64_t>) return to_scalar(o);
  if constexpr (std::floating_point<T> || StoredFloat<T>) return to_double(o);
  return to_int64(o);
}

// Numbers that do not fit are errors, as in PyTorch; negative integers wrap in unsigned types.
template <class T>
T checked_convert(const Scalar& value, ScalarType dtype) {
  if constexpr (std::same_as<T, uint64_t>) {
    OW_CHECK_TYPE(!value.is_floating(), "an integer is required");
    if (value.type() == kLong && value.to_long() < 0) {
      PyErr_SetString(PyExc_OverflowError, "can't convert negative int to unsigned");
      throw_python_exception();
    }
  }
  if constexpr (std::integral<T>) {
    OW_CHECK(fits(value, dtype), "value cannot be converted to type ", dtype, " without overflow");
  }
  return value.to<T>();
}

template <class T>
class Filler {
 public:
  Filler(const Tensor& tensor) : sizes_(tensor.sizes()), dtype_(tensor.dtype()) {  // NOLINT
    next_ = static_cast<T*>(tensor.raw_data());
  }
  void fill(PyObject* data, size_t dim) {
    if (dim == sizes_.size()) {
      *next_++ = convert(data);
      return;
    }
    OW_CHECK_TYPE(is_nested(data), "not a sequence");
    const PyPtr items = fast_items(data);
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(items.get());
    OW_CHECK_VALUE(n == sizes_[dim], "expected sequence of length ", sizes_[dim], " at dim ", dim,
                   " (got ", n, ")");
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = borrowed_item(items.get(), i);
      if (dim + 1 == sizes_.size() && is_builtin_number(item)) {
        *next_++ = convert(item);
      } else {
        fill(PyPtr::borrow(item).get(), dim + 1);
      }
    }
  }

 private:
  T convert(PyObject* o) const {
    if constexpr (std::same_as<T, float> || std::same_as<T, double>) {
      if (PyFloat_CheckExact(o)) return static_cast<T>(PyFloat_AS_DOUBLE(o));
    }
    return checked_convert<T>(value_of<T>(o), dtype_);
  }
  const DimVector sizes_;
  const ScalarType dtype_;
  T* next_;
};

}  // namespace

Tensor tensor_from_data(PyObject* data, std::optional<ScalarType> dtype) {
  if (dtype_of_array(data)) {
    if (const auto array = tensor_from_array(data)) return cast_copy(*array, dtype);
  }
  if (is_storage(data)) {
    return cast_copy(tensor_over(storage_of(data), dtype.value_or(kLong)), std::nullopt);
  }
  OW_CHECK_TYPE(!PyUnicode_Check(data) && !PyBytes_Check(data), "new(): invalid data type '",
                type_name(data), "'");
  const DimVector sizes = infer_sizes(data);
  Tensor result = make_tensor(sizes, dtype ? *dtype : infer_dtype(data), host_device());
  with_element_type(result.dtype(), [&](auto* type) {
    Filler<std::remove_pointer_t<decltype(type)>>(result).fill(data, 0);
  });
  return result;
}

}  // namespace opweave::python

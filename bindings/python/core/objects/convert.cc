// Checks and conversions of single Python objects.
#include "bindings/python/core/objects/convert.h"

#include <string_view>

#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/read_element.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/forward/dual.h"

namespace opweave::python {
namespace {

// NumPy's scalars and the like; not arrays, which have number slots as well.
bool has_index(PyObject* object) { return PyIndex_Check(object) && !PySequence_Check(object); }
bool has_float(PyObject* object) {
  const PyNumberMethods* slots = Py_TYPE(object)->tp_as_number;
  return slots != nullptr && slots->nb_float != nullptr && !PySequence_Check(object);
}
bool is_numpy_bool(PyObject* object) {
  return std::string_view(type_name(object)).starts_with("numpy.bool");
}

Scalar int_scalar(PyObject* object) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return value;
  const uint64_t large = PyLong_AsUnsignedLongLong(object);
  if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    PyErr_SetString(PyExc_OverflowError, "int too big to convert");
    throw_python_exception();
  }
  return large;
}

// A number has no derivative, which the caller asks for. The tangents of a batch are its examples'.
bool is_differentiated(const Tensor& t) {
  return t.requires_grad() || adopted_tangent_level(recorded(t)) > 0;
}

bool is_plain_zero_dim(const Tensor& t) { return t.dim() == 0 && !is_differentiated(t); }

bool is_whole(const Tensor& t) {
  return !is_differentiated(t) && is_integral(t.dtype(), /*include_bool=*/false);
}

}  // namespace

bool is_bool(PyObject* object) { return PyBool_Check(object) || is_numpy_bool(object); }

bool is_int(PyObject* object) {
  if (PyLong_CheckExact(object)) return true;
  if (is_tensor(object)) {
    const Tensor& t = tensor_of(object);
    return t.dim() == 0 && is_whole(t);
  }
  return has_index(object) && !is_bool(object);
}

bool is_size(PyObject* object) {
  if (!is_tensor(object)) return is_int(object);
  const Tensor& t = tensor_of(object);
  return t.numel() == 1 && is_whole(t);
}

bool is_real(PyObject* object) {
  if (PyFloat_Check(object) || PyLong_Check(object)) return true;
  if (is_tensor(object)) return is_plain_zero_dim(tensor_of(object));
  return has_float(object);
}

// NumPy's complex128 is one of Python's, its complex64 is not.
bool is_complex(PyObject* object) {
  return PyComplex_Check(object) || std::string_view(type_name(object)) == "numpy.complex64";
}

bool is_plain_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) ||
         (!is_tensor(object) &&
          (has_float(object) || has_index(object) || PyComplex_Check(object)));
}

bool is_number(PyObject* object) {
  if (is_tensor(object)) return is_plain_zero_dim(tensor_of(object));
  return is_plain_number(object);
}

int64_t to_int64(PyObject* object) {
  if (is_tensor(object)) return item(tensor_of(object)).to_long();
  PyPtr index;
  if (!PyLong_Check(object)) {
    index = PyPtr::steal(check(PyNumber_Index(object)));
    object = index.get();
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  OW_CHECK_VALUE(overflow == 0, "Overflow when unpacking long long");
  if (value == -1 && PyErr_Occurred() != nullptr) throw_python_exception();
  return value;
}

double to_double(PyObject* object) {
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (is_tensor(object)) return item(tensor_of(object)).to_double();
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred() != nullptr) throw_python_exception();
  return value;
}

bool to_bool(PyObject* object) {
  if (object == Py_True) return true;
  if (object == Py_False) return false;
  return check(PyObject_IsTrue(object)) != 0;
}

static Scalar to_complex(PyObject* object) {
  const Py_complex value = PyComplex_AsCComplex(object);
  if (value.real == -1.0 && PyErr_Occurred() != nullptr) throw_python_exception();
  return ComplexDouble(value.real, value.imag);
}

Scalar to_scalar(PyObject* object) {
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_Check(object)) return int_scalar(object);
  if (is_tensor(object)) return item(tensor_of(object));
  if (is_complex(object)) return to_complex(object);
  if (is_numpy_bool(object)) return to_bool(object);
  if (has_index(object)) return int_scalar(PyPtr::steal(check(PyNumber_Index(object))).get());
  return to_double(object);
}

std::string_view to_string_view(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) throw_python_exception();
  return {text, static_cast<size_t>(size)};
}

PyObject* wrap(const Scalar& value) {
  if (value.is_complex()) {
    const ComplexDouble parts = value.to_complex();
    return check(PyComplex_FromDoubles(parts.real(), parts.imag()));
  }
  if (value.is_floating()) return check(PyFloat_FromDouble(value.to_double()));
  if (value.is_bool()) return Py_NewRef(value.to_bool() ? Py_True : Py_False);
  if (value.type() != kUInt64) return check(PyLong_FromLongLong(value.to_long()));
  return check(PyLong_FromUnsignedLongLong(value.to<uint64_t>()));
}

}  // namespace opweave::python

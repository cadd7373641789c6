// Attributes of tensors that have nothing to do with gradients.
#include <algorithm>

#include "bindings/python/core/autograd/captures.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/size_object.h"
#include "bindings/python/core/overrides/dispatch_classes.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/forward/dual.h"

namespace opweave::python {
namespace {

// An attribute that cannot fail is a function from Tensor to something wrap() takes.
template <auto kRead>
PyObject* read(PyObject* self, void*) try {
  return wrap(kRead(tensor_of(self)));
} catch (...) {
  return set_python_error();
}

// What the tensor says for itself where its class answers operators, and the attribute otherwise.
PyObject* get_device(PyObject* self, void*) try {
  const Tensor& t = tensor_of(self);
  PyObject* claimed = is_answered_by_class(t) ? claimed_device(self) : nullptr;
  return claimed != nullptr ? Py_NewRef(claimed) : wrap(t.device());
} catch (...) {
  return set_python_error();
}

// Whether it is on the devices of a type.
template <DeviceType kType>
PyObject* is_on(PyObject* self, void*) try {
  const PyPtr device = PyPtr::steal(check(get_device(self, nullptr)));
  return PyBool_FromLong(to_device(device.get()).type == kType);
} catch (...) {
  return set_python_error();
}

PyObject* get_shape(PyObject* self, void*) try {
  return wrap_size(tensor_of(self).sizes());
} catch (...) {
  return set_python_error();
}

ScalarType dtype(const Tensor& t) { return t.dtype(); }
Layout layout(const Tensor& t) { return t.layout(); }
int64_t ndim(const Tensor& t) { return t.dim(); }
int64_t itemsize(const Tensor& t) { return static_cast<int64_t>(t.element_size()); }
int64_t nbytes(const Tensor& t) { return static_cast<int64_t>(t.nbytes()); }
// For what PyTorch has and Opweave's tensors never are: sparse, quantized, nested.
bool never(const Tensor&) { return false; }
int64_t version(const Tensor& t) { return t.version(); }
Tensor base(const Tensor& t) {
  TensorImpl* base = t.impl()->view_base();
  return base != nullptr ? Tensor(intrusive_ptr<TensorImpl>(base)) : Tensor();
}

PyObject* call_method(PyObject* self, const char* name, std::initializer_list<int64_t> arguments) {
  const FastFunction method = find_fast_method(name);
  OW_CHECK_NOT_IMPLEMENTED(method != nullptr, "there is no operator ", name);
  PyPtr owners[2];
  PyObject* args[2];
  size_t n = 0;
  for (int64_t a : arguments) {
    owners[n] = PyPtr::steal(check(PyLong_FromLongLong(a)));
    args[n] = owners[n].get();
    ++n;
  }
  return method(self, args, static_cast<Py_ssize_t>(n), nullptr);
}

// t.T reverses all dimensions.
PyObject* get_T(PyObject* self, void*) try {
  DimVector dims;
  for (int64_t d = tensor_of(self).dim(); d-- > 0;) dims.push_back(d);
  const FastFunction permute = find_fast_method("permute");
  OW_CHECK_NOT_IMPLEMENTED(permute != nullptr, "there is no operator permute");
  const PyPtr order = PyPtr::steal(wrap_tuple(dims));
  PyObject* argument = order.get();
  return permute(self, &argument, 1, nullptr);
} catch (...) {
  return set_python_error();
}

// What is the tensor itself, or a view of it, where its numbers are real.
void check_real(PyObject* self, const char* name) {
  OW_CHECK_NOT_IMPLEMENTED(!is_complex(tensor_of(self).dtype()), '"', name,
                           "\" not implemented for '", scalar_type_name(tensor_of(self).dtype()),
                           "'");
}

PyObject* swap_last(PyObject* self, const char* name) {
  const int64_t dim = tensor_of(self).dim();
  OW_CHECK(dim >= 2, "tensor.", name, " is only supported on matrices or batches of matrices. Got ",
           dim, "-D tensor.");
  return call_method(self, "transpose", {-2, -1});
}
PyObject* get_mT(PyObject* self, void*) try { return swap_last(self, "mT"); } catch (...) {
  return set_python_error();
}
PyObject* get_mH(PyObject* self, void*) try {
  check_real(self, "mH");
  return swap_last(self, "mH");
} catch (...) {
  return set_python_error();
}
PyObject* get_H(PyObject* self, void*) try {
  check_real(self, "H");
  const int64_t dim = tensor_of(self).dim();
  OW_CHECK(dim == 0 || dim == 2, "tensor.H is only supported on matrices (2-D tensors). Got ", dim,
           "-D tensor.", dim > 2 ? " For batches of matrices, consider using tensor.mH" : "");
  return dim == 0 ? Py_NewRef(self) : call_method(self, "transpose", {0, 1});
} catch (...) {
  return set_python_error();
}
PyObject* get_real(PyObject* self, void*) try {
  check_real(self, "real");
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

// Elements that change behind the back of autograd have no derivative, and a transform of
// opweave.func returns one; a tangent stays, and belongs to a tensor of its sizes.
void check_data_can_be_set(const Tensor& t, const Tensor& source) {
  OW_CHECK(
      !in_differentiated_function(),
      "mutating directly with `.data` inside of a function that grad, vjp or jvp differentiates is "
      "not allowed");
  OW_CHECK(adopted_tangent_level(t) == 0 || std::ranges::equal(t.sizes(), source.sizes()),
           "data set to a tensor with a tangent must have its sizes, ", t.sizes(), ", but got ",
           source.sizes());
}

// `.data`: the same storage, without history, and with a version of its own, so that changes
// through it go unnoticed by autograd.
PyObject* get_data(PyObject* self, void*) try {
  const Tensor& t = tensor_of(self);
  Tensor data = engine_ops::alias_of(t);
  if (engine_ops::is_plain(t)) data.impl()->detach_version();
  return wrap(std::move(data));
} catch (...) {
  return set_python_error();
}

int set_data(PyObject* self, PyObject* value, void*) try {
  OW_CHECK(value != nullptr, "Deleting tensor data is not allowed. Delete tensor instead!");
  OW_CHECK_TYPE(is_tensor(value), "Variable data has to be a tensor, but got ", type_name(value));
  const Tensor& t = tensor_of(self);
  const Tensor& source = tensor_of(value);
  OW_CHECK(!t.requires_grad() || is_differentiable(source.dtype()),
           "data set to a tensor that requires gradients must be floating point or complex dtype");
  check_data_can_be_set(t, source);
  t.impl()->set_data_from(*source.impl());
  return 0;
} catch (...) {
  return set_python_error_int();
}

}  // namespace

PyGetSetDef tensor_attributes[] = {
    {"shape", get_shape, nullptr, "The size of each dimension.", nullptr},
    {"dtype", read<dtype>, nullptr, "The type of the elements.", nullptr},
    {"device", get_device, nullptr, "Where the tensor lives.", nullptr},
    {"layout", read<layout>, nullptr, nullptr, nullptr},
    {"ndim", read<ndim>, nullptr, "The number of dimensions.", nullptr},
    {"itemsize", read<itemsize>, nullptr, "The size of an element in bytes.", nullptr},
    {"nbytes", read<nbytes>, nullptr, "The size of all elements in bytes.", nullptr},
    {"is_cpu", is_on<kCPU>, nullptr, nullptr, nullptr},
    {"is_meta", is_on<kMeta>, nullptr, nullptr, nullptr},
    {"is_sparse", read<never>, nullptr, nullptr, nullptr},
    {"is_quantized", read<never>, nullptr, nullptr, nullptr},
    {"is_nested", read<never>, nullptr, nullptr, nullptr},
    {"_version", read<version>, nullptr, "How often the data were changed in place.", nullptr},
    {"_base", read<base>, nullptr, "The tensor that this one is a view of, or None.", nullptr},
    {"T", get_T, nullptr, "The tensor with its dimensions reversed.", nullptr},
    {"mT", get_mT, nullptr, "The tensor with its last two dimensions swapped.", nullptr},
    {"H", get_H, nullptr, "The conjugate transpose of a matrix.", nullptr},
    {"mH", get_mH, nullptr, "The conjugate transpose of the last two dimensions.", nullptr},
    {"real", get_real, nullptr, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"data", get_data, set_data, "The tensor's data, apart from autograd.", nullptr},
    {}};

}  // namespace opweave::python

// Methods that read a tensor's geometry and storage.
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/size_object.h"
#include "bindings/python/core/objects/storage_object.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "runtime/batching/batched_tensor.h"

namespace opweave::python {
namespace {

constexpr Param kDimParams[] = {
    {"self", Kind::kTensor},
    {"dim", Kind::kInt, kOptional | kNone, 0, "None"},
};
constexpr Overload kDimOverloads[] = {{kDimParams}};
constexpr Function kSizeFunction{"size", kDimOverloads};
constexpr Function kStrideFunction{"stride", kDimOverloads};

PyObject* tensor_size(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                      PyObject* kwnames) try {
  const Arguments a(kSizeFunction, self, args, nargs, kwnames);
  const Tensor& t = a.tensor(0);
  return a.given(1) ? wrap(t.size(a.integer(1))) : wrap_size(t.sizes());
} catch (...) {
  return set_python_error();
}

PyObject* tensor_stride(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                        PyObject* kwnames) try {
  const Arguments a(kStrideFunction, self, args, nargs, kwnames);
  const Tensor& t = a.tensor(0);
  return a.given(1) ? wrap(t.stride(a.integer(1))) : wrap_tuple(t.strides());
} catch (...) {
  return set_python_error();
}

constexpr Param kContiguousParams[] = {
    {"self", Kind::kTensor},
    {"memory_format", Kind::kMemoryFormat, kOptional | kKeyword, 0, "opweave.contiguous_format"},
};
constexpr Overload kContiguousOverloads[] = {{kContiguousParams}};
constexpr Function kContiguousFunction{"is_contiguous", kContiguousOverloads};

PyObject* tensor_is_contiguous(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                               PyObject* kwnames) try {
  const Arguments a(kContiguousFunction, self, args, nargs, kwnames);
  const MemoryFormat format = a.memory_format(1).value_or(MemoryFormat::kContiguous);
  return wrap(a.tensor(0).is_contiguous(format));
} catch (...) {
  return set_python_error();
}

int64_t dim(const Tensor& t) { return t.dim(); }
int64_t numel(const Tensor& t) { return t.numel(); }
int64_t element_size(const Tensor& t) { return static_cast<int64_t>(t.element_size()); }
int64_t storage_offset(const Tensor& t) { return t.storage_offset(); }
int64_t data_ptr(const Tensor& t) {
  return t.numel() == 0 ? 0 : reinterpret_cast<int64_t>(t.raw_data());
}
int64_t device_index(const Tensor& t) { return t.device().index; }
bool is_floating_point(const Tensor& t) { return t.is_floating_point(); }
bool is_complex_tensor(const Tensor& t) { return is_complex(t.dtype()); }
bool is_signed(const Tensor& t) { return opweave::is_signed(t.dtype()); }
bool is_inference(const Tensor& t) { return t.is_inference(); }
bool is_view(const Tensor& t) { return t.is_view(); }
bool is_dense(const Tensor& t) { return t.impl()->is_non_overlapping_and_dense(); }
const Storage& storage(const Tensor& t) {
  check_has_memory("untyped_storage()", t);
  return t.storage();
}

const Tensor& other_tensor(PyObject* other, const char* name) {
  OW_CHECK_TYPE(is_tensor(other), name, "(): argument 'other' (position 1) must be Tensor, not ",
                type_name(other));
  return tensor_of(other);
}

PyObject* is_same_size(PyObject* self, PyObject* other) try {
  const Tensor& o = other_tensor(other, "is_same_size");
  return wrap(same_sizes(tensor_of(self).sizes(), o.sizes()));
} catch (...) {
  return set_python_error();
}

PyObject* is_set_to(PyObject* self, PyObject* other) try {
  const Tensor& t = tensor_of(self);
  const Tensor& o = other_tensor(other, "is_set_to");
  return wrap(t.storage() == o.storage() && t.storage_offset() == o.storage_offset() &&
              same_sizes(t.sizes(), o.sizes()) && same_sizes(t.strides(), o.strides()));
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef tensor_geometry_methods[] = {
    entry<tensor_size>("size", "size($self, dim=None)\n--\n\nAll sizes, or that of one dimension."),
    entry<tensor_stride>("stride",
                         "stride($self, dim=None)\n--\n\nAll strides, or that of one dimension."),
    entry<tensor_is_contiguous>(
        "is_contiguous",
        "is_contiguous($self, *, memory_format=None)\n--\n\n"
        "Whether the elements lie in memory in the order of a memory format."),
    entry<no_args<dim>>("dim", METH_NOARGS, "The number of dimensions."),
    entry<no_args<dim>>("ndimension", METH_NOARGS, "The number of dimensions."),
    entry<no_args<numel>>("numel", METH_NOARGS, "The number of elements."),
    entry<no_args<numel>>("nelement", METH_NOARGS, "The number of elements."),
    entry<no_args<element_size>>("element_size", METH_NOARGS, "The size of an element in bytes."),
    entry<no_args<storage_offset>>("storage_offset", METH_NOARGS,
                                   "The position of the first element in the storage."),
    entry<no_args<data_ptr>>("data_ptr", METH_NOARGS, "The address of the first element."),
    entry<no_args<device_index>>("get_device", METH_NOARGS, "The device's index; -1 for the CPU."),
    entry<no_args<is_floating_point>>("is_floating_point", METH_NOARGS, nullptr),
    entry<no_args<is_complex_tensor>>("is_complex", METH_NOARGS, nullptr),
    entry<no_args<is_signed>>("is_signed", METH_NOARGS, nullptr),
    entry<no_args<is_inference>>("is_inference", METH_NOARGS, nullptr),
    {"_is_view", no_args<is_view>, METH_NOARGS, nullptr},
    {"_is_non_overlapping_and_dense", no_args<is_dense>, METH_NOARGS, nullptr},
    entry<no_args<storage>>("untyped_storage", METH_NOARGS,
                            "The bytes that the tensor is a view of."),
    entry<is_same_size>("is_same_size", METH_O, nullptr),
    entry<is_set_to>("is_set_to", METH_O,
                     "Whether both tensors are the same view of the same storage."),
    {}};

}  // namespace opweave::python

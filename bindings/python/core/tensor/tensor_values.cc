// Reading values out of tensors: item(), tolist().
#include "bindings/python/core/autograd/host_values.h"
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/read_element.h"
#include "bindings/python/core/tensor/tensor_type.h"

namespace opweave::python {
namespace {

PyObject* to_list(const Tensor& t, size_t dim, const char* data) {
  if (dim == static_cast<size_t>(t.dim())) return wrap(read_element(data, t.dtype()));
  const int64_t size = t.sizes()[dim];
  // One element may have any stride: nobody steps from it.
  const int64_t stride = size > 1 ? t.strides()[dim] : 0;
  const int64_t step = stride * static_cast<int64_t>(t.element_size());
  PyPtr list = PyPtr::steal(check(PyList_New(size)));
  for (int64_t i = 0; i < size; ++i, data += step) {
    PyList_SET_ITEM(list.get(), i, to_list(t, dim + 1, data));
  }
  return list.release();
}

PyObject* tolist(PyObject* self, PyObject*) try {
  const Tensor t = on_host(tensor_of(self));
  return to_list(t, 0, static_cast<const char*>(t.raw_data()));
} catch (...) {
  return set_python_error();
}

Scalar read_item(const Tensor& t) { return item(t); }

}  // namespace

PyMethodDef tensor_value_methods[] = {
    entry<no_args<read_item>>("item", METH_NOARGS, "The value of a tensor of one element."),
    entry<tolist>("tolist", METH_NOARGS,
                  "The values as nested lists; as a number without dimensions."),
    {}};

}  // namespace opweave::python

// Lists and named tuples of results.
#include "bindings/python/core/functions/results.h"

#include <structmember.h>

#include "bindings/python/core/objects/constants.h"
#include "runtime/core/numbers/scalar.h"

namespace opweave::python {

PyObject* wrap(const std::vector<Tensor>& tensors) {
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(tensors.size()))));
  for (size_t i = 0; i < tensors.size(); ++i) detail::set_item(tuple.get(), i, wrap(tensors[i]));
  return tuple.release();
}

namespace {

// As PyTorch prints them: every field on a line of its own.
PyObject* named_repr(PyObject* self) try {
  // As the type is called, under the name that programs call the package by.
  const std::string_view name = Py_TYPE(self)->tp_name;
  std::string text = str(printed_package(), name.substr(name.find('.')), "(");
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); ++i) {
    const PyPtr item = PyPtr::steal(PyObject_Repr(PyTuple_GET_ITEM(self, i)));
    if (!item) return nullptr;
    text += str(i > 0 ? ",\n" : "\n", Py_TYPE(self)->tp_members[i].name, "=",
                PyUnicode_AsUTF8(item.get()));
  }
  return PyUnicode_FromString((text + ")").c_str());
} catch (...) {
  return set_python_error();
}

}  // namespace

PyObject* ResultType::make() {
  if (type_ == nullptr) {
    PyStructSequence_Field fields[kMaxFields + 1] = {};
    for (size_t i = 0; i < size_; ++i) fields[i].name = fields_[i];
    const std::string full_name = str("opweave.return_types.", name_);
    PyStructSequence_Desc desc{full_name.c_str(), nullptr, fields, static_cast<int>(size_)};
    type_ = PyStructSequence_NewType(&desc);
    check(reinterpret_cast<PyObject*>(type_));
    type_->tp_repr = named_repr;
  }
  return check(PyStructSequence_New(type_));
}

namespace detail {
void set_item(PyObject* tuple, size_t i, PyObject* item) {
  PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), item);
}
void set_field(PyObject* named, size_t i, PyObject* item) {
  PyStructSequence_SET_ITEM(named, static_cast<Py_ssize_t>(i), item);
}
}  // namespace detail

PyObject* wrap_created(Tensor tensor, bool requires_grad) {
  if (requires_grad) {
    OW_CHECK(is_differentiable(tensor.dtype()),
             "Only Tensors of floating point and complex dtype can require gradients");
    tensor.impl()->set_requires_grad_flag(true);
  }
  return wrap(std::move(tensor));
}

}  // namespace opweave::python

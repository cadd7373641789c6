// Attributes and methods of tensors that concern gradients.
#include "bindings/python/core/autograd/hooks.h"
#include "bindings/python/core/autograd/node_object.h"
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/overrides/dispatch_classes.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "runtime/autograd/api.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/forward/tangents.h"

namespace opweave::python {
namespace {

// What autograd knows of an object: under vmap the tensor of all examples.
Tensor recorded_of(PyObject* self) { return recorded(tensor_of(self)); }
ExamplesPtr examples_of(const Tensor& t) { return opweave::examples_of(TensorList(&t, 1)); }

// Who asks for the gradient of a computed tensor nearly always means that of a leaf.
void warn_of_no_gradient() {
  check(PyErr_WarnEx(PyExc_UserWarning,
                     "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. "
                     "Its .grad attribute won't be populated during autograd.backward(). If you "
                     "indeed want the .grad field to be populated for a non-leaf Tensor, use "
                     ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
                     "mistake, make sure you access the leaf Tensor instead.",
                     1));
}

// A gradient that backward() has added within a vmap belongs to its examples.
void check_no_left_example(const Tensor& gradient) {
  OW_CHECK(batch_level(gradient) <= static_cast<int64_t>(batch_levels().size()),
           "vmap: the gradient of this tensor is one for each example of a vmap that has ended: "
           "backward() in a function under vmap was given gradients that differ between them. Use "
           "autograd.grad() and return what it gives.");
}

PyObject* get_grad(PyObject* self, void*) try {
  const Tensor t = recorded_of(self);
  const Tensor gradient = grad_of(t);
  check_no_left_example(gradient);
  if (!gradient.defined() && !is_leaf(t) && !retains_grad(t)) warn_of_no_gradient();
  return wrap(one_of(examples_of(tensor_of(self)), gradient));
} catch (...) {
  return set_python_error();
}

int set_grad_attribute(PyObject* self, PyObject* value, void*) try {
  const bool clears = value == nullptr || value == Py_None;
  OW_CHECK_TYPE(clears || is_tensor(value),
                "assigned grad expected to be a Tensor or None but got grad of type ",
                clears ? "" : type_name(value));
  OW_CHECK(value != self, "can't assign Variable as its own grad");
  const ExamplesPtr examples = examples_of(tensor_of(self));
  set_grad(recorded_of(self), clears ? Tensor() : all_of(examples, tensor_of(value)));
  return 0;
} catch (...) {
  return set_python_error_int();
}

PyObject* get_requires_grad(PyObject* self, void*) try {
  return wrap(recorded_of(self).requires_grad());
} catch (...) {
  return set_python_error();
}

void change_requires_grad(const Tensor& t, bool value) {
  const bool is_leaf = opweave::is_leaf(t);
  OW_CHECK(is_leaf || value,
           "you can only change requires_grad flags of leaf variables. If you want to use a "
           "computed variable in a subgraph that doesn't require differentiation use var_no_grad "
           "= var.detach().");
  if (is_leaf && t.requires_grad() != value) set_requires_grad(t, value);
}

int set_requires_grad_attribute(PyObject* self, PyObject* value, void*) try {
  OW_CHECK(value != nullptr && PyBool_Check(value), "requires_grad must be a bool");
  change_requires_grad(recorded_of(self), value == Py_True);
  return 0;
} catch (...) {
  return set_python_error_int();
}

PyObject* get_grad_fn(PyObject* self, void*) try {
  return wrap(intrusive_ptr<Node>(grad_fn(recorded_of(self))));
} catch (...) {
  return set_python_error();
}

// An attribute that wrap() can take.
template <auto kRead>
PyObject* read(PyObject* self, void*) try {
  return wrap(kRead(recorded_of(self)));
} catch (...) {
  return set_python_error();
}
bool leaf(const Tensor& t) { return opweave::is_leaf(t); }
bool keeps_grad(const Tensor& t) { return retains_grad(t); }
int64_t number(const Tensor& t) { return output_nr(t); }

constexpr Param kRequiresGradParams[] = {
    {"self", Kind::kTensor},
    {"requires_grad", Kind::kBool, kOptional, 0, "True"},
};
constexpr Overload kRequiresGradOverloads[] = {{kRequiresGradParams}};
constexpr Function kRequiresGradFunction{"requires_grad_", kRequiresGradOverloads};

PyObject* requires_grad_(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* kwnames) try {
  const Arguments a(kRequiresGradFunction, self, args, nargs, kwnames);
  change_requires_grad(recorded(a.tensor(0)), a.boolean(1, true));
  return a.same(0);
} catch (...) {
  return set_python_error();
}

PyObject* detach_(PyObject* self, PyObject*) try {
  const Tensor t = recorded_of(self);
  detach_history(t);
  drop_tangents(t);
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

PyObject* retain_grad_method(PyObject* self, PyObject*) try {
  retain_grad(recorded_of(self));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* add_hook(PyObject* self, PyObject* callable) try {
  const Tensor t = recorded_of(self);
  OW_CHECK(t.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  const PyTensorHook hook{SharedObject(callable), examples_of(tensor_of(self)),
                          hook_level_of(*gradient_edge(t).function)};
  return wrap(register_hook(t, hook));
} catch (...) {
  return set_python_error();
}

PyObject* add_accumulate_hook(PyObject* self, PyObject* callable) try {
  const Tensor& t = tensor_of(self);
  OW_CHECK(
      !examples_of(t),
      "vmap: post accumulate grad hooks see tensors, not examples of them: register them on the "
      "tensors that vmap is given, or a hook on the gradient with register_hook()");
  OW_CHECK(t.requires_grad(), "cannot register a hook on a tensor that doesn't require gradient");
  OW_CHECK(opweave::is_leaf(t),
           "post accumulate grad hooks cannot be registered on non-leaf tensors");
  return wrap(register_post_accumulate_grad_hook(t, PyAccumulateHook{SharedObject(callable)}));
} catch (...) {
  return set_python_error();
}

PyTypeObject* tensor_subclass(PyObject* object, const char* function) {
  OW_CHECK_TYPE(
      PyType_Check(object) &&
          PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object), &tensor_base_type),
      function, "(): the class has to be a subclass of opweave.Tensor, got ",
      PyType_Check(object) ? reinterpret_cast<PyTypeObject*>(object)->tp_name : type_name(object));
  return reinterpret_cast<PyTypeObject*>(object);
}

// An object of a class of the program's, which may have a say in what operators do.
PyObject* wrap_as_class(PyTypeObject* type, Tensor tensor) {
  if (answers_operators(type)) let_class_answer(tensor);
  return wrap_as(type, std::move(tensor));
}

// Tensor._make_subclass(cls, data, requires_grad=False): how Parameter is made.
PyObject* make_subclass(PyObject*, PyObject* args) try {
  PyObject *cls, *data;
  int requires_grad = 0;
  if (PyArg_ParseTuple(args, "OO|p:_make_subclass", &cls, &data, &requires_grad) == 0) {
    return nullptr;
  }
  PyTypeObject* type = tensor_subclass(cls, "_make_subclass");
  OW_CHECK_TYPE(is_tensor(data),
                "_make_subclass(): argument 'data' (position 2) must be Tensor, "
                "not ",
                type_name(data));
  // Not an operator: its result would be an object of the class of `data` already.
  const Tensor& given = tensor_of(data);
  Tensor tensor = make_alias(given, given.sizes(), given.strides(), given.storage_offset());
  tensor.impl()->set_inference(given.is_inference());
  if (requires_grad != 0) set_requires_grad(tensor, true);
  return wrap_as_class(type, std::move(tensor));
} catch (...) {
  return set_python_error();
}

// The same tensor, with its history, as an object of another class.
PyObject* as_subclass(PyObject* self, PyObject* cls) try {
  PyTypeObject* type = tensor_subclass(cls, "as_subclass");
  const FastFunction view_as = find_fast_method("view_as");
  OW_CHECK_NOT_IMPLEMENTED(view_as != nullptr, "there is no operator view_as");
  const PyPtr alias = PyPtr::steal(check(view_as(self, &self, 1, nullptr)));
  Tensor tensor = tensor_of(alias.get());
  auto* object = reinterpret_cast<TensorObject*>(alias.get());
  object->tensor.reset();  // the alias' own object goes away without its tensor
  tensor.impl()->set_pyobject(nullptr, false);
  return wrap_as_class(type, std::move(tensor));
} catch (...) {
  return set_python_error();
}

}  // namespace

PyGetSetDef tensor_autograd_attributes[] = {
    {"grad", get_grad, set_grad_attribute, "The accumulated gradient, or None.", nullptr},
    {"_grad", get_grad, set_grad_attribute, nullptr, nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad_attribute,
     "Whether operations on the tensor are recorded for gradients.", nullptr},
    {"grad_fn", get_grad_fn, nullptr, "The node that made the tensor; None for leaves.", nullptr},
    {"is_leaf", read<leaf>, nullptr, "Whether no recorded operation made the tensor.", nullptr},
    {"retains_grad", read<keeps_grad>, nullptr, "Whether retain_grad() was called.", nullptr},
    {"output_nr", read<number>, nullptr, nullptr, nullptr},
    {}};

PyMethodDef tensor_autograd_methods[] = {
    entry<requires_grad_>(
        "requires_grad_",
        "requires_grad_($self, requires_grad=True)\n--\n\nSets requires_grad of a leaf."),
    entry<detach_>("detach_", METH_NOARGS, "Cuts the tensor off from its history, in place."),
    entry<retain_grad_method>("retain_grad", METH_NOARGS,
                              "Keeps the gradient of a tensor that is no leaf in its grad."),
    {"_register_hook", add_hook, METH_O, nullptr},
    {"_register_post_accumulate_grad_hook", add_accumulate_hook, METH_O, nullptr},
    {"_as_subclass", as_subclass, METH_O, nullptr},
    {"_make_subclass", make_subclass, METH_VARARGS | METH_STATIC, nullptr},
    {}};

}  // namespace opweave::python

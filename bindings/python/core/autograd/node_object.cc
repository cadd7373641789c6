// The Python objects of autograd nodes.
#include "bindings/python/core/autograd/node_object.h"

#include <map>
#include <new>
#include <string>
#include <unordered_map>

#include "bindings/python/core/autograd/autograd_references.h"
#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/autograd/hooks.h"
#include "bindings/python/core/functions/results.h"
#include "runtime/autograd/accumulate_grad.h"
#include "runtime/batching/batched_tensor.h"

namespace opweave::python {
namespace {

struct NodeObject {
  PyObject_HEAD;
  intrusive_ptr<Node> node;
  PyObject* dict;
};
extern PyTypeObject node_type;

Node& node_of(PyObject* self) {
  const intrusive_ptr<Node>& node = reinterpret_cast<NodeObject*>(self)->node;
  OW_CHECK(node, "this node was freed by the cycle collector");
  return *node;
}

// The living objects, borrowed; guarded by the interpreter lock.
std::unordered_map<Node*, PyObject*>& objects() {
  static auto* map = new std::unordered_map<Node*, PyObject*>;
  return *map;
}

void node_dealloc(PyObject* self) {
  auto* object = reinterpret_cast<NodeObject*>(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  objects().erase(object->node.get());
  Py_CLEAR(object->dict);
  object->node.~intrusive_ptr();
  type->tp_free(self);
  Py_DECREF(type);
}

int node_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const auto* object = reinterpret_cast<NodeObject*>(self);
  Py_VISIT(object->dict);
  return object->node ? traverse_graph(*object->node, visit, arg) : 0;
}

int node_clear(PyObject* self) {
  auto* object = reinterpret_cast<NodeObject*>(self);
  Py_CLEAR(object->dict);
  if (object->node && object->node->use_count() == 1) {
    objects().erase(object->node.get());
    const intrusive_ptr<Node> dropped = std::move(object->node);
  }
  return 0;
}

PyObject* node_repr(PyObject* self) try {
  return PyUnicode_FromFormat("<%s object at %p>", node_of(self).name(), self);
} catch (...) {
  return set_python_error();
}
PyObject* node_name(PyObject* self, PyObject*) try {
  return PyUnicode_FromString(node_of(self).name());
} catch (...) {
  return set_python_error();
}
PyObject* node_get_next_functions(PyObject* self, void*) try {
  return node_next_functions(node_of(self));
} catch (...) {
  return set_python_error();
}
PyObject* node_hook(PyObject* self, PyObject* callable) try {
  return node_register_hook(node_of(self), callable);
} catch (...) {
  return set_python_error();
}
PyObject* node_prehook(PyObject* self, PyObject* callable) try {
  return node_register_prehook(node_of(self), callable);
} catch (...) {
  return set_python_error();
}
PyObject* node_sequence_nr(PyObject* self, PyObject*) try {
  return PyLong_FromUnsignedLongLong(node_of(self).sequence_nr());
} catch (...) {
  return set_python_error();
}
// Of AccumulateGrad: the leaf.
PyObject* node_variable(PyObject* self, void*) try {
  const auto* accumulator = dynamic_cast<const AccumulateGrad*>(&node_of(self));
  if (accumulator == nullptr) {
    PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'variable'",
                 node_of(self).name());
    return nullptr;
  }
  return wrap(accumulator->leaf());
} catch (...) {
  return set_python_error();
}

// The user's place for notes about a node.
PyObject* node_metadata(PyObject* self, void*) try {
  auto* object = reinterpret_cast<NodeObject*>(self);
  if (object->dict == nullptr) object->dict = PyDict_New();
  return Py_XNewRef(object->dict);
} catch (...) {
  return set_python_error();
}

PyMethodDef methods[] = {
    {"name", node_name, METH_NOARGS, "The name, as in \"AddBackward0\"."},
    {"register_hook", node_hook, METH_O, "Calls hook(grad_inputs, grad_outputs) after the node."},
    {"register_prehook", node_prehook, METH_O, "Calls hook(grad_outputs) before the node."},
    {"_sequence_nr", node_sequence_nr, METH_NOARGS, nullptr},
    {}};
PyGetSetDef getset[] = {
    {"next_functions", node_get_next_functions, nullptr,
     "The nodes that this one's gradients go to, each with the number of its input.", nullptr},
    {"variable", node_variable, nullptr, nullptr, nullptr},
    {"metadata", node_metadata, nullptr, nullptr, nullptr},
    {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.autograd.graph.Node";
  type.tp_basicsize = sizeof(NodeObject);
  type.tp_repr = node_repr;
  type.tp_dealloc = node_dealloc;
  type.tp_traverse = node_traverse;
  type.tp_clear = node_clear;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC |
                  Py_TPFLAGS_DISALLOW_INSTANTIATION;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}
PyTypeObject node_type = make_type();

// A class of its own per name, as users tell nodes apart by type(grad_fn).__name__.
PyTypeObject* class_of(const char* name) {
  static auto* classes = new std::map<std::string, PyTypeObject*>;
  PyTypeObject*& type = (*classes)[name];
  if (type == nullptr) {
    PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(node_dealloc)},
                           {Py_tp_traverse, reinterpret_cast<void*>(node_traverse)},
                           {Py_tp_clear, reinterpret_cast<void*>(node_clear)},
                           {0, nullptr}};
    const std::string full_name = str("opweave.autograd.graph.", name);
    PyType_Spec spec{full_name.c_str(), sizeof(NodeObject), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                     slots};
    const PyPtr bases = PyPtr::steal(check(PyTuple_Pack(1, &node_type)));
    type = reinterpret_cast<PyTypeObject*>(check(PyType_FromSpecWithBases(&spec, bases.get())));
  }
  return type;
}

}  // namespace

PyObject* wrap(const intrusive_ptr<Node>& node) {
  if (!node) Py_RETURN_NONE;
  if (PyObject* context = context_of(*node)) return Py_NewRef(context);
  PyObject*& known = objects()[node.get()];
  if (known != nullptr) return Py_NewRef(known);
  try {
    PyTypeObject* type = class_of(node->name());
    auto* self = reinterpret_cast<NodeObject*>(check(type->tp_alloc(type, 0)));
    new (&self->node) intrusive_ptr<Node>(node);
    self->dict = nullptr;
    known = reinterpret_cast<PyObject*>(self);
  } catch (...) {
    objects().erase(node.get());
    throw;
  }
  return known;
}

PyObject* node_next_functions(Node& node) {
  const auto edges = node.next_edges();
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(edges.size()))));
  for (size_t i = 0; i < edges.size(); ++i) {
    const PyPtr target = PyPtr::steal(wrap(edges[i].function));
    const PyPtr pair = PyPtr::steal(check(Py_BuildValue("OI", target.get(), edges[i].input_nr)));
    detail::set_item(tuple.get(), i, Py_NewRef(pair.get()));
  }
  return tuple.release();
}

// Whose examples hooks of the node see. Only nodes of functions know: others work on the tensors of
// all, and a hook of a function under vmap would see something else than it does without.
static ExamplesPtr examples_of(const Node& node) {
  if (const auto* function = dynamic_cast<const PythonNode*>(&node)) return function->examples();
  OW_CHECK(batch_levels().empty(), "vmap: hooks of the node ", node.name(),
           " see all examples at once, not one of them: register a hook on a tensor with "
           "Tensor.register_hook()");
  return nullptr;
}

PyObject* node_register_hook(Node& node, PyObject* callable) {
  return wrap(node.add_post_hook(
      PyNodePostHook{SharedObject(callable), examples_of(node), hook_level_of(node)}));
}
PyObject* node_register_prehook(Node& node, PyObject* callable) {
  return wrap(node.add_pre_hook(
      PyNodePreHook{SharedObject(callable), examples_of(node), hook_level_of(node)}));
}

void add_node_type(PyObject* module) {
  check(PyType_Ready(&node_type));
  check(PyModule_AddObjectRef(module, "_Node", reinterpret_cast<PyObject*>(&node_type)));
}

}  // namespace opweave::python

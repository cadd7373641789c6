// _C._Overridable wraps a function: the call is passed on as it is, unless a mode or the class of
// an argument takes it over. functools.update_wrapper() gives it the function's name and signature.
#include "bindings/python/core/overrides/overridable_object.h"

#include <cstddef>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/overrides/overrides.h"

namespace opweave::python {
namespace {

struct Overridable {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  PyObject* function;
  PyObject* dict;
  PyObject* weakrefs;
};

Overridable* of(PyObject* self) { return reinterpret_cast<Overridable*>(self); }

// Null without an error where nobody is asked.
PyObject* ask_anybody(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                      PyObject* kwnames) try {
  Overloaded found;
  const Py_ssize_t keywords = kwnames != nullptr ? PyTuple_GET_SIZE(kwnames) : 0;
  if (override_state().asked == Asked::kAll) found.add_all(args, nargs + keywords);
  if (found.empty() && !mode_is_on()) return nullptr;
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(nargs)));
  for (Py_ssize_t i = 0; i < nargs; ++i) PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[i]));
  PyPtr dict;
  if (keywords > 0) dict = PyPtr::steal(check(PyDict_New()));
  for (Py_ssize_t i = 0; i < keywords; ++i)
    check(PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(kwnames, i), args[nargs + i]));
  return ask(self, found, tuple.get(), dict.get(), Asker::kPython);
} catch (...) {
  return set_python_error();
}

// An argument that is no tensor may have a class that is asked, which no counter tells.
bool any_foreign(PyObject* const* args, Py_ssize_t n) {
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (has_override(args[i])) return true;
  }
  return false;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames) {
  const Py_ssize_t nargs = PyVectorcall_NARGS(nargsf);
  if (override_count > 0 || any_foreign(args, nargs)) [[unlikely]] {
    PyObject* const answer = ask_anybody(self, args, nargs, kwnames);
    if (answer != nullptr || PyErr_Occurred() != nullptr) return answer;
  }
  return interpreted(PyObject_Vectorcall, of(self)->function, args, nargsf, kwnames);
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* function;
  if (PyArg_ParseTuple(args, "O", &function) == 0) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  of(self)->vectorcall = call;
  of(self)->function = Py_NewRef(function);
  return self;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(of(self)->function);
  Py_VISIT(of(self)->dict);
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(of(self)->function);
  Py_CLEAR(of(self)->dict);
  return 0;
}

void dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (of(self)->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  Py_TYPE(self)->tp_free(self);
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (object == nullptr || object == Py_None) return Py_NewRef(self);
  return PyMethod_New(self, object);
}

PyObject* repr(PyObject* self) {
  const PyPtr name = PyPtr::steal(PyObject_GetAttrString(self, "__qualname__"));
  if (!name) return nullptr;
  return PyUnicode_FromFormat("<function %U at %p>", name.get(), self);
}

// Pickled by its name, as functions are.
PyObject* reduce(PyObject* self, PyObject*) { return PyObject_GetAttrString(self, "__qualname__"); }

PyObject* copy(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};

PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {"__copy__", copy, METH_NOARGS, nullptr},
                         {"__deepcopy__", copy, METH_O, nullptr},
                         {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave._C._Overridable";
  type.tp_basicsize = sizeof(Overridable);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                  Py_TPFLAGS_METHOD_DESCRIPTOR;
  type.tp_vectorcall_offset = offsetof(Overridable, vectorcall);
  type.tp_dictoffset = offsetof(Overridable, dict);
  type.tp_weaklistoffset = offsetof(Overridable, weakrefs);
  type.tp_call = PyVectorcall_Call;
  type.tp_new = make;
  type.tp_dealloc = dealloc;
  type.tp_traverse = traverse;
  type.tp_clear = clear;
  type.tp_descr_get = bind;
  type.tp_repr = repr;
  type.tp_methods = methods;
  type.tp_getset = attributes;
  return type;
}
PyTypeObject overridable_type = make_type();

}  // namespace

void add_overridable_type(PyObject* module) {
  check(PyType_Ready(&overridable_type));
  check(PyModule_AddObjectRef(module, "_Overridable",
                              reinterpret_cast<PyObject*>(&overridable_type)));
}

}  // namespace opweave::python

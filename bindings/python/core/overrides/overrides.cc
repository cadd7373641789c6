// Finding who wants to see a call.
#include "bindings/python/core/overrides/overrides.h"

#include <unordered_map>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/tensor_object.h"

namespace opweave::python {

int override_count = 0;
PyObject* disabled_torch_function = nullptr;

OverrideState& override_state() {
  // Never destroyed: a thread may end without the interpreter lock.
  static thread_local auto* state = new OverrideState;
  return *state;
}

namespace {

PyObject* torch_function_name() {
  static PyObject* name = PyUnicode_InternFromString("__torch_function__");
  return name;
}

// Of most arguments; their classes need not be asked for an attribute.
bool is_basic(PyTypeObject* type) {
  return type == tensor_class || type == &PyLong_Type || type == &PyFloat_Type ||
         type == &PyBool_Type || type == &PyUnicode_Type || type == Py_TYPE(Py_None) ||
         type == &PyTuple_Type || type == &PyList_Type || type == &PyDict_Type;
}

bool class_overrides(PyTypeObject* type) {
  PyObject* const found = _PyType_Lookup(type, torch_function_name());  // borrowed
  return found != nullptr && found != disabled_torch_function;
}

using Sites = std::unordered_map<SiteAddress, PyObject*>;
Sites& function_sites() {
  static auto* sites = new Sites;
  return *sites;
}
Sites& method_sites() {
  static auto* sites = new Sites;
  return *sites;
}

PyObject* find_site(SiteAddress site, PyObject* self) {
  const Sites& sites = self != nullptr ? method_sites() : function_sites();
  const auto found = sites.find(site);
  return found == sites.end() ? nullptr : found->second;
}

PyPtr args_tuple(PyObject* self, PyObject* const* args, Py_ssize_t nargs) {
  const Py_ssize_t first = self != nullptr ? 1 : 0;
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(nargs + first)));
  if (first == 1) PyTuple_SET_ITEM(tuple.get(), 0, Py_NewRef(self));
  for (Py_ssize_t i = 0; i < nargs; ++i)
    PyTuple_SET_ITEM(tuple.get(), i + first, Py_NewRef(args[i]));
  return tuple;
}

PyPtr keyword_dict(PyObject* const* values, PyObject* kwnames) {
  if (kwnames == nullptr || PyTuple_GET_SIZE(kwnames) == 0) return {};
  PyPtr dict = PyPtr::steal(check(PyDict_New()));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kwnames); ++i)
    check(PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(kwnames, i), values[i]));
  return dict;
}

Overloaded overloaded_of(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* kwnames) {
  Overloaded found;
  if (override_state().asked != Asked::kAll) return found;
  if (self != nullptr) found.add(self);
  found.add_all(args, nargs + (kwnames != nullptr ? PyTuple_GET_SIZE(kwnames) : 0));
  return found;
}

// What the first who answers says; null without an error where nobody is asked.
PyObject* ask_about(SiteAddress site, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                    PyObject* kwnames) try {
  const Overloaded found = overloaded_of(self, args, nargs, kwnames);
  if (found.empty() && !mode_is_on()) return nullptr;
  PyObject* const function = find_site(site, self);
  if (function == nullptr) return nullptr;
  return ask(function, found, args_tuple(self, args, nargs).get(),
             keyword_dict(args + nargs, kwnames).get());
} catch (...) {
  return set_python_error();
}

}  // namespace

bool has_override(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  return !is_basic(type) && class_overrides(type);
}

bool mode_is_on() {
  const OverrideState& state = override_state();
  return state.asked != Asked::kNone && !state.modes.empty();
}

bool is_overridden(PyObject* argument) {
  return mode_is_on() || (override_state().asked == Asked::kAll && has_override(argument));
}

void Overloaded::add(PyObject* argument) {
  if (!PyTuple_Check(argument) && !PyList_Check(argument)) return add_one(argument);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(argument); ++i)
    add_one(PySequence_Fast_GET_ITEM(argument, i));
}

void Overloaded::add_all(PyObject* const* arguments, Py_ssize_t n) {
  for (Py_ssize_t i = 0; i < n; ++i) add(arguments[i]);
}

void Overloaded::add_one(PyObject* argument) {
  if (!has_override(argument)) return;
  PyTypeObject* const type = Py_TYPE(argument);
  auto place = arguments_.end();
  for (auto it = arguments_.begin(); it != arguments_.end(); ++it) {
    if (Py_TYPE(*it) == type) return;
    if (place == arguments_.end() && PyType_IsSubtype(type, Py_TYPE(*it)) != 0) place = it;
  }
  arguments_.insert(place, argument);
}

// Where two names share one, `numel` and `nelement`, the first is what the call is known as.
void register_function_site(PyObject* function, PyCFunction site) {
  function_sites().emplace(reinterpret_cast<SiteAddress>(site), Py_NewRef(function));
}
void register_method_site(PyObject* descriptor, PyCFunction site) {
  method_sites().emplace(reinterpret_cast<SiteAddress>(site), Py_NewRef(descriptor));
}

PyObject* registered_functions() {
  PyPtr list = PyPtr::steal(check(PyList_New(0)));
  for (const Sites* sites : {&function_sites(), &method_sites()}) {
    for (const auto& [site, function] : *sites) check(PyList_Append(list.get(), function));
  }
  return check(PyList_AsTuple(list.get()));
}

// Tensor itself has one, which does what would be done anyway.
void note_class(PyTypeObject* type) {
  if (tensor_class != nullptr && class_overrides(type)) ++override_count;
}

PyObject* call_overridable(FastFunction function, SiteAddress site, PyObject* self,
                           PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  PyObject* const answer = ask_about(site, self, args, nargs, kwnames);
  if (answer != nullptr || PyErr_Occurred() != nullptr) return answer;
  return function(self, args, nargs, kwnames);
}

PyObject* call_overridable_method(PyCFunction method, SiteAddress site, PyObject* self,
                                  PyObject* argument) {
  PyObject* const answer = ask_about(site, self, &argument, argument != nullptr ? 1 : 0, nullptr);
  if (answer != nullptr || PyErr_Occurred() != nullptr) return answer;
  return method(self, argument);
}

PyObject* retry_overridden(SiteAddress site, PyObject* self, PyObject* const* args,
                           Py_ssize_t nargs, PyObject* kwnames) {
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return nullptr;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* const answer = ask_about(site, self, args, nargs, kwnames);
  if (answer == nullptr && PyErr_Occurred() == nullptr) {
    PyErr_Restore(type, value, trace);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return answer;
}

}  // namespace opweave::python

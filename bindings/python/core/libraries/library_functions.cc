// Operators by their names, operators defined from Python, fallbacks, the keys of this thread.
#include "bindings/python/core/libraries/library_functions.h"

#include <string>
#include <string_view>

#include "bindings/python/core/calls/operator_object.h"
#include "bindings/python/core/calls/python_kernel.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/libraries/operator_library.h"
#include "bindings/python/core/libraries/stable_library.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/functionality.h"
#include "runtime/dispatch/registry.h"
#include "runtime/library/defined_operator.h"
#include "runtime/library/library.h"

namespace opweave::python {
namespace {

PyObject* keys_of_call(PyObject*, PyObject*) {
  return PyLong_FromUnsignedLongLong(called_keys().bits());
}

// --- operators defined from Python
PyObject* define(PyObject*, PyObject* schema) try {
  OW_CHECK_TYPE(PyUnicode_Check(schema), "a schema is a str, not ", type_name(schema));
  const std::string_view text = to_string_view(schema);
  return wrap(define_operator(text));
} catch (...) {
  return set_python_error();
}

PyObject* undefine(PyObject*, PyObject* name) try {
  undefine_operator(to_string_view(name));
  return none();
} catch (...) {
  return set_python_error();
}

// Of OPWEAVE_LIBRARY blocks that ran since the last call, as text.
PyObject* library_errors(PyObject*, PyObject*) try {
  return check(PyUnicode_FromString(take_library_errors().c_str()));
} catch (...) {
  return set_python_error();
}

PyObject* find(PyObject*, PyObject* name) try {
  OperatorEntry* entry = find_operator(to_string_view(name));
  return entry != nullptr ? wrap(*entry) : none();
} catch (...) {
  return set_python_error();
}

PyObject* overload_names(PyObject*, PyObject* name) try {
  const auto entries = find_overloads(to_string_view(name));
  PyPtr names = PyPtr::steal(check(PyList_New(0)));
  for (const OperatorEntry* e : entries) {
    const PyPtr text =
        PyPtr::steal(check(PyUnicode_FromString(std::string(e->def().overload).c_str())));
    check(PyList_Append(names.get(), text.get()));
  }
  return names.release();
} catch (...) {
  return set_python_error();
}

PyObject* all_names(PyObject*, PyObject*) try {
  PyPtr names = PyPtr::steal(check(PyList_New(0)));
  for (const OperatorEntry* e : all_operators()) {
    const PyPtr text = PyPtr::steal(check(PyUnicode_FromString(e->full_name().c_str())));
    check(PyList_Append(names.get(), text.get()));
  }
  return names.release();
} catch (...) {
  return set_python_error();
}

PyObject* add_fallback(PyObject*, PyObject* args) try {
  const char* key;
  PyObject* function;
  if (PyArg_ParseTuple(args, "sO", &key, &function) == 0) return nullptr;
  register_fallback(parse_key(key), python_kernel(function, /*pass_operator=*/true));
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* drop_fallback(PyObject*, PyObject* key) try {
  remove_fallback(parse_key(to_string_view(key)));
  return none();
} catch (...) {
  return set_python_error();
}

// The keys that there are: name -> bit.
PyObject* dispatch_keys(PyObject*, PyObject*) try {
  PyPtr keys = PyPtr::steal(check(PyDict_New()));
  for (int i = 0; i < kNumDispatchKeys; ++i) {
    const auto key = static_cast<DispatchKey>(i);
    const std::string name = key_name(key);
    if (name.empty() || observer_keys().has(key)) continue;
    const PyPtr bits = PyPtr::steal(check(PyLong_FromUnsignedLongLong(DispatchKeySet(key).bits())));
    check(PyDict_SetItemString(keys.get(), name.c_str(), bits.get()));
  }
  return keys.release();
} catch (...) {
  return set_python_error();
}

// (name, above, below): names of keys with blanks between.
PyObject* new_functionality(PyObject*, PyObject* args) try {
  const char *name, *above, *below;
  if (PyArg_ParseTuple(args, "sss", &name, &above, &below) == 0) return nullptr;
  register_functionality(name, {.above = above, .below = below});
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* why_left_out(PyObject*, PyObject* name) try {
  const std::string message = left_out_message(to_string_view(name));
  return message.empty() ? none() : check(PyUnicode_FromString(message.c_str()));
} catch (...) {
  return set_python_error();
}

PyObject* begin_trace(PyObject*, PyObject*) try {
  start_trace();
  return none();
} catch (...) {
  return set_python_error();
}

PyObject* end_trace(PyObject*, PyObject*) try {
  return check(PyUnicode_FromString(stop_trace().c_str()));
} catch (...) {
  return set_python_error();
}

// --- the keys of this thread

// _change_keys(include, exclude) -> what to pass to _restore_keys.
PyObject* change_keys(PyObject*, PyObject* args) try {
  PyObject *include, *exclude;
  if (PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &include, &PyTuple_Type, &exclude) == 0) {
    return nullptr;
  }
  ThreadState& state = thread_state();
  const ThreadState before = state;
  auto add = [](DispatchKeySet& set, PyObject* names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      set = set | parse_key(to_string_view(PyTuple_GET_ITEM(names, i)));
    }
  };
  DispatchKeySet included = state.included, excluded = state.excluded;
  add(included, include);
  add(excluded, exclude);
  state.included = included;
  state.excluded = excluded;
  return Py_BuildValue("KK", before.included.bits(), before.excluded.bits());
} catch (...) {
  return set_python_error();
}

PyObject* restore_keys(PyObject*, PyObject* args) try {
  unsigned long long included, excluded;
  if (PyArg_ParseTuple(args, "(KK)", &included, &excluded) == 0) return nullptr;
  thread_state().included = DispatchKeySet::from_bits(included);
  thread_state().excluded = DispatchKeySet::from_bits(excluded);
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef library_functions[] = {
    {"_define_operator", define, METH_O, nullptr},
    {"_undefine_operator", undefine, METH_O, nullptr},
    {"_find_operator", find, METH_O, nullptr},
    {"_overload_names", overload_names, METH_O, nullptr},
    {"_operator_names", all_names, METH_NOARGS, nullptr},
    {"_library_errors", library_errors, METH_NOARGS, nullptr},
    {"_load_stable_library", load_stable_library, METH_O, nullptr},
    {"_register_fallback", add_fallback, METH_VARARGS, nullptr},
    {"_remove_fallback", drop_fallback, METH_O, nullptr},
    {"_dispatch_keys", dispatch_keys, METH_NOARGS, nullptr},
    {"_called_keys", keys_of_call, METH_NOARGS, nullptr},
    {"_register_functionality", new_functionality, METH_VARARGS, nullptr},
    {"_left_out_message", why_left_out, METH_O, nullptr},
    {"_start_trace", begin_trace, METH_NOARGS, nullptr},
    {"_stop_trace", end_trace, METH_NOARGS, nullptr},
    {"_change_keys", change_keys, METH_VARARGS, nullptr},
    {"_restore_keys", restore_keys, METH_VARARGS, nullptr},
    {}};

void add_library_interfaces(PyObject* module) {
  const PyPtr interfaces = PyPtr::steal(
      check(Py_BuildValue("II", OperatorLibrary::kLeastVersion, OperatorLibrary::kVersion)));
  check(PyModule_AddObjectRef(module, "_library_interfaces", interfaces.get()));
  check(PyModule_AddStringConstant(module, "_compiler", "gcc " __VERSION__));
}

}  // namespace opweave::python

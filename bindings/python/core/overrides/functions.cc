// What opweave.overrides is made of: the stack of modes, guards, and functions of Python that may
// be overridden.
#include <algorithm>
#include <utility>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/overrides/overridable_object.h"
#include "bindings/python/core/overrides/overrides.h"

namespace opweave::python {
namespace {

PyObject* push_mode(PyObject*, PyObject* mode) {
  override_state().modes.push_back(PyPtr::borrow(mode));
  ++override_count;
  Py_RETURN_NONE;
}

PyObject* pop_mode(PyObject*, PyObject*) try {
  auto& modes = override_state().modes;
  OW_CHECK(!modes.empty(), "no mode of this thread is entered");
  PyPtr mode = std::move(modes.back());
  modes.pop_back();
  --override_count;
  return mode.release();
} catch (...) {
  return set_python_error();
}

// All modes of the thread, the innermost last.
PyObject* get_modes(PyObject*, PyObject*) try {
  const auto& modes = override_state().modes;
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(modes.size()))));
  for (size_t i = 0; i < modes.size(); ++i)
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(modes[i].get()));
  return tuple.release();
} catch (...) {
  return set_python_error();
}

// Changes what is asked, and returns what was.
PyObject* set_asked(PyObject*, PyObject* value) try {
  const int64_t asked = to_int64(value);
  OW_CHECK_VALUE(asked >= 0 && asked <= 2, "expected 0, 1 or 2, got ", asked);
  auto& state = override_state();
  const auto before = static_cast<int64_t>(state.asked);
  state.asked = static_cast<Asked>(asked);
  return wrap(before);
} catch (...) {
  return set_python_error();
}

PyObject* get_asked(PyObject*, PyObject*) {
  return wrap(static_cast<int64_t>(override_state().asked));
}

// Whether a call with any of these arguments is anybody's; lists are not looked into.
bool any_overridden(PyObject* const* args, Py_ssize_t n) {
  if (std::exchange(override_state().skip_next, false)) return false;
  if (mode_is_on()) return true;
  return override_state().asked == Asked::kAll && std::any_of(args, args + n, has_override);
}

PyObject* has_variadic(PyObject*, PyObject* const* args, Py_ssize_t nargs) {
  return wrap(any_overridden(args, nargs));
}

PyObject* has_unary(PyObject*, PyObject* argument) { return wrap(any_overridden(&argument, 1)); }

PyObject* has_any(PyObject*, PyObject* arguments) try {
  const PyPtr items =
      PyPtr::steal(check(PySequence_Fast(arguments, "expected a sequence of arguments")));
  return wrap(
      any_overridden(PySequence_Fast_ITEMS(items.get()), PySequence_Fast_GET_SIZE(items.get())));
} catch (...) {
  return set_python_error();
}

// _ask(function, relevant_args, args, kwargs): what handle_torch_function() does.
PyObject* ask_python(PyObject*, PyObject* arguments) try {
  PyObject *function, *relevant, *args, *kwargs;
  if (PyArg_ParseTuple(arguments, "OOO!O!", &function, &relevant, &PyTuple_Type, &args,
                       &PyDict_Type, &kwargs) == 0) {
    return nullptr;
  }
  const PyPtr items =
      PyPtr::steal(check(PySequence_Fast(relevant, "expected a sequence of arguments")));
  Overloaded overloaded;
  if (override_state().asked == Asked::kAll) {
    overloaded.add_all(PySequence_Fast_ITEMS(items.get()), PySequence_Fast_GET_SIZE(items.get()));
  }
  return ask(function, overloaded, args, PyDict_GET_SIZE(kwargs) > 0 ? kwargs : nullptr,
             Asker::kPython);
} catch (...) {
  return set_python_error();
}

// Calls the function with nobody of the classes asked.
PyObject* call_disabled(PyObject*, PyObject* arguments) try {
  PyObject *function, *types, *args = nullptr, *kwargs = nullptr;
  if (PyArg_ParseTuple(arguments, "OO|OO", &function, &types, &args, &kwargs) == 0) return nullptr;
  struct Guard {
    Asked before = override_state().asked;
    Guard() { override_state().asked = std::max(before, Asked::kModes); }
    ~Guard() { override_state().asked = before; }
  } guard;
  const PyPtr positional =
      args != nullptr ? PyPtr::steal(check(PySequence_Tuple(args))) : PyPtr::steal(PyTuple_New(0));
  return interpreted(PyObject_Call, function, positional.get(),
                     kwargs == Py_None ? nullptr : kwargs);
} catch (...) {
  return set_python_error();
}

PyObject* skip_next(PyObject*, PyObject* value) {
  override_state().skip_next = value == Py_True;
  Py_RETURN_NONE;
}

PyObject* all_functions(PyObject*, PyObject*) try { return registered_functions(); } catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef override_functions[] = {
    {"_push_function_mode", push_mode, METH_O, nullptr},
    {"_pop_function_mode", pop_mode, METH_NOARGS, nullptr},
    {"_function_modes", get_modes, METH_NOARGS, nullptr},
    {"_set_overrides_asked", set_asked, METH_O, nullptr},
    {"_overrides_asked", get_asked, METH_NOARGS, nullptr},
    {"_has_torch_function", has_any, METH_O, nullptr},
    {"_has_torch_function_unary", has_unary, METH_O, nullptr},
    {"_has_torch_function_variadic",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(has_variadic)), METH_FASTCALL,
     nullptr},
    {"_ask_overrides", ask_python, METH_VARARGS, nullptr},
    {"_disabled_torch_function_impl", call_disabled, METH_VARARGS, nullptr},
    {"_skip_next_question", skip_next, METH_O, nullptr},
    {"_overridable_functions", all_functions, METH_NOARGS, nullptr},
    {}};

void add_overrides(PyObject* module) {
  add_overridable_type(module);
  disabled_torch_function = check(PyObject_GetAttrString(module, "_disabled_torch_function_impl"));
}

}  // namespace opweave::python

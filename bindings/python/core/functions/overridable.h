// Functions and methods whose calls Python classes and modes may take over (`__torch_function__`).
//
// The tables of methods hold not the C functions themselves but `overridable<…>` of them, which
// looks at one counter: as long as no class and no mode wants to see calls, that is all it costs.
// Its own address tells the slow path which function of Python was called. That one is defined in
// overrides/, which knows modes and classes; functions know the counter alone.
#pragma once

#include <Python.h>

namespace opweave::python {

using FastFunction = PyObject* (*)(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                                   PyObject* kwnames);

// How many subclasses of Tensor have a `__torch_function__`, and modes are entered, in all threads.
// Under the interpreter lock.
extern int override_count;

// Two functions of Python may share a C function; `opweave.relu` and `opweave.nn.functional.relu`
// are different to who sees the call.
enum class Site { kOpweave, kNnFunctional };

// What an overridable function is known by: the address of the instance below.
using SiteAddress = void (*)();

// Asks modes and the classes of the arguments, and calls `function` if none answers.
PyObject* call_overridable(FastFunction function, SiteAddress site, PyObject* self,
                           PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* call_overridable_method(PyCFunction method, SiteAddress site, PyObject* self,
                                  PyObject* argument);
// The call raised, which is all that happens to objects that are no tensors. A class among theirs
// that has a `__torch_function__` answers instead.
PyObject* retry_overridden(SiteAddress site, PyObject* self, PyObject* const* args,
                           Py_ssize_t nargs, PyObject* kwnames);

template <FastFunction kFunction, Site kSite>
PyObject* overridable(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const auto here = reinterpret_cast<SiteAddress>(&overridable<kFunction, kSite>);
  if (override_count > 0) [[unlikely]]
    return call_overridable(kFunction, here, self, args, nargs, kwnames);
  PyObject* const result = kFunction(self, args, nargs, kwnames);
  if (result == nullptr) [[unlikely]]
    return retry_overridden(here, self, args, nargs, kwnames);
  return result;
}

// Of METH_NOARGS and METH_O.
template <PyCFunction kMethod>
PyObject* overridable_method(PyObject* self, PyObject* argument) {
  if (override_count > 0) [[unlikely]] {
    const auto here = reinterpret_cast<SiteAddress>(&overridable_method<kMethod>);
    return call_overridable_method(kMethod, here, self, argument);
  }
  return kMethod(self, argument);
}

}  // namespace opweave::python

// Who wants to see calls: modes of this thread, classes of arguments; and asking them.
#pragma once

#include <Python.h>

#include <initializer_list>
#include <vector>

#include "bindings/python/core/functions/overridable.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {

// What is asked in this thread, as PyTorch's guards change it.
enum class Asked : int { kAll = 0, kModes = 1, kNone = 2 };

struct OverrideState {
  std::vector<PyPtr> modes;  // the innermost last
  Asked asked = Asked::kAll;
  bool skip_next = false;  // has_torch_function() says no once
};
OverrideState& override_state();

// Arguments whose classes are asked, one of each class, subclasses before their bases.
class Overloaded {
 public:
  // An argument, or the items of one that is a tuple or a list.
  void add(PyObject* argument);
  void add_all(PyObject* const* arguments, Py_ssize_t n);
  bool empty() const { return arguments_.empty(); }
  const std::vector<PyObject*>& arguments() const { return arguments_; }

 private:
  void add_one(PyObject* argument);
  std::vector<PyObject*> arguments_;
};

// Whether an object's class has a `__torch_function__` that is asked.
bool has_override(PyObject* object);
// Whether modes are asked, and there is one.
bool mode_is_on();
// Whether a call with this argument is anybody's.
bool is_overridden(PyObject* argument);

// Whether a question comes from Python's handle_torch_function(), whose errors have words of their
// own.
enum class Asker { kCpp, kPython };

// The answer of the first who has one; TypeError where classes were asked and none has. Null and no
// error where nobody is to be asked. `args` is a tuple, `kwargs` a dict or null.
PyObject* ask(PyObject* function, const Overloaded& overloaded, PyObject* args, PyObject* kwargs,
              Asker asker = Asker::kCpp);

// The same for an attribute of Tensor by name: `__len__`, `__getitem__`.
PyObject* ask_method(const char* name, std::initializer_list<PyObject*> args);

// A function or method of Python, as its site is to be found by.
void register_function_site(PyObject* function, PyCFunction site);
void register_method_site(PyObject* descriptor, PyCFunction site);

// All that are registered, as a new tuple.
PyObject* registered_functions();

// A class derived from Tensor was made or changed.
void note_class(PyTypeObject* type);

// An attribute of Tensor whose reads and writes are asked for; returns what is to be registered,
// which lives as long as the process.
PyGetSetDef* overridable_attribute(const PyGetSetDef& def);
void register_attribute(PyGetSetDef* def, PyObject* descriptor);

// `__torch_function__` of classes that are not asked.
extern PyObject* disabled_torch_function;
extern PyMethodDef override_functions[];
void add_overrides(PyObject* module);

}  // namespace opweave::python

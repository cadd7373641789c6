// opweave.Generator: the Python object of a random stream.
#pragma once

#include <Python.h>

#include "runtime/core/random/generator.h"

namespace opweave::python {

struct GeneratorObject {
  PyObject_HEAD;
  Generator generator;
};
extern PyTypeObject generator_type;

inline bool is_generator(PyObject* o) { return PyObject_TypeCheck(o, &generator_type); }
inline const Generator& to_generator(PyObject* o) {
  return reinterpret_cast<GeneratorObject*>(o)->generator;
}
PyObject* wrap(const Generator& generator);
void add_generator_type(PyObject* module);

}  // namespace opweave::python

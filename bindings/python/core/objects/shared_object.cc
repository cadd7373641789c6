#include "bindings/python/core/objects/shared_object.h"

#include "bindings/python/core/objects/gil.h"

namespace opweave::python {

SharedObject::SharedObject(PyObject* object) : object_(Py_NewRef(object), drop_reference) {}

}  // namespace opweave::python

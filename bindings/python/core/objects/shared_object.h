// SharedObject: a reference to a Python object that C++ threads share.
#pragma once

#include <Python.h>

#include <memory>

namespace opweave::python {

// A reference to a Python object that C++ threads may copy and drop: dropping the last takes the
// interpreter lock.
class SharedObject {
 public:
  explicit SharedObject(PyObject* object);
  PyObject* get() const { return object_.get(); }

 private:
  std::shared_ptr<PyObject> object_;
};

}  // namespace opweave::python

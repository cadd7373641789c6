// Calls that may run Python code, at whose end the thread may be told not to go on.
#pragma once

#include <Python.h>
#include <unistd.h>

namespace opweave::python {

// At the end of the process the interpreter lets no thread go on. Newer ones let it wait for ever;
// older ones end it, through destructors and handlers that are not made for it. Hence whoever calls
// the interpreter waits instead: where it takes the lock, and where such an end arrives.
[[noreturn]] inline void wait_for_the_end() {
  while (true) pause();
}

// Stands in the frame from which the interpreter ends a thread, which goes no further: no
// destructor above it gives up a reference without the interpreter lock.
class StaysHere {
 public:
  StaysHere() = default;
  StaysHere(const StaysHere&) = delete;
  ~StaysHere() {
    if (ends_) wait_for_the_end();
  }
  void returned() { ends_ = false; }

 private:
  bool ends_ = true;
};

// interpreted(PyObject_CallObject, function, arguments): what the C API gives. All calls of Python
// objects from C++ are made so.
template <class Function, class... Arguments>
PyObject* interpreted(Function* function, Arguments... arguments) {
  StaysHere here;
  PyObject* result = function(arguments...);
  here.returned();
  return result;
}

}  // namespace opweave::python

// Warnings of the runtime as Python's; one that a filter makes an error ends the call.
#include "bindings/python/core/objects/warnings.h"

#include <Python.h>

#include <string>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/gil.h"
#include "runtime/rules/out_size.h"

namespace opweave::python {
namespace {

void warn(std::string_view text) {
  const AcquireGil gil;
  if (PyErr_WarnEx(PyExc_UserWarning, std::string(text).c_str(), 1) < 0) throw_python_exception();
}

}  // namespace

void install_warning_handler() { set_warning_handler(warn); }

}  // namespace opweave::python

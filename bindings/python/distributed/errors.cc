// The exceptions of opweave.distributed.
#include "bindings/python/core/objects/errors.h"

#include "bindings/python/distributed/store_types.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using namespace distributed;

struct Exceptions {
  PyObject* error;
  PyObject* backend;
  PyObject* network;
  PyObject* store;
  PyObject* queue_empty;
};
// Kept for as long as the process lives, as errors may come at its end.
Exceptions exceptions{};

PyObject* exception_of(const Error& error) {
  if (dynamic_cast<const QueueEmptyError*>(&error) != nullptr) return exceptions.queue_empty;
  if (dynamic_cast<const DistStoreError*>(&error) != nullptr) return exceptions.store;
  if (dynamic_cast<const DistNetworkError*>(&error) != nullptr) return exceptions.network;
  if (dynamic_cast<const DistBackendError*>(&error) != nullptr) return exceptions.backend;
  return dynamic_cast<const DistError*>(&error) != nullptr ? exceptions.error : nullptr;
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const Error&) {
    set_python_error();
  } catch (const PythonException&) {
    set_python_error();
  }
}

PyObject* add(py::module_& module, const char* name, PyObject* base, const char* doc) {
  const std::string full = std::string("opweave.distributed.") + name;
  PyObject* made = PyErr_NewExceptionWithDoc(full.c_str(), doc, base, nullptr);
  if (made == nullptr) throw py::error_already_set();
  module.add_object(name, made);
  return made;
}

}  // namespace

void add_errors(py::module_& module) {
  exceptions.error =
      add(module, "DistError", PyExc_RuntimeError, "Something went wrong between processes.");
  exceptions.backend =
      add(module, "DistBackendError", exceptions.error, "A backend of collectives failed.");
  exceptions.network = add(module, "DistNetworkError", exceptions.error,
                           "Another process or host cannot be reached, or went away.");
  exceptions.store = add(module, "DistStoreError", exceptions.error,
                         "A store cannot do what it was asked for; a wait timed out.");
  exceptions.queue_empty = add(module, "QueueEmptyError", exceptions.store,
                               "queue_pop(key, block=False) found no value.");
  register_error_classes(&exception_of);
  py::register_exception_translator(translate);
}

}  // namespace opweave::python

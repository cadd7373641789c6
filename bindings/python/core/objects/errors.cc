// Translation between C++ errors and Python exceptions.
#include "bindings/python/core/objects/errors.h"

#include <cxxabi.h>

#include <array>
#include <new>

#include "bindings/python/core/objects/gil.h"

namespace opweave::python {
namespace {

PyObject* exception_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kType:
      return PyExc_TypeError;
    case ErrorKind::kValue:
      return PyExc_ValueError;
    case ErrorKind::kIndex:
      return PyExc_IndexError;
    case ErrorKind::kNotImplemented:
      return PyExc_NotImplementedError;
    case ErrorKind::kOutOfMemory:
      return out_of_memory_error;
    case ErrorKind::kRuntime:
    case ErrorKind::kSize:
    case ErrorKind::kInternal:
      break;
  }
  return PyExc_RuntimeError;
}

// Under the interpreter lock. Looked at where memory may have run out: nothing is allocated.
constexpr size_t kMostExtensions = 16;
std::array<ErrorClasses, kMostExtensions> error_classes{};
size_t extensions = 0;

PyObject* exception_class(const Error& error) {
  for (size_t i = 0; i < extensions; ++i) {
    if (PyObject* known = error_classes[i](error)) return known;
  }
  return exception_class(error.kind());
}

}  // namespace

void register_error_classes(ErrorClasses classes) {
  OW_CHECK(extensions < kMostExtensions, "more than ", kMostExtensions,
           " extensions have errors of their own");
  error_classes[extensions++] = classes;
}

PyObject* out_of_memory_error = nullptr;

PyObject* set_python_error() noexcept { return set_python_error({}); }

PyObject* set_python_error(std::string_view callee) noexcept {
  try {
    throw;
  } catch (const abi::__forced_unwind&) {
    wait_for_the_end();
  } catch (const PythonException& e) {
    e.restore();
  } catch (Error& e) {
    if (!callee.empty()) e.name_operator(callee);
    PyErr_SetString(exception_class(e), e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
  }
  return nullptr;
}

}  // namespace opweave::python

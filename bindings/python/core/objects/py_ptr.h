// PyPtr: an owned reference to a Python object.
#pragma once

#include <Python.h>

#include <utility>

namespace opweave::python {

class PyPtr {
 public:
  constexpr PyPtr() = default;
  // Takes over a new reference, as most of the C API returns it. Null is allowed.
  static PyPtr steal(PyObject* object) {
    PyPtr p;
    p.object_ = object;
    return p;
  }
  static PyPtr borrow(PyObject* object) {
    Py_XINCREF(object);
    return steal(object);
  }
  PyPtr(const PyPtr& other) : object_(Py_XNewRef(other.object_)) {}
  PyPtr(PyPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyPtr& operator=(PyPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyPtr() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  // Gives the reference to the caller.
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

}  // namespace opweave::python

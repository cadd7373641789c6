// pybind11's classes as types of objects that operators take and return.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "bindings/python/core/objects/opaque.h"

namespace opweave::python {

// The class of T, which schemas know as `name` and operators hand on as std::shared_ptr<T>. Both
// names live as long as the process. `kSeen` is called, under the interpreter lock, when an
// operator is about to get one.
template <class T, auto kSeen = []() noexcept {}>
void register_shared_class(const char* name, const char* python) {
  namespace py = pybind11;
  using Ptr = std::shared_ptr<T>;
  register_opaque_type(
      {.name = name,
       .python = python,
       .is = [](PyObject* object) { return py::isinstance<T>(py::handle(object)); },
       .wrap =
           [](const void* value) {
             return py::cast(*static_cast<const Ptr*>(value)).release().ptr();
           },
       .unwrap = [](PyObject* object) -> std::shared_ptr<const void> {
         kSeen();
         return std::make_shared<const Ptr>(py::handle(object).cast<Ptr>());
       }});
}

}  // namespace opweave::python

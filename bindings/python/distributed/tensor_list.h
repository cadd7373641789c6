// Lists of tensors, as Python's methods of groups and works take and give them.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "bindings/python/core/objects/tensor_object.h"

namespace opweave::python {

inline pybind11::list to_list(const std::vector<Tensor>& tensors) {
  pybind11::list all;
  for (const Tensor& t : tensors)
    all.append(pybind11::reinterpret_steal<pybind11::object>(wrap(t)));
  return all;
}

// TypeError for what is none.
inline std::vector<Tensor> to_tensors(const pybind11::list& list) {
  std::vector<Tensor> all;
  for (const pybind11::handle& object : list) {
    OW_CHECK_TYPE(is_tensor(object.ptr()), "expected a list of tensors, got one with ",
                  Py_TYPE(object.ptr())->tp_name);
    all.push_back(tensor_of(object.ptr()));
  }
  return all;
}

}  // namespace opweave::python

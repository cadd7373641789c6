// Lists of tensors, as Python's methods of groups and works take and give them.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

#include "bindings/python/core/tensor/tensor_object.h"

namespace opweave::python {

inline pybind11::list to_list(const std::vector<Tensor>& tensors) {
  pybind11::list all;
  for (const Tensor& t : tensors)
    all.append(pybind11::reinterpret_steal<pybind11::object>(wrap(t)));
  return all;
}

}  // namespace opweave::python

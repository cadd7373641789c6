// The default device of a thread.
#include "bindings/python/core/objects/chosen_device.h"

#include <vector>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"

namespace opweave::python {
namespace {

struct Chosen {
  std::optional<Device> default_device;
  std::vector<Device> entered;  // the innermost last
};
Chosen& chosen() {
  static thread_local Chosen devices;
  return devices;
}

// None takes the choice back.
PyObject* set_chosen(PyObject*, PyObject* device) try {
  if (device == Py_None) {
    chosen().default_device.reset();
  } else {
    OW_CHECK_TYPE(is_device(device), "set_default_device(): expected a device or its name, got ",
                  type_name(device));
    chosen().default_device = to_device(device);
  }
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* get_chosen(PyObject*, PyObject*) try {
  return wrap(chosen_device().value_or(default_device()));
} catch (...) {
  return set_python_error();
}

}  // namespace

std::optional<Device> chosen_device() {
  const Chosen& devices = chosen();
  return devices.entered.empty() ? devices.default_device : devices.entered.back();
}

void enter_device(Device device) { chosen().entered.push_back(device); }

void leave_device() {
  OW_CHECK(!chosen().entered.empty(), "no device of this thread is entered");
  chosen().entered.pop_back();
}

PyMethodDef chosen_device_functions[] = {{"_set_default_device", set_chosen, METH_O, nullptr},
                                         {"_chosen_device", get_chosen, METH_NOARGS, nullptr},
                                         {}};

}  // namespace opweave::python

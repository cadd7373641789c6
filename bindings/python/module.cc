// The extension module opweave._C.
#include "bindings/python/core/autograd/autograd_functions.h"
#include "bindings/python/core/autograd/batching.h"
#include "bindings/python/core/autograd/captures.h"
#include "bindings/python/core/autograd/forward.h"
#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/autograd/hook_levels.h"
#include "bindings/python/core/autograd/hooks.h"
#include "bindings/python/core/autograd/node_object.h"
#include "bindings/python/core/calls/operator_object.h"
#include "bindings/python/core/libraries/library_functions.h"
#include "bindings/python/core/libraries/profile.h"
#include "bindings/python/core/libraries/targets.h"
#include "bindings/python/core/objects/chosen_device.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/generator_object.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/size_object.h"
#include "bindings/python/core/objects/storage_object.h"
#include "bindings/python/core/objects/stream_object.h"
#include "bindings/python/core/objects/warnings.h"
#include "bindings/python/core/overrides/dispatch_classes.h"
#include "bindings/python/core/overrides/dispatch_modes.h"
#include "bindings/python/core/overrides/overrides.h"
#include "bindings/python/core/pickling/functions.h"
#include "bindings/python/core/settings/settings.h"
#include "bindings/python/core/tensor/construct.h"
#include "bindings/python/core/tensor/shared_memory.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "kernels/initialize/initialize.h"

namespace opweave::python {
namespace {

PyModuleDef definition{PyModuleDef_HEAD_INIT,
                       "opweave._C",
                       "The C++ part of Opweave.",
                       -1,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr,
                       nullptr};

PyObject* name_instruction_set(PyObject*, PyObject*) {
  return PyUnicode_FromString(instruction_set());
}
PyMethodDef own_functions[] = {{"_instruction_set", name_instruction_set, METH_NOARGS, nullptr},
                               {}};

PyObject* make_module() try {
  initialize();
  PyPtr module = PyPtr::steal(check(PyModule_Create(&definition)));
  out_of_memory_error =
      check(PyErr_NewException("opweave.OutOfMemoryError", PyExc_RuntimeError, nullptr));
  check(PyModule_AddObjectRef(module.get(), "OutOfMemoryError", out_of_memory_error));
  for (auto* add : {add_constants, add_size_type, add_generator_type, add_stream_type,
                    add_event_type, add_storage_type, add_hook_handle_type, add_node_type,
                    add_context_type, add_operator_type, add_library_interfaces, add_tensor_type}) {
    add(module.get());
  }
  // After the generated functions, which these replace where both exist.
  for (PyMethodDef* functions : {construct_functions,     sharing_functions,
                                 autocast_functions,      autograd_functions,
                                 batching_functions,      capture_functions,
                                 chosen_device_functions, dispatch_class_functions,
                                 hook_level_functions,    dispatch_mode_functions,
                                 forward_functions,       library_functions,
                                 override_functions,      own_functions,
                                 pickling_functions,      process_functions,
                                 profile_functions,       setting_functions,
                                 shared_memory_functions, target_functions}) {
    add_functions(module.get(), functions);
  }
  add_overrides(module.get());
  install_anomaly_hooks();
  end_process_around_threads();
  install_warning_handler();
  return module.release();
} catch (...) {
  return set_python_error();
}

}  // namespace
}  // namespace opweave::python

PyMODINIT_FUNC PyInit__C() { return opweave::python::make_module(); }

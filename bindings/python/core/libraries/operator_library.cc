// Import of operator libraries.
#include "bindings/python/core/libraries/operator_library.h"

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/object_class.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/tensor/tensor_object.h"

namespace opweave::python {
namespace {

class LibrarySink final : public BindingSink {
 public:
  explicit LibrarySink(PyObject* module) : module_(module) {}

  void functions(const char* module, PyMethodDef* defs) override {
    const PyPtr target = PyPtr::steal(check(PyImport_ImportModule(path_of(module).c_str())));
    for (; defs->ml_name != nullptr; ++defs) {
      const PyPtr function = PyPtr::steal(check(PyCFunction_NewEx(defs, nullptr, nullptr)));
      refuse_existing(target.get(), defs->ml_name);
      check(PyObject_SetAttrString(target.get(), defs->ml_name, function.get()));
      check(PyObject_SetAttrString(module_, defs->ml_name, function.get()));
    }
  }

  void methods(PyMethodDef* defs) override {
    for (; defs->ml_name != nullptr; ++defs) {
      const PyPtr method = PyPtr::steal(check(PyDescr_NewMethod(&tensor_base_type, defs)));
      refuse_existing(reinterpret_cast<PyObject*>(&tensor_base_type), defs->ml_name);
      check(PyDict_SetItemString(tensor_base_type.tp_dict, defs->ml_name, method.get()));
    }
    PyType_Modified(&tensor_base_type);
  }

  void object(const ObjectClass& type) override { add_object_class(module_, type); }

 private:
  // nn.functional was filled at its import.
  static std::string path_of(std::string_view module) {
    if (module == "nn_functional") return "opweave.nn.functional";
    return module.empty() ? "opweave" : str("opweave._C._", module);
  }
  static void refuse_existing(PyObject* target, const char* name) {
    OW_CHECK(!PyObject_HasAttrString(target, name), "operator library: '", name,
             "' exists already; give the operator another name");
  }

  PyObject* module_;
};

}  // namespace

PyObject* import_operator_library(const OperatorLibrary& library) noexcept try {
  const PyPtr opweave = PyPtr::steal(check(PyImport_ImportModule("opweave")));
  // One for each library; Python keeps it until the process ends.
  auto* definition =
      new PyModuleDef{PyModuleDef_HEAD_INIT, library.name, /*m_doc=*/nullptr, /*m_size=*/-1};
  PyPtr module = PyPtr::steal(check(PyModule_Create(definition)));
  library.register_operators();
  library.register_cpu_kernels(backend_key(kCPU));
  library.register_meta_kernels(backend_key(kMeta));
  LibrarySink sink(module.get());
  library.register_bindings(sink);
  return module.release();
} catch (...) {
  return set_python_error();
}

}  // namespace opweave::python

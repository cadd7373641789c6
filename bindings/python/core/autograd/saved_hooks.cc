// Python's hooks on saved tensors: packing, unpacking, and the cycle collector's view of them.
#include "bindings/python/core/autograd/saved_hooks.h"

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"

namespace opweave::python {
namespace {

class PySavedTensorHooks final : public SavedTensorHooks {
 public:
  PySavedTensorHooks(PyObject* pack, PyObject* unpack) : pack_(pack), unpack_(unpack) {}

  intrusive_ptr<PackedTensor> pack(const Tensor& tensor) override {
    const AcquireGil gil;
    const PyPtr argument = PyPtr::steal(wrap(tensor));
    const PyPtr packed =
        PyPtr::steal(check(interpreted(PyObject_CallOneArg, pack_.get(), argument.get())));
    return make_intrusive<PyPackedTensor>(packed.get(), unpack_.get());
  }

 private:
  SharedObject pack_, unpack_;
};

}  // namespace

Tensor PyPackedTensor::unpack() {
  const AcquireGil gil;
  const PyPtr tensor =
      PyPtr::steal(check(interpreted(PyObject_CallOneArg, function.get(), packed.get())));
  OW_CHECK_TYPE(is_tensor(tensor.get()),
                "Output of saved tensor unpack_hook expected to be a "
                "Tensor but got result of type ",
                type_name(tensor.get()));
  return tensor_of(tensor.get());
}

int visit_packed(const SavedTensor& saved, visitproc visit, void* arg) {
  const auto* kept = dynamic_cast<const PyPackedTensor*>(saved.packed());
  if (kept == nullptr || kept->use_count() != 1) return 0;
  Py_VISIT(kept->packed.get());
  Py_VISIT(kept->function.get());
  return 0;
}

PyObject* push_saved_hooks(PyObject*, PyObject* args) try {
  PyObject *pack, *unpack;
  if (PyArg_ParseTuple(args, "OO", &pack, &unpack) == 0) return nullptr;
  push_saved_tensor_hooks(make_intrusive<PySavedTensorHooks>(pack, unpack));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* pop_saved_hooks(PyObject*, PyObject*) try {
  pop_saved_tensor_hooks();
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

}  // namespace opweave::python

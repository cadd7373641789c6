// Where a tensor's memory is and who uses it: record_stream(), pin_memory(), is_pinned().
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/functions/operators.h"
#include "bindings/python/core/objects/stream_object.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "runtime/target/copy.h"

namespace opweave::python {
namespace {

PyObject* record_on_stream(PyObject* self, PyObject* stream) try {
  OW_CHECK_TYPE(is_stream(stream), "record_stream(): argument 's' must be opweave.Stream, not ",
                type_name(stream));
  record_stream(tensor_of(self), to_stream(stream));
  return none();
} catch (...) {
  return set_python_error();
}

// PyTorch takes a device here, which it has deprecated: there is one accelerator.
PyObject* is_pinned_tensor(PyObject* self, PyObject*) try {
  return wrap(is_pinned(tensor_of(self)));
} catch (...) {
  return set_python_error();
}

PyObject* pin_memory(PyObject* self, PyObject*) try {
  const Tensor& t = tensor_of(self);
  OW_CHECK(t.in_host_memory(), "cannot pin '", t.device(),
           "' only dense CPU tensors can be pinned");
  if (is_pinned(t)) return Py_NewRef(self);
  find_accelerator();  // loads it
  Tensor pinned(
      make_intrusive<TensorImpl>(allocate_pinned(t.nbytes()), t.dtype(), host_device(), t.sizes()));
  operators::copy_(pinned, t, /*non_blocking=*/false);
  return wrap(std::move(pinned));
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef tensor_memory_methods[] = {
    entry<record_on_stream>("record_stream", METH_O,
                            "Says that a stream uses the tensor's memory, other than the one on "
                            "which it was made: once "
                            "freed, it is used again only when that stream is done."),
    entry<is_pinned_tensor>(
        "is_pinned", METH_NOARGS,
        "Whether copies to the accelerator reach the memory without the host's help."),
    entry<pin_memory>("pin_memory", METH_NOARGS,
                      "The tensor, copied to pinned memory if it is not."),
    {}};

}  // namespace opweave::python

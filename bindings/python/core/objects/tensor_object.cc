// TensorObject: making, lending and freeing the Python objects of tensors.
#include "bindings/python/core/objects/tensor_object.h"

#include <sched.h>
#include <structmember.h>

#include <new>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/gil.h"

namespace opweave::python {
namespace {

TensorObject* as_object(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }

// Freed objects, kept for the next tensor: every operator call makes one.
constexpr int kMaxFree = 256;
PyObject* free_objects[kMaxFree];
int num_free = 0;

[[gnu::hot]] bool recyclable(PyTypeObject* type) {
  return kRecycle && type->tp_basicsize == static_cast<Py_ssize_t>(sizeof(TensorObject)) &&
         type->tp_finalize == nullptr;
}

[[gnu::hot]] PyObject* allocate(PyTypeObject* type) {
  if (num_free == 0 || !recyclable(type)) return check(type->tp_alloc(type, 0));
  PyObject* self = PyObject_Init(free_objects[--num_free], type);
  PyObject_GC_Track(self);
  return self;
}

[[gnu::hot]] void free_object(PyObject* self, PyTypeObject* type) {
  if (num_free < kMaxFree && recyclable(type)) {
    free_objects[num_free++] = self;
  } else {
    type->tp_free(self);
  }
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) Py_DECREF(type);
}

// Whether the object carries anything that a new one for the same tensor would lack.
[[gnu::hot]] bool has_state(const TensorObject* self) {
  const bool has_attributes = self->dict != nullptr && PyDict_GET_SIZE(self->dict) > 0;
  return has_attributes || self->weakrefs != nullptr ||
         Py_TYPE(reinterpret_cast<const PyObject*>(self)) != tensor_class;
}

// Python dropped the object of a tensor that C++ still holds: from now on the tensor owns it.
[[gnu::hot]] void lend(PyObject* self) {
  TensorObject* object = as_object(self);
  Py_SET_REFCNT(self, 1);
  TensorImpl* impl = object->tensor.impl();
  object->lent = impl;
  impl->set_pyobject(self, /*owns=*/true);
  object->tensor.reset();  // if this was the last reference after all, the object goes with it
}

// The opposite: the object owns the tensor `impl`, whose reference `tensor` is.
void take_back(PyObject* self, Tensor tensor) {
  TensorObject* object = as_object(self);
  tensor.impl()->set_pyobject(self, /*owns=*/false);
  object->tensor = std::move(tensor);
  object->lent = nullptr;
}

// PyObjectHooks::release.
[[gnu::hot]] bool release_object(TensorImpl& impl) {
  if (Py_IsInitialized() == 0) return true;  // the interpreter took its objects along
  if (PyGILState_Check() == 0) {
    impl.keep_last_reference();
    drop_reference_later(&impl);
    return false;
  }
  auto* self = static_cast<PyObject*>(impl.pyobject());
  if (Py_REFCNT(self) > 1) {  // somebody came to it by a weak reference
    impl.keep_last_reference();
    take_back(self, Tensor(intrusive_ptr<TensorImpl>::adopt(&impl)));
    Py_DECREF(self);
    return false;
  }
  as_object(self)->lent = nullptr;
  impl.set_pyobject(nullptr, false);
  Py_DECREF(self);
  return true;
}

// What CPython's own subtype_dealloc does for __slots__ of subclasses.
void clear_slots(PyTypeObject* type, PyObject* self) {
  for (; type != &tensor_base_type; type = type->tp_base) {
    auto* members =
        reinterpret_cast<PyMemberDef*>(reinterpret_cast<char*>(type) + Py_TYPE(type)->tp_basicsize);
    for (Py_ssize_t i = 0; i < Py_SIZE(type); ++i) {
      if (members[i].type != T_OBJECT_EX || (members[i].flags & READONLY) != 0) continue;
      auto** slot = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(self) + members[i].offset);
      Py_CLEAR(*slot);
    }
  }
}

}  // namespace

PyTypeObject* tensor_class = &tensor_base_type;

[[gnu::hot]] void tensor_dealloc(PyObject* self) noexcept {
  TensorObject* object = as_object(self);
  if (object->tensor.defined() && object->tensor.impl()->use_count() > 1 && has_state(object)) {
    lend(self);
    return;
  }
  PyTypeObject* type = Py_TYPE(self);
  if (type->tp_finalize != nullptr && PyObject_CallFinalizerFromDealloc(self) < 0) return;
  PyObject_GC_UnTrack(self);
  if (object->tensor.defined()) object->tensor.impl()->set_pyobject(nullptr, false);
  if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  if (type != tensor_class) clear_slots(type, self);
  Py_CLEAR(object->dict);
  object->tensor.~Tensor();
  free_object(self, type);
}

int tensor_clear(PyObject* self) {
  TensorObject* object = as_object(self);
  // Attributes stay as long as C++ may show the tensor again.
  if (object->tensor.defined() && object->tensor.impl()->use_count() > 1) return 0;
  Py_CLEAR(object->dict);
  if (object->tensor.defined()) {
    Tensor tensor = std::move(object->tensor);
    tensor.impl()->set_pyobject(nullptr, false);
  }
  return 0;
}

void install_pyobject_hooks() { pyobject_hooks.release = &release_object; }

Tensor& reclaim_tensor(PyObject* self) {
  TensorObject* object = as_object(self);
  while (!object->tensor.defined()) {
    OW_CHECK(object->lent != nullptr, "this ", Py_TYPE(self)->tp_name,
             " object has no tensor: it was not made by a constructor of the class");
    if (object->lent->try_retain()) {
      take_back(self, Tensor(intrusive_ptr<TensorImpl>::adopt(object->lent)));
      Py_DECREF(self);  // the reference that the tensor held; the caller has its own
    } else {            // another thread is letting the tensor go
      drop_waiting_references();
      ReleaseGil unlocked;
      sched_yield();
    }
  }
  return object->tensor;
}

[[gnu::hot]] PyObject* wrap_as(PyTypeObject* type, Tensor tensor) {
  PyObject* self = allocate(type);
  TensorObject* object = as_object(self);
  tensor.impl()->set_pyobject(self, /*owns=*/false);
  new (&object->tensor) Tensor(std::move(tensor));
  object->lent = nullptr;
  object->dict = nullptr;
  object->weakrefs = nullptr;
  return self;
}

[[gnu::hot]] PyObject* wrap(Tensor tensor) {
  if (!tensor.defined()) [[unlikely]]
    Py_RETURN_NONE;
  TensorImpl* impl = tensor.impl();
  if (impl->pyobject() == nullptr) [[likely]]
    return wrap_as(tensor_class, std::move(tensor));
  auto* self = static_cast<PyObject*>(impl->pyobject());
  if (!impl->owns_pyobject()) return Py_NewRef(self);
  take_back(self, std::move(tensor));  // the reference that the tensor held is the caller's now
  return self;
}

}  // namespace opweave::python

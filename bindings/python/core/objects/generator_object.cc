// opweave.Generator.
#include "bindings/python/core/objects/generator_object.h"

#include <cstring>
#include <new>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/opaque.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {
namespace {

PyObject* make(PyTypeObject* type, Generator generator) {
  auto* self = reinterpret_cast<GeneratorObject*>(check(type->tp_alloc(type, 0)));
  new (&self->generator) Generator(std::move(generator));
  return reinterpret_cast<PyObject*>(self);
}

PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) try {
  static const char* names[] = {"device", nullptr};
  PyObject* device = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Generator", const_cast<char**>(names),
                                  &device) == 0) {
    return nullptr;
  }
  OW_CHECK_TYPE(device == nullptr || is_device(device),
                "Generator(): argument 'device' (position 1) must be opweave.device, not ",
                type_name(device));
  return make(type, make_intrusive<GeneratorImpl>(
                        resolve_device(device ? to_device(device) : default_device())));
} catch (...) {
  return set_python_error();
}

void generator_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  reinterpret_cast<GeneratorObject*>(self)->generator.~Generator();
  type->tp_free(self);
}

// Negative seeds count from the end of the 64-bit range, as in PyTorch.
uint64_t to_seed(PyObject* object) {
  OW_CHECK(is_int(object), "manual_seed expected an int, but got ", type_name(object));
  if (is_tensor(object)) return static_cast<uint64_t>(to_int64(object));
  const unsigned long long seed = PyLong_AsUnsignedLongLong(object);
  if (seed != static_cast<unsigned long long>(-1) || PyErr_Occurred() == nullptr) return seed;
  PyErr_Clear();
  return static_cast<uint64_t>(to_int64(object));
}

PyObject* generator_manual_seed(PyObject* self, PyObject* seed) try {
  to_generator(self)->manual_seed(to_seed(seed));
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

PyObject* generator_seed(PyObject* self, PyObject*) try {
  return PyLong_FromUnsignedLongLong(to_generator(self)->seed());
} catch (...) {
  return set_python_error();
}

PyObject* generator_initial_seed(PyObject* self, PyObject*) {
  return PyLong_FromUnsignedLongLong(to_generator(self)->initial_seed());
}

// The state is a tensor of bytes, so that it can be saved like any other.
PyObject* generator_get_state(PyObject* self, PyObject*) try {
  const PhiloxSlice state = to_generator(self)->state();
  Tensor bytes = make_tensor({static_cast<int64_t>(sizeof(state))}, kByte, host_device());
  std::memcpy(bytes.raw_data(), &state, sizeof(state));
  return wrap(std::move(bytes));
} catch (...) {
  return set_python_error();
}

PyObject* generator_set_state(PyObject* self, PyObject* object) try {
  PhiloxSlice state;
  const bool fits = is_tensor(object) && tensor_of(object).dtype() == kByte &&
                    tensor_of(object).in_host_memory() && tensor_of(object).is_contiguous() &&
                    tensor_of(object).nbytes() == sizeof(state);
  OW_CHECK_TYPE(fits, "set_state expected the uint8 CPU tensor that get_state returned");
  std::memcpy(&state, tensor_of(object).raw_data(), sizeof(state));
  to_generator(self)->set_state(state);
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

PyObject* generator_device(PyObject* self, void*) try {
  return wrap(to_generator(self)->device());
} catch (...) {
  return set_python_error();
}

PyMethodDef methods[] = {
    {"manual_seed", generator_manual_seed, METH_O, "Sets the seed and returns the generator."},
    {"seed", generator_seed, METH_NOARGS, "Seeds from the system's entropy; returns the seed."},
    {"initial_seed", generator_initial_seed, METH_NOARGS, "The seed in use."},
    {"get_state", generator_get_state, METH_NOARGS, "The state as a tensor of bytes."},
    {"set_state", generator_set_state, METH_O, "Restores a state of get_state()."},
    {}};
PyGetSetDef getset[] = {{"device", generator_device, nullptr, nullptr, nullptr}, {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.Generator";
  type.tp_doc = PyDoc_STR("A stream of random numbers with a state of its own.");
  type.tp_basicsize = sizeof(GeneratorObject);
  type.tp_new = generator_new;
  type.tp_dealloc = generator_dealloc;
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}

}  // namespace

PyTypeObject generator_type = make_type();

PyObject* wrap(const Generator& generator) { return make(&generator_type, generator); }

void add_generator_type(PyObject* module) {
  register_opaque_type(
      {.name = object_type_name<Generator>,
       .python = "opweave.Generator",
       .is = is_generator,
       .wrap = [](const void* value) { return wrap(*static_cast<const Generator*>(value)); },
       .unwrap = [](PyObject* object) -> std::shared_ptr<const void> {
         return std::make_shared<const Generator>(to_generator(object));
       }});
  check(PyType_Ready(&generator_type));
  check(PyModule_AddType(module, &generator_type));
}

}  // namespace opweave::python

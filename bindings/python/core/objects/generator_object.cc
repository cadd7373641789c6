// opweave.Generator.
#include "bindings/python/core/objects/generator_object.h"

#include <cstring>
#include <new>
#include <optional>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/opaque.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "runtime/core/devices/devices.h"
#include "runtime/core/random/mt19937.h"

namespace opweave::python {
namespace {

PyObject* make(PyTypeObject* type, Generator generator) {
  auto* self = reinterpret_cast<GeneratorObject*>(check(type->tp_alloc(type, 0)));
  new (&self->generator) Generator(std::move(generator));
  return reinterpret_cast<PyObject*>(self);
}

constexpr std::string_view kPhilox = "philox", kTwister = "mt19937";

// A generator that changes its engine begins with its seed.
void set_engine(const Generator& generator, PyObject* engine) {
  OW_CHECK_TYPE(PyUnicode_Check(engine), "engine of a Generator must be str, not ",
                type_name(engine));
  const std::string_view name = to_string_view(engine);
  OW_CHECK_VALUE(name == kPhilox || name == kTwister, "engine of a Generator must be '", kPhilox,
                 "' or '", kTwister, "', got '", name, "'");
  OW_CHECK_VALUE(name == kPhilox || is_host(generator->device()), "engine '", kTwister,
                 "' draws on the CPU, but the Generator is on '", generator->device(), "'");
  set_mt19937(generator, name == kTwister);
}

// Without one of its own a generator of the host draws as the default generator does, so that a
// program that asked for PyTorch's numbers gets them from every generator.
void start_engine(const Generator& made, PyObject* engine) {
  if (engine != nullptr && engine != Py_None) {
    set_engine(made, engine);
  } else if (is_host(made->device()) && is_mt19937(default_generator(made->device()))) {
    set_mt19937(made, true);
  }
}

PyObject* generator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) try {
  static const char* names[] = {"device", "engine", nullptr};
  PyObject *device = nullptr, *engine = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O$O:Generator", const_cast<char**>(names),
                                  &device, &engine) == 0) {
    return nullptr;
  }
  OW_CHECK_TYPE(device == nullptr || is_device(device),
                "Generator(): argument 'device' (position 1) must be opweave.device, not ",
                type_name(device));
  const Generator made =
      make_intrusive<GeneratorImpl>(resolve_device(device ? to_device(device) : default_device()));
  start_engine(made, engine);
  return make(type, made);
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

template <class State>
PyObject* wrap_state(const State& state) {
  Tensor bytes = make_tensor({static_cast<int64_t>(sizeof(state))}, kByte, host_device());
  std::memcpy(bytes.raw_data(), &state, sizeof(state));
  return wrap(std::move(bytes));
}

// The state is a tensor of bytes, so that it can be saved like any other.
PyObject* generator_get_state(PyObject* self, PyObject*) try {
  const Generator& generator = to_generator(self);
  // Python may run another thread while it makes an object, which must not find this locked.
  std::optional<Mt19937::State> twister;
  if (const LockedMt19937 words(generator); words) twister = words->state();
  if (twister) return wrap_state(*twister);
  return wrap_state(generator->state());
} catch (...) {
  return set_python_error();
}

bool is_bytes(PyObject* object) {
  return is_tensor(object) && tensor_of(object).dtype() == kByte &&
         tensor_of(object).in_host_memory() && tensor_of(object).is_contiguous();
}

// False for a generator with the other engine.
bool set_twister_state(const Generator& generator, PyObject* object) {
  if (!is_mt19937(generator)) return false;
  OW_CHECK_TYPE(is_bytes(object), "RNG state must be a opweave.ByteTensor on the CPU");
  const Tensor& bytes = tensor_of(object);
  Mt19937::State state;
  OW_CHECK(bytes.nbytes() == sizeof(state), "Expected a CPUGeneratorImplState of size ",
           sizeof(state), " but found the input RNG state size to be ", bytes.nbytes());
  std::memcpy(&state, bytes.raw_data(), sizeof(state));
  const LockedMt19937 words(generator);
  if (!words) return false;  // another thread has taken the engine away
  words->set_state(state);
  generator->set_state({words->seed(), 0});
  return true;
}

PyObject* generator_set_state(PyObject* self, PyObject* object) try {
  if (set_twister_state(to_generator(self), object)) return Py_NewRef(self);
  PhiloxSlice state;
  const bool fits = is_bytes(object) && tensor_of(object).nbytes() == sizeof(state);
  OW_CHECK_TYPE(fits, "set_state expected the uint8 CPU tensor that get_state returned");
  std::memcpy(&state, tensor_of(object).raw_data(), sizeof(state));
  to_generator(self)->set_state(state);
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

void take_engine_of(const Generator& generator, PyObject* state) {
  OW_CHECK_TYPE(is_bytes(state), "Generator: expected the state as a uint8 CPU tensor, not ",
                type_name(state));
  const bool is_twister = tensor_of(state).nbytes() == sizeof(Mt19937::State);
  if (is_twister != is_mt19937(generator)) {
    OW_CHECK_VALUE(!is_twister || is_host(generator->device()), "engine '", kTwister,
                   "' draws on the CPU, but the Generator is on '", generator->device(), "'");
    set_mt19937(generator, is_twister);
  }
}

// A state of either engine.
PyObject* set_any_state(PyObject* self, PyObject* state) {
  take_engine_of(to_generator(self), state);
  return generator_set_state(self, state);
}

PyObject* generator_clone_state(PyObject* self, PyObject*) try {
  const PyPtr state = PyPtr::steal(check(generator_get_state(self, nullptr)));
  const PyPtr made = PyPtr::steal(
      make(Py_TYPE(self), make_intrusive<GeneratorImpl>(to_generator(self)->device())));
  return set_any_state(made.get(), state.get());
} catch (...) {
  return set_python_error();
}

// What PyTorch's have: the class, its arguments, and seed, offset (none) and state.
PyObject* generator_reduce(PyObject* self, PyObject*) try {
  const PyPtr device = PyPtr::steal(check(wrap(to_generator(self)->device())));
  const PyPtr state = PyPtr::steal(check(generator_get_state(self, nullptr)));
  return Py_BuildValue("(O(O)(KOO))", Py_TYPE(self), device.get(),
                       static_cast<unsigned long long>(to_generator(self)->initial_seed()), Py_None,
                       state.get());
} catch (...) {
  return set_python_error();
}

PyObject* generator_setstate(PyObject* self, PyObject* parts) try {
  OW_CHECK_TYPE(PyTuple_Check(parts) && PyTuple_GET_SIZE(parts) == 3,
                "Generator.__setstate__() expects (seed, offset, state), not ", type_name(parts));
  const PyPtr done = PyPtr::steal(check(set_any_state(self, PyTuple_GET_ITEM(parts, 2))));
  return Py_NewRef(Py_None);
} catch (...) {
  return set_python_error();
}

// Graphs that are replayed share states; no target of a Generator's has such.
PyObject* generator_graphsafe_get_state(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_NotImplementedError,
                  "graphsafe_get_state is not supported in this Generator: nothing replays graphs; "
                  "get_state() gives a copy, clone_state() a generator");
  return nullptr;
}
PyObject* generator_graphsafe_set_state(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_NotImplementedError,
                  "graphsafe_set_state is not supported in this Generator: nothing replays graphs; "
                  "set_state() takes what get_state() gave");
  return nullptr;
}

PyObject* generator_device(PyObject* self, void*) try {
  return wrap(to_generator(self)->device());
} catch (...) {
  return set_python_error();
}

PyObject* generator_engine(PyObject* self, void*) {
  const std::string_view name = is_mt19937(to_generator(self)) ? kTwister : kPhilox;
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
}

PyObject* generator_set_engine(PyObject* self, PyObject* engine) try {
  set_engine(to_generator(self), engine);
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

PyMethodDef methods[] = {
    {"manual_seed", generator_manual_seed, METH_O, "Sets the seed and returns the generator."},
    {"seed", generator_seed, METH_NOARGS, "Seeds from the system's entropy; returns the seed."},
    {"initial_seed", generator_initial_seed, METH_NOARGS, "The seed in use."},
    {"set_engine", generator_set_engine, METH_O,
     "Draws from 'philox' or from 'mt19937', which gives PyTorch's numbers; returns the "
     "generator."},
    {"get_state", generator_get_state, METH_NOARGS, "The state as a tensor of bytes."},
    {"set_state", generator_set_state, METH_O, "Restores a state of get_state()."},
    {"clone_state", generator_clone_state, METH_NOARGS,
     "Another generator of this state, on the same device."},
    {"graphsafe_get_state", generator_graphsafe_get_state, METH_NOARGS,
     "Refused: nothing replays graphs."},
    {"graphsafe_set_state", generator_graphsafe_set_state, METH_O,
     "Refused: nothing replays graphs."},
    {"__reduce__", generator_reduce, METH_NOARGS, nullptr},
    {"__setstate__", generator_setstate, METH_O, nullptr},
    {}};
PyGetSetDef getset[] = {{"device", generator_device, nullptr, nullptr, nullptr},
                        {"engine", generator_engine, nullptr, "'philox', or 'mt19937'.", nullptr},
                        {}};

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

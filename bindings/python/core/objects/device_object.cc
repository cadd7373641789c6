// opweave.device: construction, comparison, text, and use as a context that sets the default
// device.
#include "bindings/python/core/objects/chosen_device.h"
#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/stream_object.h"

namespace opweave::python {
namespace {

Device device_of(PyObject* self) { return reinterpret_cast<DeviceObject*>(self)->device; }

int8_t to_index(PyObject* object) {
  const int64_t index = to_int64(object);
  OW_CHECK(index >= 0 && index < 128, "Device index must be between 0 and 127, got ", index);
  return static_cast<int8_t>(index);
}

// device("cuda"), device("cuda", 1), device("cuda:1"), device(other), device(1)
PyObject* device_new(PyTypeObject*, PyObject* args, PyObject* kwargs) try {
  static const char* names[] = {"type", "index", nullptr};
  PyObject* type = nullptr;
  PyObject* index = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:device", const_cast<char**>(names), &type,
                                  &index) == 0) {
    return nullptr;
  }
  OW_CHECK_TYPE(is_device(type), "device(): argument 'type' (position 1) must be str, not ",
                type_name(type));
  Device device = to_device(type);
  if (index != Py_None) {
    OW_CHECK_TYPE(is_int(index), "device(): argument 'index' (position 2) must be int, not ",
                  type_name(index));
    OW_CHECK(device.index < 0,
             "type (string) must not include an index because index was passed "
             "explicitly: ",
             to_string(device));
    device.index = to_index(index);
  }
  return wrap(device);
} catch (...) {
  return set_python_error();
}

PyObject* device_str(PyObject* self) try {
  return PyUnicode_FromString(to_string(device_of(self)).c_str());
} catch (...) {
  return set_python_error();
}

PyObject* device_repr(PyObject* self) try {
  const Device d = device_of(self);
  const std::string index = d.index >= 0 ? str(", index=", d.index) : std::string();
  return PyUnicode_FromString(
      str("device(type='", device_type_name(d.type), "'", index, ")").c_str());
} catch (...) {
  return set_python_error();
}

PyObject* device_compare(PyObject* a, PyObject* b, int op) {
  if (!is_device_object(a) || !is_device_object(b) || (op != Py_EQ && op != Py_NE)) {
    Py_RETURN_NOTIMPLEMENTED;
  }
  return PyBool_FromLong((device_of(a) == device_of(b)) == (op == Py_EQ));
}

Py_hash_t device_hash(PyObject* self) {
  const Device d = device_of(self);
  return (d.type << 8) + d.index + 1000;
}

PyObject* device_get_type(PyObject* self, void*) try {
  const std::string_view name = device_type_name(device_of(self).type);
  return PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size()));
} catch (...) {
  return set_python_error();
}

PyObject* device_get_index(PyObject* self, void*) {
  const Device d = device_of(self);
  if (d.index < 0) Py_RETURN_NONE;
  return PyLong_FromLong(d.index);
}

PyObject* device_reduce(PyObject* self, PyObject*) try {
  PyPtr text = PyPtr::steal(device_str(self));
  return Py_BuildValue("O(O)", &device_type, text.get());
} catch (...) {
  return set_python_error();
}

// `with device("meta"):` makes it the default.
PyObject* device_enter(PyObject* self, PyObject*) {
  enter_device(device_of(self));
  return Py_NewRef(self);
}

PyObject* device_exit(PyObject*, PyObject*) try {
  leave_device();
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyMethodDef methods[] = {{"__reduce__", device_reduce, METH_NOARGS, nullptr},
                         {"__enter__", device_enter, METH_NOARGS, nullptr},
                         {"__exit__", device_exit, METH_VARARGS, nullptr},
                         {}};
PyGetSetDef getset[] = {{"type", device_get_type, nullptr, nullptr, nullptr},
                        {"index", device_get_index, nullptr, nullptr, nullptr},
                        {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.device";
  type.tp_doc = PyDoc_STR("Where a tensor lives: device('cpu'), device('cuda', 1).");
  type.tp_basicsize = sizeof(DeviceObject);
  type.tp_new = device_new;
  type.tp_repr = device_repr;
  type.tp_str = device_str;
  type.tp_hash = device_hash;
  type.tp_richcompare = device_compare;
  type.tp_flags = Py_TPFLAGS_DEFAULT;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}

// Devices are compared and printed all the time; the one of most tensors is made once.
PyObject* new_device(Device device) {
  auto* object = PyObject_New(DeviceObject, &device_type);
  check(reinterpret_cast<PyObject*>(object));
  object->device = device;
  return reinterpret_cast<PyObject*>(object);
}

// A device type that is not known yet may be that of a target that is installed but not loaded.
void load_target_of(const std::string& name) {
  const PyPtr targets = PyPtr::steal(check(PyImport_ImportModule("opweave._targets")));
  PyPtr::steal(check(
      interpreted(PyObject_CallMethod, targets.get(), "load_device_type", "s", name.c_str())));
}
void load_all_targets() {
  const PyPtr targets = PyPtr::steal(check(PyImport_ImportModule("opweave._targets")));
  PyPtr::steal(check(interpreted(PyObject_CallMethod, targets.get(), "load_all", nullptr)));
}

Device from_text(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  if (find_device_type(name) < 0) load_target_of(std::string(name));
  return parse_device(text);
}

}  // namespace

PyTypeObject device_type = make_type();

bool is_device(PyObject* o) {
  return is_device_object(o) || PyUnicode_Check(o) || (PyLong_Check(o) && !PyBool_Check(o));
}

Device to_device(PyObject* o) {
  if (is_device_object(o)) return device_of(o);
  if (PyUnicode_Check(o)) return from_text(to_string_view(o));
  const Target* accelerator = find_accelerator();  // a bare number means one of its devices
  OW_CHECK(accelerator != nullptr, "device index ", to_int64(o),
           " was given without a type, but no accelerator is registered");
  return {accelerator->type(), to_index(o)};
}

Target* find_accelerator() {
  if (Target* loaded = current_accelerator()) return loaded;
  load_all_targets();
  return current_accelerator();
}

Device accelerator_device(PyObject* object) {
  if (object != Py_None) {
    OW_CHECK_TYPE(is_device(object), "argument 'device' must be opweave.device, not ",
                  type_name(object));
    return to_device(object);
  }
  const Target* accelerator = find_accelerator();
  OW_CHECK(accelerator != nullptr, "Cannot access accelerator device when none is available.");
  return Device(accelerator->type());
}

PyObject* wrap(Device device) {
  if (device != default_device()) return new_device(device);
  static PyObject* of_most = new_device(device);
  return Py_NewRef(of_most);
}

}  // namespace opweave::python

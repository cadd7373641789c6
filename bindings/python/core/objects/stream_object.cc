// opweave.Stream.
#include "bindings/python/core/objects/stream_object.h"

#include <new>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {
namespace {

PyObject* make(PyTypeObject* type, const Stream& stream) {
  auto* self = reinterpret_cast<StreamObject*>(check(type->tp_alloc(type, 0)));
  new (&self->stream) Stream(stream);
  self->entered = new std::vector<StreamObject::Entered>;
  return reinterpret_cast<PyObject*>(self);
}

// Stream(stream_id=3, device_index=0, device_type=2): as an existing one is written down.
Stream from_numbers(PyObject* id, PyObject* index, PyObject* type) {
  OW_CHECK_TYPE(id != nullptr && index != nullptr && type != nullptr,
                "Stream(): stream_id, device_index and device_type belong together");
  const int64_t number = to_int64(type);
  OW_CHECK(number >= 0 && number < kMaxDeviceTypes, "Stream(): there is no device type ", number);
  return {Device(static_cast<DeviceType>(number), static_cast<int8_t>(to_int64(index))),
          to_int64(id)};
}

// Stream(device=None, *, priority=0)
PyObject* stream_new(PyTypeObject* cls, PyObject* args, PyObject* kwargs) try {
  static const char* names[] = {"device",       "priority",    "stream_id",
                                "device_index", "device_type", nullptr};
  PyObject *device = Py_None, *id = nullptr, *index = nullptr, *type = nullptr;
  int priority = 0;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O$iOOO:Stream", const_cast<char**>(names),
                                  &device, &priority, &id, &index, &type) == 0) {
    return nullptr;
  }
  if (id != nullptr || index != nullptr || type != nullptr) {
    return make(cls, from_numbers(id, index, type));
  }
  return make(cls, Stream::make(accelerator_device(device), priority));
} catch (...) {
  return set_python_error();
}

void stream_dealloc(PyObject* self) {
  auto* object = reinterpret_cast<StreamObject*>(self);
  if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  delete object->entered;
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
}

PyObject* stream_repr(PyObject* self) try {
  const Stream& s = to_stream(self);
  return PyUnicode_FromString(str("opweave.Stream device_type=", device_type_name(s.device().type),
                                  ", device_index=", s.device().index, ", stream_id=", s.id())
                                  .c_str());
} catch (...) {
  return set_python_error();
}

PyObject* stream_compare(PyObject* a, PyObject* b, int op) {
  if (!is_stream(a) || !is_stream(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((to_stream(a) == to_stream(b)) == (op == Py_EQ));
}

Py_hash_t stream_hash(PyObject* self) {
  const Stream& s = to_stream(self);
  const auto hash = static_cast<Py_hash_t>(s.id() * 31 + s.device().type * 1009 + s.device().index);
  return hash == -1 ? -2 : hash;
}

// --- methods -------------------------------------------------------------------------------------
PyObject* stream_query(PyObject* self, PyObject*) try {
  return PyBool_FromLong(to_stream(self).query());
} catch (...) {
  return set_python_error();
}

PyObject* stream_synchronize(PyObject* self, PyObject*) try {
  const Stream stream = to_stream(self);
  {
    const ReleaseGil unlocked;
    stream.synchronize();
  }
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* stream_wait_event(PyObject* self, PyObject* event) try {
  OW_CHECK_TYPE(is_event(event), "wait_event(): argument 'event' must be opweave.Event, not ",
                type_name(event));
  to_stream(self).wait(to_event(event));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* stream_wait_stream(PyObject* self, PyObject* other) try {
  OW_CHECK_TYPE(is_stream(other), "wait_stream(): argument 'stream' must be opweave.Stream, not ",
                type_name(other));
  to_stream(self).wait(to_stream(other));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

// record_event(event=None): the event, a new one if none is given.
PyObject* stream_record_event(PyObject* self, PyObject* args, PyObject* kwargs) try {
  static const char* names[] = {"event", nullptr};
  PyObject* event = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O:record_event", const_cast<char**>(names),
                                  &event) == 0) {
    return nullptr;
  }
  const Stream& stream = to_stream(self);
  if (event == Py_None) {
    Event made(stream.device());
    made.record(stream);
    return wrap(std::move(made));
  }
  OW_CHECK_TYPE(is_event(event), "record_event(): argument 'event' must be opweave.Event, not ",
                type_name(event));
  to_event(event).record(stream);
  return Py_NewRef(event);
} catch (...) {
  return set_python_error();
}

PyObject* stream_is_capturing(PyObject* self, PyObject*) try {
  const Stream& stream = to_stream(self);
  return PyBool_FromLong(stream.target().is_capturing(stream.device().index, stream.id()));
} catch (...) {
  return set_python_error();
}

PyObject* stream_enter(PyObject* self, PyObject*) try {
  const Stream& stream = to_stream(self);
  const Device device = stream.device();
  const Stream previous = current_stream(device);
  const int current = stream.target().exchange(device.index < 0 ? 0 : device.index);
  set_current_stream(stream);
  reinterpret_cast<StreamObject*>(self)->entered->push_back({previous, current});
  return Py_NewRef(self);
} catch (...) {
  return set_python_error();
}

PyObject* stream_exit(PyObject* self, PyObject*) try {
  auto& entered = *reinterpret_cast<StreamObject*>(self)->entered;
  OW_CHECK(!entered.empty(), "Stream.__exit__() without __enter__()");
  const StreamObject::Entered before = entered.back();
  entered.pop_back();
  set_current_stream(before.stream);
  before.stream.target().exchange(before.device);
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

// --- attributes ----------------------------------------------------------------------------------
PyObject* get_device(PyObject* self, void*) try {
  return wrap(to_stream(self).device());
} catch (...) {
  return set_python_error();
}
PyObject* get_device_index(PyObject* self, void*) {
  return PyLong_FromLong(to_stream(self).device().index);
}
PyObject* get_device_type(PyObject* self, void*) {
  return PyLong_FromLong(to_stream(self).device().type);
}
PyObject* get_id(PyObject* self, void*) { return PyLong_FromLongLong(to_stream(self).id()); }
PyObject* get_native_handle(PyObject* self, void*) try {
  return PyLong_FromVoidPtr(to_stream(self).native_handle());
} catch (...) {
  return set_python_error();
}

PyMethodDef methods[] = {
    {"query", stream_query, METH_NOARGS, "Whether all its work is done."},
    {"synchronize", stream_synchronize, METH_NOARGS, "Waits for all its work."},
    {"wait_event", stream_wait_event, METH_O, "Holds its future work up for an event."},
    {"wait_stream", stream_wait_stream, METH_O,
     "Holds its future work up for what another stream has now."},
    {"record_event",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(stream_record_event)),
     METH_VARARGS | METH_KEYWORDS, "An event behind the work that it has now."},
    {"is_capturing", stream_is_capturing, METH_NOARGS,
     "Whether what it gets now becomes part of a graph."},
    {"__enter__", stream_enter, METH_NOARGS, nullptr},
    {"__exit__", stream_exit, METH_VARARGS, nullptr},
    {}};
PyGetSetDef getset[] = {
    {"device", get_device, nullptr, "Where it runs.", nullptr},
    {"device_index", get_device_index, nullptr, "The number of its device.", nullptr},
    {"device_type", get_device_type, nullptr, "The number of its device's type.", nullptr},
    {"stream_id", get_id, nullptr, "Its number on the device; 0 is the default one.", nullptr},
    {"native_handle", get_native_handle, nullptr, "The vendor's handle.", nullptr},
    {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.Stream";
  type.tp_doc = PyDoc_STR(
      "Stream(device=None, *, priority=0): a queue of work on a device, which runs in order. "
      "Operators within `with stream:` run on it.");
  type.tp_basicsize = sizeof(StreamObject);
  type.tp_new = stream_new;
  type.tp_dealloc = stream_dealloc;
  type.tp_repr = stream_repr;
  type.tp_hash = stream_hash;
  type.tp_richcompare = stream_compare;
  type.tp_weaklistoffset = offsetof(StreamObject, weakrefs);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}

}  // namespace

PyTypeObject stream_type = make_type();

PyObject* wrap(const Stream& stream) { return make(&stream_type, stream); }

void add_stream_type(PyObject* module) {
  check(PyType_Ready(&stream_type));
  check(PyModule_AddType(module, &stream_type));
}

}  // namespace opweave::python

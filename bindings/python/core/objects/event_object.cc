// opweave.Event.
#include <new>

#include "bindings/python/core/objects/constants.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/objects/stream_object.h"

namespace opweave::python {
namespace {

PyObject* make(PyTypeObject* type, Event event) {
  auto* self = reinterpret_cast<EventObject*>(check(type->tp_alloc(type, 0)));
  new (&self->event) Event(std::move(event));
  return reinterpret_cast<PyObject*>(self);
}

// Event(device=None, *, enable_timing=False, blocking=False, interprocess=False)
PyObject* event_new(PyTypeObject* cls, PyObject* args, PyObject* kwargs) try {
  static const char* names[] = {"device", "enable_timing", "blocking", "interprocess", nullptr};
  PyObject* device = Py_None;
  int timing = 0, blocking = 0, interprocess = 0;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O$ppp:Event", const_cast<char**>(names), &device,
                                  &timing, &blocking, &interprocess) == 0) {
    return nullptr;
  }
  const Device where = accelerator_device(device);
  return make(cls, Event(Device(where.type), {timing != 0, blocking != 0, interprocess != 0}));
} catch (...) {
  return set_python_error();
}

void event_dealloc(PyObject* self) {
  auto* object = reinterpret_cast<EventObject*>(self);
  if (object->weakrefs != nullptr) PyObject_ClearWeakRefs(self);
  object->event.~Event();
  Py_TYPE(self)->tp_free(self);
}

uint64_t id_of(const Event& event) { return reinterpret_cast<uintptr_t>(event.id()); }

PyObject* event_repr(PyObject* self) try {
  const Event& e = to_event(self);
  return PyUnicode_FromString(str("opweave.Event device_type=", device_type_name(e.device().type),
                                  ", device_index=", e.device().index,
                                  ", event_flag=", e.options().timing ? 1 : 0,
                                  ", event_id=", static_cast<int64_t>(id_of(e)))
                                  .c_str());
} catch (...) {
  return set_python_error();
}

// The stream of record(stream=None) and wait(stream=None).
Stream stream_argument(const Event& event, PyObject* args, PyObject* kwargs, const char* format) {
  static const char* names[] = {"stream", nullptr};
  PyObject* stream = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), &stream) == 0) {
    throw_python_exception();
  }
  if (stream == Py_None) return current_stream(event.device());
  OW_CHECK_TYPE(is_stream(stream), "argument 'stream' must be opweave.Stream, not ",
                type_name(stream));
  return to_stream(stream);
}

PyObject* event_record(PyObject* self, PyObject* args, PyObject* kwargs) try {
  Event& event = to_event(self);
  event.record(stream_argument(event, args, kwargs, "|O:record"));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* event_wait(PyObject* self, PyObject* args, PyObject* kwargs) try {
  const Event& event = to_event(self);
  event.block(stream_argument(event, args, kwargs, "|O:wait"));
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* event_query(PyObject* self, PyObject*) try {
  return PyBool_FromLong(to_event(self).query());
} catch (...) {
  return set_python_error();
}

PyObject* event_synchronize(PyObject* self, PyObject*) try {
  {
    const ReleaseGil unlocked;
    to_event(self).synchronize();
  }
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* event_elapsed_time(PyObject* self, PyObject* end) try {
  OW_CHECK(is_event(end), "expected other to be an opweave.Event object");
  return PyFloat_FromDouble(to_event(self).elapsed_time(to_event(end)));
} catch (...) {
  return set_python_error();
}

PyObject* get_device(PyObject* self, void*) try {
  return wrap(to_event(self).device());
} catch (...) {
  return set_python_error();
}
PyObject* get_id(PyObject* self, void*) {
  return PyLong_FromUnsignedLongLong(id_of(to_event(self)));
}

PyMethodDef methods[] = {
    {"record", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(event_record)),
     METH_VARARGS | METH_KEYWORDS, "Behind the work that a stream has now."},
    {"wait", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(event_wait)),
     METH_VARARGS | METH_KEYWORDS, "Holds the future work of a stream up for the event."},
    {"query", event_query, METH_NOARGS, "Whether it has happened, or was not recorded."},
    {"synchronize", event_synchronize, METH_NOARGS, "Waits until it has happened."},
    {"elapsed_time", event_elapsed_time, METH_O, "Milliseconds from this event to another."},
    {}};
PyGetSetDef getset[] = {
    {"device", get_device, nullptr, "That of the stream where it was recorded.", nullptr},
    {"event_id", get_id, nullptr, "Tells recorded events apart; 0 before.", nullptr},
    {}};

PyTypeObject make_type() {
  PyTypeObject type{};
  type.ob_base = {PyObject_HEAD_INIT(nullptr) 0};
  type.tp_name = "opweave.Event";
  type.tp_doc = PyDoc_STR(
      "Event(device=None, *, enable_timing=False, blocking=False, interprocess=False): a point in "
      "the work of a stream, for which streams and the host can wait.");
  type.tp_basicsize = sizeof(EventObject);
  type.tp_new = event_new;
  type.tp_dealloc = event_dealloc;
  type.tp_repr = event_repr;
  type.tp_weaklistoffset = offsetof(EventObject, weakrefs);
  type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  type.tp_methods = methods;
  type.tp_getset = getset;
  return type;
}

}  // namespace

PyTypeObject event_type = make_type();

PyObject* wrap(Event event) { return make(&event_type, std::move(event)); }

void add_event_type(PyObject* module) {
  check(PyType_Ready(&event_type));
  check(PyModule_AddType(module, &event_type));
}

}  // namespace opweave::python

// opweave.Stream and opweave.Event: the Python objects of streams and events.
#pragma once

#include <Python.h>

#include <vector>

#include "runtime/target/event.h"

namespace opweave::python {

struct StreamObject {
  PyObject_HEAD;
  Stream stream;
  PyObject* weakrefs;
  // What was current where `with stream:` was entered, innermost last.
  struct Entered {
    Stream stream;
    int device;
  };
  std::vector<Entered>* entered;
};
extern PyTypeObject stream_type, event_type;

inline bool is_stream(PyObject* o) { return PyObject_TypeCheck(o, &stream_type); }
inline const Stream& to_stream(PyObject* o) { return reinterpret_cast<StreamObject*>(o)->stream; }
PyObject* wrap(const Stream& stream);

struct EventObject {
  PyObject_HEAD;
  Event event;
  PyObject* weakrefs;
};
inline bool is_event(PyObject* o) { return PyObject_TypeCheck(o, &event_type); }
inline Event& to_event(PyObject* o) { return reinterpret_cast<EventObject*>(o)->event; }
PyObject* wrap(Event event);

// The current accelerator; installed ones are loaded to find one. Null when there is none.
Target* find_accelerator();
// The device of an argument; the accelerator's for None.
Device accelerator_device(PyObject* object);

void add_stream_type(PyObject* module);
void add_event_type(PyObject* module);

}  // namespace opweave::python

// Frames of Python as call sites.
#include "bindings/python/distributed/python_site.h"

#include <Python.h>

#include <string_view>
#include <unordered_map>

#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "runtime/distributed/watch/call_site.h"

namespace opweave::python {
namespace {

using distributed::CallSite;

struct Place {
  const std::string* file;
  const std::string* function;
  bool is_ours;
};

std::string_view text_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
  if (utf8 != nullptr) return {utf8, static_cast<size_t>(size)};
  PyErr_Clear();
  return "?";
}

// The folder of the package, with a slash: that of this extension.
std::string_view package_folder() {
  static const std::string& folder = *new std::string([] {
    const PyPtr package = PyPtr::steal(PyImport_ImportModule("opweave"));
    const PyPtr file =
        PyPtr::steal(package ? PyObject_GetAttrString(package.get(), "__file__") : nullptr);
    if (!file) PyErr_Clear();
    const std::string_view path = file && PyUnicode_Check(file.get()) ? text_of(file.get()) : "";
    return std::string(path.substr(0, path.rfind('/') + 1));
  }());
  return folder;
}

// Code objects are kept, so that an address stays that of one; of programs that make ever new code,
// all are forgotten now and then.
const Place& place_of(PyCodeObject* code) {
  constexpr size_t kMost = 4096;
  static auto& known = *new std::unordered_map<PyCodeObject*, Place>;
  if (const auto it = known.find(code); it != known.end()) return it->second;
  if (known.size() >= kMost) {
    for (const auto& entry : known) Py_DECREF(entry.first);
    known.clear();
  }
  const std::string_view file = text_of(code->co_filename);
  const std::string_view package = package_folder();
  Py_INCREF(code);
  return known[code] = {distributed::interned(file),
                        distributed::interned(text_of(code->co_qualname)),
                        !package.empty() && file.starts_with(package)};
}

}  // namespace

void note_python_site() noexcept try {
  CallSite site;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame != nullptr && !site.is_full()) {
    const PyPtr held = PyPtr::steal(reinterpret_cast<PyObject*>(frame));
    PyCodeObject* code = PyFrame_GetCode(frame);
    const Place& place = place_of(code);
    if (!place.is_ours || !site.frames().empty())
      site.add({place.file, place.function, PyFrame_GetLineNumber(frame)});
    Py_DECREF(code);
    frame = PyFrame_GetBack(frame);
  }
  Py_XDECREF(frame);
  distributed::note_call_site(site);
} catch (const std::bad_alloc&) {
  return;
}

void note_python_site_of_thread() noexcept {
  // A thread that Python does not know has no frames: nothing to wait for its lock for.
  if (PyGILState_GetThisThreadState() == nullptr) return;
  const AcquireGil gil;
  note_python_site();
}

}  // namespace opweave::python

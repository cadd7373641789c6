// The methods of stores that are called most, without pybind11's dispatch, which takes as long as
// some of them do. What is not called plainly goes to the functions of pybind11, with their errors.
#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/objects/interpreted.h"
#include "bindings/python/distributed/store_class.h"
#include "bindings/python/distributed/store_types.h"
#include "runtime/core/base/error.h"
#include "runtime/distributed/store/store.h"

namespace opweave::python {
namespace {

namespace py = pybind11;
using distributed::Store;

// A call of METH_FASTCALL.
struct Call {
  PyObject* self;
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;

  bool is_plain(Py_ssize_t count) const { return nargs == count && kwnames == nullptr; }
  // Null of an object that was never made. All classes of stores derive from Store alone, so that
  // what pybind11 points to is one.
  Store* store() const {
    auto* object = reinterpret_cast<py::detail::instance*>(self);
    if (!object->simple_layout || !object->simple_holder_constructed) return nullptr;
    return static_cast<Store*>(object->simple_value_holder[0]);
  }
};

// False of what pybind11 is to read, or to refuse.
bool read(PyObject* given, std::string& text) {
  if (PyBytes_CheckExact(given)) {
    text.assign(PyBytes_AS_STRING(given), static_cast<size_t>(PyBytes_GET_SIZE(given)));
    return true;
  }
  if (!PyUnicode_CheckExact(given)) return false;
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(given, &size);
  if (data == nullptr) return PyErr_Clear(), false;
  text.assign(data, static_cast<size_t>(size));
  return true;
}

bool read(PyObject* given, int64_t& number) {
  if (!PyLong_CheckExact(given)) return false;
  int overflow = 0;
  number = PyLong_AsLongLongAndOverflow(given, &overflow);
  return overflow == 0;
}

bool read(PyObject* given, Store::Keys& keys) {
  if (!PyList_CheckExact(given)) return false;
  keys.resize(static_cast<size_t>(PyList_GET_SIZE(given)));
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!read(PyList_GET_ITEM(given, static_cast<Py_ssize_t>(i)), keys[i])) return false;
  }
  return true;
}

PyObject* result(const std::string& value) {
  return PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}
PyObject* result(int64_t value) { return PyLong_FromLongLong(value); }
PyObject* result(bool value) { return PyBool_FromLong(value); }

// `act` with the store and the arguments, of these types, without the interpreter lock.
template <class Act, class... Args>
PyObject* run(Store& store, Act act, const Args&... args) try {
  if constexpr (std::is_void_v<decltype(act(store, args...))>) {
    without_gil([&] { act(store, args...); });
    Py_RETURN_NONE;
  } else {
    return result(without_gil([&] { return act(store, args...); }));
  }
} catch (const Error&) {
  set_python_error();
  return nullptr;
} catch (const PythonException&) {
  set_python_error();
  return nullptr;
} catch (py::error_already_set& error) {
  error.restore();
  return nullptr;
} catch (const std::exception& error) {
  PyErr_SetString(PyExc_RuntimeError, error.what());
  return nullptr;
}

// False where the call is not for these.
template <class... Args, class Act>
bool try_run(const Call& call, Act act, PyObject*& outcome) {
  Store* store = call.store();
  if (store == nullptr || !call.is_plain(sizeof...(Args))) return false;
  std::tuple<Args...> read_args;
  size_t i = 0;
  const bool fits =
      std::apply([&](Args&... each) { return (read(call.args[i++], each) && ...); }, read_args);
  if (!fits) return false;
  outcome = std::apply([&](Args&... each) { return run(*store, act, each...); }, read_args);
  return true;
}

using Text = std::string;
using Keys = Store::Keys;

// By its place in this list a method knows pybind11's.
struct Method {
  const char* name;
  bool (*run)(const Call& call, PyObject*& outcome);
};
constexpr std::array kMethods{
    Method{"set",
           [](const Call& call, PyObject*& outcome) {
             const auto act = [](Store& s, const Text& key, const Text& v) { s.set(key, v); };
             return try_run<Text, Text>(call, act, outcome);
           }},
    Method{"get",
           [](const Call& call, PyObject*& outcome) {
             return try_run<Text>(
                 call, [](Store& s, const Text& key) { return s.get(key); }, outcome);
           }},
    Method{"add",
           [](const Call& call, PyObject*& outcome) {
             const auto act = [](Store& s, const Text& key, int64_t n) { return s.add(key, n); };
             return try_run<Text, int64_t>(call, act, outcome);
           }},
    Method{"compare_set",
           [](const Call& call, PyObject*& outcome) {
             const auto act = [](Store& s, const Text& key, const Text& expected,
                                 const Text& desired) {
               return s.compare_set(key, expected, desired);
             };
             return try_run<Text, Text, Text>(call, act, outcome);
           }},
    Method{"check",
           [](const Call& call, PyObject*& outcome) {
             return try_run<Keys>(
                 call, [](Store& s, const Keys& keys) { return s.check(keys); }, outcome);
           }},
    Method{"wait",
           [](const Call& call, PyObject*& outcome) {
             return try_run<Keys>(
                 call, [](Store& s, const Keys& keys) { s.wait(keys); }, outcome);
           }},
};
std::array<PyObject*, kMethods.size()> others;  // pybind11's

PyObject* call_other(PyObject* other, const Call& call) {
  const Py_ssize_t named = call.kwnames == nullptr ? 0 : PyTuple_GET_SIZE(call.kwnames);
  std::vector<PyObject*> args{call.self};
  args.insert(args.end(), call.args, call.args + call.nargs + named);
  return interpreted(PyObject_Vectorcall, other, args.data(), static_cast<size_t>(call.nargs) + 1,
                     call.kwnames);
}

template <size_t i>
PyObject* method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
  const Call call{self, args, nargs, kwnames};
  PyObject* outcome = nullptr;
  return kMethods[i].run(call, outcome) ? outcome : call_other(others[i], call);
}

template <size_t i>
void replace(PyTypeObject* type) {
  static PyMethodDef definition{
      kMethods[i].name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&method<i>)),
      METH_FASTCALL | METH_KEYWORDS, nullptr};
  const auto class_ = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(type));
  const py::object other = class_.attr("__dict__")[kMethods[i].name];
  static const std::string doc = py::str(other.attr("__doc__"));
  definition.ml_doc = doc.c_str();
  others[i] = other.inc_ref().ptr();
  class_.attr(kMethods[i].name) =
      py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, &definition));
}

template <size_t... i>
void replace_all(PyTypeObject* type, std::index_sequence<i...>) {
  (replace<i>(type), ...);
}

}  // namespace

void hasten_stores(py::module_& module) {
  replace_all(reinterpret_cast<PyTypeObject*>(module.attr("Store").ptr()),
              std::make_index_sequence<kMethods.size()>());
}

}  // namespace opweave::python

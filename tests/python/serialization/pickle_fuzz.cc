// Any bytes as the pickle of a file: objects, or an error that says what is wrong with them. What
// is renamed without a change is read like the original, and stays as it is when that is done
// again.
#include <Python.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "bindings/python/core/objects/errors.h"
#include "bindings/python/core/pickling/machine.h"
#include "bindings/python/core/pickling/names.h"

using namespace opweave::python;

namespace opweave::python {
// Of gil.cc, with its tensors and threads: here is one thread, which holds the lock.
void drop_reference(PyObject* object) noexcept { Py_XDECREF(object); }
}  // namespace opweave::python

// Python's own memory outlives every input.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

// Makes nothing of what a pickle names, and says what it was asked for.
constexpr const char* kPolicy = R"py(
import pickle

class Policy:
    def find_class(self, module, name):
        return ("class", module, name)

    def persistent_load(self, key):
        return ["storage", key]

    def reduce(self, function, arguments):
        return ["made by", function, arguments]

    def new_object(self, cls, arguments):
        return ["new", cls, arguments]

    def build(self, object, state):
        if type(object) is list:
            object.append(state)

    def check_key(self, key):
        left, parts = [key], 0
        while left:
            part = left.pop()
            parts += 1
            if type(part) is tuple:
                left.extend(part)
            if parts > 256 or type(part) in (list, dict, set, bytearray):
                raise pickle.UnpicklingError("no key")

policy, expected = Policy(), (pickle.UnpicklingError, UnicodeDecodeError)
)py";

struct Interpreter {
  PyObject *policy, *expected;
};

// The memory checker sees every object.
Interpreter start() {
  setenv("PYTHONMALLOC", "malloc", 1);
  Py_InitializeEx(0);
  PyObject* names = PyModule_GetDict(PyImport_AddModule("__main__"));
  if (PyRun_SimpleString(kPolicy) != 0) std::abort();
  return {PyDict_GetItemString(names, "policy"), PyDict_GetItemString(names, "expected")};
}

void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

// What `call` gives; nothing where it raises one of the errors that are meant for users.
template <class Call>
auto attempt(const Interpreter& python, Call&& call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const PythonException& error) {
    error.restore();
    if (PyErr_ExceptionMatches(python.expected) == 0) {
      PyErr_Print();
      require(false, "errors say what is wrong with the pickle");
    }
    PyErr_Clear();
    return std::nullopt;
  }
}

std::string renamed(std::string_view pickle) {
  return pickling::rename_globals(pickle, [](const pickling::Name& name) { return name; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  static const Interpreter python = start();
  const std::string_view pickle(reinterpret_cast<const char*>(data), size);
  const auto read = [&](std::string_view bytes) {
    return attempt(python, [&] { return pickling::Machine(bytes, python.policy, "utf-8").run(); });
  };
  const bool is_read = read(pickle).has_value();
  const auto same = attempt(python, [&] { return renamed(pickle); });
  if (!is_read || !same) return 0;
  // How much is remembered follows from the length, which is less without frames and what stands
  // behind the end.
  const std::string as_long = *same + std::string(size, '.');
  require(read(as_long).has_value(), "a pickle with its names written anew is read");
  const auto again = attempt(python, [&] { return renamed(*same); });
  require(again == same, "writing the same names twice changes nothing more");
  return 0;
}

// Unpickles with what a policy allows: the machine of pickles without its power to call anything.
#pragma once

#include <Python.h>

#include <string_view>
#include <vector>

#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/pickling/reader.h"

namespace opweave::python::pickling {

// The policy is a Python object, asked for whatever is more than numbers, text and containers:
//
//   find_class(module, name), persistent_load(id), reduce(function, arguments), new_object(class,
//   arguments), build(object, state), check_key(key)
//
// The machine itself imports nothing, calls nothing else, and makes lists, dicts, sets and tuples
// only. Its memory is proportional to the pickle, and it does not recurse.
class Machine {
 public:
  Machine(std::string_view pickle, PyObject* policy, const char* encoding);

  PyPtr run();

 private:
  void execute(const Instruction& instruction);
  void execute_value(const Instruction& instruction);
  void execute_container(const Instruction& instruction);
  void execute_object(const Instruction& instruction);

  void push(PyObject* owned);
  void need(size_t objects) const;
  PyPtr pop();
  PyObject* top() const;
  size_t pop_mark();
  PyPtr pop_tuple(size_t first);
  void push_tuple(size_t first);
  // The stack from `first` on, for as long as the machine calls nobody.
  void drop(size_t first) { stack_.resize(first); }

  void put(int64_t index);
  void get(int64_t index);
  void append(size_t first);
  void set_items(size_t first);
  void add_items(PyObject* set, size_t first);
  void push_global();
  PyPtr text(std::string_view bytes) const;
  PyPtr ask(const char* method, PyObject* first, PyObject* second = nullptr);
  void check_key(PyObject* key);

  Reader reader_;
  PyPtr policy_;
  const char* encoding_;
  std::vector<PyPtr> stack_;
  std::vector<size_t> marks_;
  std::vector<PyPtr> memo_;
  size_t memoized_ = 0;  // how often, which is the index that Memoize means
};

}  // namespace opweave::python::pickling

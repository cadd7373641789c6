// Matcher: one call tried against a function's overloads, and the error when none fits. Internal to
// parameters.cc and parameter_errors.cc.
#pragma once

#include <string>

#include "bindings/python/core/functions/parameters.h"
#include "bindings/python/core/objects/convert.h"

namespace opweave::python {

// The arguments as the interpreter passes them.
struct RawCall {
  PyObject* self;
  PyObject* const* args;
  Py_ssize_t nargs;
  PyObject* kwnames;

  // The first parameter that the caller writes: methods get parameter 0 from the left of the dot.
  int first() const { return self != nullptr ? 1 : 0; }
  Py_ssize_t num_keywords() const { return kwnames != nullptr ? PyTuple_GET_SIZE(kwnames) : 0; }
};

// Whether an argument is of a parameter's kind. Lists are judged by their first element; the
// readers complain about the others.
bool accepts(const Param& param, PyObject* value);

struct Matcher {
  const Function& function;
  RawCall call;

  bool usable(const Overload& o) const;
  bool bind(const Overload& o, BoundCall& out) const;
  [[noreturn]] void fail() const;

 private:
  int positional(const Overload& o) const;
  int find_keyword(const Overload& o, std::string_view key) const;
  // view(2, 3) for view((2, 3)): where a list of integers is the only positional parameter.
  bool takes_varargs(const Overload& o) const;
  bool bind_positional(const Overload& o, BoundCall& out) const;
  bool bind_keywords(const Overload& o, BoundCall& out) const;

  // The messages: what is wrong about the call under one overload, or the list of all.
  [[noreturn]] void fail_one(const Overload& o) const;
  void check_positional(const Overload& o) const;
  void check_keywords(const Overload& o) const;
  [[noreturn]] void fail_missing(const Overload& o) const;
  [[noreturn]] void fail_type(const Param& p, PyObject* value, int position) const;
  bool plausible(const Overload& o) const;
  std::string given_types() const;
  std::string signature(const Overload& o) const;
  std::string mismatch_note(const Overload& o) const;
};

// "Tensor or Number", "tuple of ints", …
std::string_view kind_text(Kind kind);

}  // namespace opweave::python

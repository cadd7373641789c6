// A schema string read at run time, for boxed calls and operators defined from Python: its
// arguments become a parameter table like those that the generator prints.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/python/core/functions/arguments.h"
#include "runtime/dispatch/ivalue.h"

namespace opweave::python {

class RuntimeSchema {
 public:
  // RuntimeError at what it cannot read.
  explicit RuntimeSchema(std::string_view text);
  RuntimeSchema(const RuntimeSchema&) = delete;

  const std::string& text() const { return text_; }
  std::string_view name() const { return name_; }
  std::string_view overload() const { return overload_; }
  std::span<const Param> params() const { return params_; }
  size_t num_returns() const { return num_returns_; }
  // For BoundCall; named like the operator.
  const Function& function() const { return function_; }

  // The arguments of a bound call, in schema order, with the defaults filled in.
  Stack to_stack(const Arguments& arguments) const;

 private:
  void parse_name(std::string_view text);
  void parse_argument(std::string_view text, bool keyword_only);

  std::string text_, name_, overload_;
  std::vector<Param> params_;
  std::deque<std::string> texts_;  // what the views in params_ refer to
  std::vector<IValue> defaults_;
  size_t num_returns_ = 0;
  Overload bound_overload_;
  Function function_;
};

// Between Python objects and boxed values, without a schema.
PyObject* wrap(const IValue& value);
IValue to_ivalue(PyObject* object);

}  // namespace opweave::python

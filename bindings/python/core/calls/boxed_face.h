// What Python needs to call an operator with boxed arguments: its record as a parameter table
// (functions/operator_face.h), with the names of its schema.
#pragma once

#include <vector>

#include "bindings/python/core/functions/arguments.h"
#include "runtime/dispatch/operator.h"

namespace opweave::python {

class BoxedFace {
 public:
  explicit BoxedFace(const OperatorDef& def);
  BoxedFace(const BoxedFace&) = delete;

  std::span<const Param> params() const { return params_; }
  size_t num_returns() const { return def_.record.returns.size(); }
  // For BoundCall; named like the operator.
  const Function& function() const { return function_; }

  // The arguments of a bound call, in schema order, with the defaults filled in.
  Stack to_stack(const Arguments& arguments) const;

 private:
  const OperatorDef& def_;
  std::vector<Param> params_;
  std::vector<IValue> defaults_;
  Overload overload_;
  Function function_;
};

// Between Python objects and boxed values, without a schema.
PyObject* wrap(const IValue& value);
IValue to_ivalue(PyObject* object);

}  // namespace opweave::python

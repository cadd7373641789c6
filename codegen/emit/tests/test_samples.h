// The calls that generated tests make, as Python.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// A value as tests/python/generated/operator_table.py spells it.
std::string python_constant(const Constant& constant);
std::string python_bool(bool value);
std::string python_number(double value);

// `{"self": Drawn("real", (2, 3)), "dim": 1}`, one for each call. An operator that does not list
// its calls gets as many as take every value once that it gives for an argument.
std::vector<std::string> sample_calls(const Operator& op);
// An expression as calls of functions `r`, for arguments `a`: `r.add(a["x"], 1.0)`. Tests have the
// functions, in NumPy for one: tests/python/generated/numpy_functions.py.
std::string reference_expression(const ElementNode& node, const Operator& op);
// How the samples of an entry say to draw an argument: a domain's name, a list of values, or None.
std::string argument_sample(const Operator& op, const std::string& argument);

}  // namespace opweave::codegen

// One Python function of the bindings.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/python/python_face.h"
#include "codegen/emit/text/printer.h"

namespace opweave::codegen {

// A function of the module and the method of the same name, which share one C function.
struct Binding {
  std::string name;
  std::string module;
  std::string prefix;  // of the full names of its operators
  bool function = false, method = false;
  std::vector<PythonOverload> overloads;  // `input` included
  std::vector<bool> as_function, as_method;
  bool left_out = false;
  std::vector<std::string> nn_names;  // of nn.functional, which shares it
  std::string cpp_name() const {
    return module.empty() ? "py_" + name : "py_" + module + "_" + name;
  }
};

// Whether a flag of the overload runs the in-place form of its operator.
bool runs_inplace(const PythonOverload& o);

// One of an operator that was not selected: calling it says so.
void print_left_out_function(Printer& p, const Binding& b);
// Its tables of parameters, and the C++ function that reads the arguments and calls the operator.
void print_python_function(Printer& p, const Binding& b);

}  // namespace opweave::codegen

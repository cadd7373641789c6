// The Python face of the operators: what is callable under which name, with which parameters.
// Bindings and stubs are both written from it, so that they cannot disagree.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/text/signature.h"
#include "codegen/model/entries/python_operators.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

struct PythonParameter {
  std::string name;  // `input` for the first tensor of a function, `dim`; a keyword gets a `_`
  const Argument* argument = nullptr;  // as Python sees it: of nn.functional, not the schema's own
  uint16_t index = 0;                  // in the operator's schema
  NnRole role = NnRole::argument;      // of nn.functional
  bool keyword_only = false;
  // PyTorch's reader of defaults does not know the names of reductions: functions of the top module
  // whose operator has the mean give one loss for each where nothing is said.
  bool reads_none = false;
  bool accepts_number = false;  // a tensor parameter that takes a Python number as well
  bool from_out = false;        // the `out` of an out form
};

// One way of calling a Python function or method: an operator, and its out form if there is one.
struct PythonOverload {
  const Operator* op = nullptr;   // functional, in-place or manual
  const Operator* out = nullptr;  // its out form, chosen when `out=` is given
  std::vector<PythonParameter>
      parameters;  // without `self` for methods; `out` parameters not included
};

// Where the functions of nn.functional live that are not those of the module `nn`.
inline constexpr std::string_view kNnFunctional = "nn_functional";

// A Python callable. Overloads stand in the order in which they are tried: those that take more
// specific arguments first (a dtype before an int, an int before a Scalar, a Tensor before a
// number).
struct PythonCallable {
  std::string name;    // "add", "add_"
  std::string module;  // "", "nn", "linalg", "nn_functional", …: where the function lives
  bool method = false;
  std::vector<PythonOverload> overloads;
  // Its parameters are those of the schemas, though it may be a function of nn.functional.
  bool is_schema() const;
  // None of its operators was selected; of the others, those that were not say so when called.
  bool left_out() const;
};

// Functions and methods of the same name as one: every public operator, `input` included, in the
// module of its functions.
std::vector<PythonCallable> python_callables(const Model& model);
// Sorted by module and name.
std::vector<PythonCallable> python_functions(const Model& model);
std::vector<PythonCallable> python_methods(const Model& model);
// The functions of nn.functional, sorted by name. Those of `is_schema` are functions of another
// module under the same or another name.
std::vector<PythonCallable> nn_functions(const Model& model);
// What programs call: python_functions, with nn.functional in the place of the module `nn`.
std::vector<PythonCallable> public_functions(const Model& model);

// An operator of Python and the methods that it calls.
struct PythonOperatorFace {
  const PythonOperator* python = nullptr;
  std::string method;         // `add`; `add_` is that of `a += b`
  bool inplace = false;       // there is such a method
  bool reflected = false;     // its function takes a number first: `1 + a`
  bool takes_number = false;  // as the second operand
};
// In Python's order.
std::vector<PythonOperatorFace> python_operators(const Model& model);

// A factory: makes a tensor from no tensor, and takes `requires_grad` in Python.
bool is_factory(const Operator& op);

// As stubs spell it: `Optional[int]`.
std::string python_type(const PythonParameter& parameter);
std::string python_type(const Return& result);
std::string python_result(const Operator& op);
// The results are a tuple whose elements have the schema's names as well.
bool has_named_results(const Operator& op);
std::string python_default(const Argument& argument);
// "add(input, other, *, alpha=1, out=None) -> Tensor"
std::string python_signature(const PythonOverload& overload, std::string_view name);

}  // namespace opweave::codegen

// The C++ face of an operator, stored once: written as declaration, definition, call and function
// type.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

struct Parameter {
  std::string type;                    // `const Tensor&`
  std::string name;                    // `self`; a C++ keyword gets a trailing underscore
  std::string default_value;           // C++ expression; empty if there is none
  const Argument* argument = nullptr;  // null: a result that a kernel fills
};

struct Signature {
  std::string result;  // `Tensor`, `Tensor&`, `std::tuple<Tensor, Tensor>`, `void`
  std::vector<Parameter> parameters;

  std::string parameter_list() const;  // `const Tensor& self, int64_t dim`
  // For functions that may leave parameters alone: each one `[[maybe_unused]]`.
  std::string optional_parameter_list() const;
  std::string parameter_list_with_defaults() const;
  std::string argument_list() const;  // `self, dim`
  std::string function_type() const;  // `Tensor(const Tensor&, int64_t)`
};

// The C++ type of an argument of a schema.
std::string parameter_type(const Type& type);
// The C++ type that a backward node keeps a value of this type in.
std::string stored_type(const Type& type);
std::string result_type(const Operator& op);
// A constant as a C++ expression of the argument's type.
std::string constant_expression(const Constant& constant, const Type& type);
// `name`, or `name_` for a C++ keyword.
std::string cpp_identifier(std::string_view name);
std::string quoted(std::string_view text);

// In the order of the schema, as people see it.
Signature signature_of(const Operator& op);
// The same for a function with a body: parameters are named as variables are (variables.h).
Signature definition_of(const Operator& op);
// Of the handwritten kernel: one that fills results gets them after the arguments.
Signature kernel_signature_of(const Operator& op);
// As C++ callers write an out form: the written tensors first.
Signature out_first(const Signature& signature, const Operator& op);
// Whether the result is one of the arguments: an in-place form, or an out form with one output.
// As messages name the operator: by the function that programs call.
std::string spoken_name(const Operator& op);
bool returns_argument(const Operator& op);
// The written arguments, in order.
std::vector<const Parameter*> written_parameters(const Signature& signature, const Operator& op);

}  // namespace opweave::codegen

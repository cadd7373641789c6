// The numbered rules. A code keeps its number for ever.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opweave::codegen {

// 00xx files and YAML, 01xx schema strings, 02xx expressions, 03xx operators, 04xx derivatives.
enum class Code : uint16_t {
  // Files and YAML.
  yaml_syntax = 2,
  yaml_feature = 3,
  duplicate_key = 4,
  unknown_key = 5,
  missing_key = 6,
  wrong_kind = 7,
  bad_value = 8,
  empty_file = 9,

  // Schema strings.
  schema_syntax = 101,
  unknown_type = 102,
  schema_not_canonical = 103,
  bad_default = 104,
  duplicate_argument = 105,
  bad_alias = 106,
  schema_order = 107,
  reserved_name = 108,
  bad_schema_name = 109,

  // Expressions.
  expression_syntax = 201,
  unknown_name = 202,
  unknown_function = 203,
  wrong_arguments = 204,
  type_mismatch = 205,
  out_of_bounds = 206,
  not_pointwise = 207,
  ambiguous_call = 208,
  too_deep = 209,
  recursive_expression = 210,

  // Operators.
  duplicate_operator = 301,
  no_implementation = 302,
  several_implementations = 303,
  unknown_target = 304,
  no_gradient_statement = 305,
  conflicting_statements = 306,
  wrong_form = 307,
  unknown_argument = 308,
  names_collide = 309,

  // Derivatives.
  unknown_operator = 401,
  duplicate_derivative = 402,
  missing_derivative = 403,
  not_differentiable_input = 404,
  derived_form = 405,
  no_symbolic_derivative = 406,
  derivative_conflict = 407,
};

// `OW0123`
std::string code_name(Code code);
// The rule in one line, for lists of codes.
std::string_view code_title(Code code);

}  // namespace opweave::codegen

// Numbers, constants, types, dtypes and schemas as data.
#pragma once

#include "codegen/data/json.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen::data {

// A JSON number that reads back as the same double; "inf", "-inf" or "nan" where JSON has none.
Json number_data(double number);
// `{"kind": "integer", "value": 1}`. A symbol's value is its name, a list's are constants.
Json constant_data(const Constant& constant);
// `{"base": "Tensor", "optional": true, "text": "Tensor?"}`.
Json type_data(const Type& type);
// Names, in the order of the table.
Json dtypes_data(DTypeSet dtypes);
// Arguments with defaults and roles, returns, which results are views, what is written.
Json schema_data(const Operator& op);
// That of a rule function, of which there is less to say.
Json function_schema_data(const Schema& schema);

}  // namespace opweave::codegen::data

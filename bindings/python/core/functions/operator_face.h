// Parameters of Python functions, from the records of the operators that they call.
#pragma once

#include <string>
#include <vector>

#include "bindings/python/core/functions/parameters.h"
#include "runtime/dispatch/operator_record.h"

namespace opweave::python {

// As the schema names it: of calls with boxed arguments, `opweave.ops.aten.add(self, other)`.
Param schema_param(const ArgumentRecord& argument);
// As Python functions name them, with what they have beside the schema's arguments: `out` of the
// out form, `requires_grad` of a factory.
std::vector<Param> python_params(const OperatorRecord& record);

}  // namespace opweave::python

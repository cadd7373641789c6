// What `dtypes` and `argument_dtypes` say of operators that are no expressions, as statements in
// front of what computes them. (Of an expression the plan of its call checks it.)
#pragma once

#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

void print_dtype_checks(Printer& p, const Operator& op, const Signature& signature);

}  // namespace opweave::codegen

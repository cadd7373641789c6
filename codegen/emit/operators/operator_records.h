// The constant tables that the runtime has of an operator (runtime/dispatch/operator_record.h).
#pragma once

#include <string>
#include <string_view>

#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// `static constexpr ArgumentRecord add_Tensor_arguments[] = …`, and the like.
void print_record_tables(Printer& p, const Operator& op);
// The OperatorRecord that refers to them.
std::string record_expression(const Operator& op);

// The ArgRole of an argument: "kDim".
std::string_view argument_role(const Operator& op, const Argument& argument);
// A tensor for which Python may pass a number.
bool takes_number(const Operator& op, const Argument& argument);
bool has_tag(const Operator& op, std::string_view tag);
// The first operator with this tag; null if there is none.
const Operator* find_tagged(const Model& model, std::string_view tag);

}  // namespace opweave::codegen

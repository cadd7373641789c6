// Reads the key `nn_function`, and finds the function that an operator has without it.
#pragma once

#include <optional>
#include <string>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen {

// Of the signature that an entry gives: `NAME`, or `NAME(PARAMETER, ...)`, perhaps followed by
// `with ARGUMENT=VALUE, ...`. The forms of the operator are linked. Nothing only after a report.
std::optional<NnFunction> read_nn_function(const Operator& op, const LocatedText& text,
                                           DiagnosticSink& sink);
// The function of that name with the parameters of the schema.
NnFunction plain_nn_function(const Operator& op, std::string name);
// `elu(input, alpha=1.0, inplace=False)`
std::string print(const NnFunction& function);

}  // namespace opweave::codegen

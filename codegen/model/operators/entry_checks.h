// Keys of one entry that mean nothing beside each other.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/model/entries/entry.h"

namespace opweave::codegen {

void check_entry(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink);

}  // namespace opweave::codegen

// Diagnostics for programs: one JSON document for a run. docs/diagnostics.md describes both forms.
#pragma once

#include <string>

#include "codegen/diagnostics/diagnostic.h"

namespace opweave::codegen {

// Opweave's own form: everything that the text form says, in fields.
std::string json_report(const DiagnosticSink& sink);
// SARIF 2.1.0, which code hosts and editors show beside the lines.
std::string sarif_report(const DiagnosticSink& sink);

}  // namespace opweave::codegen

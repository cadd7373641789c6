// `opweave shapes`: the sizes that a call gives, as expressions over names, and when they hold.
#pragma once

#include <string>
#include <string_view>

#include "codegen/model/model.h"

namespace opweave::codegen {

// The answer in lines of text. Empty if the call cannot be read or is refused, which is reported;
// spans point into `sources`.
std::string shapes_text(std::string_view call, const Model& model, Sources& sources,
                        DiagnosticSink& sink);

}  // namespace opweave::codegen

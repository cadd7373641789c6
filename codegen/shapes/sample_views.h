// Whether the views that sample calls make lie in the memory of what they view.
#pragma once

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// Of every operator whose rule says where its results lie. The calls themselves look at that as
// well, whoever makes them; here it is told before anything is built.
void check_sample_views(const Model& model, DiagnosticSink& sink);

}  // namespace opweave::codegen

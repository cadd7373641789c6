// Reads one argument of a sample call, as the argument's type asks.
#pragma once

#include <optional>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/declarations/sample.h"
#include "codegen/syntax/schema.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// Nothing after a report.
std::optional<SampleValue> read_sample_value(const Argument& argument, const LocatedText& key,
                                             const YamlNode& value, const Schema& schema,
                                             DiagnosticSink& sink);

}  // namespace opweave::codegen

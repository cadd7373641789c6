// What names mean in Python already: in the package `opweave`, as members of its Tensor, in
// nn.functional.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/draft.h"

namespace opweave::codegen {

// Where names stand.
inline constexpr std::string_view kPackageScope = "opweave";
inline constexpr std::string_view kMethodScope = "Tensor";
inline constexpr std::string_view kNnScope = "nn.functional";

// `a module`, `a dtype`, ... if the package has the name and no operator gave it; else empty.
std::string_view python_meaning(std::string_view scope, std::string_view name);

// No public operator is called like what is there already: what the package defines by hand, and
// the operators of another library, whose functions and methods stand in the same places.
void check_python_names(const std::vector<Draft>& drafts, DiagnosticSink& sink);

// No target is called like that either.
void check_target_name(const LocatedText& name, DiagnosticSink& sink);

}  // namespace opweave::codegen

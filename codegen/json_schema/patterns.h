// Regular expressions for what stands in the YAML files: the form alone, as far as one can say it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "codegen/model/entries/keys.h"

namespace opweave::codegen {

// Without anchors.
std::string name_pattern(Names names);
std::string any_of(std::span<const std::string_view> words);
// Anchored: one or more, with commas between them.
std::string comma_list(const std::string& pattern);
// Anchored: a tensor of a sample, `real(2x3)`.
std::string drawn_pattern(std::span<const std::string_view> domains);
// Anchored: a schema string.
std::string signature_pattern();

}  // namespace opweave::codegen

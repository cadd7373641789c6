// Percent signs in URIs.
#pragma once

#include <string>
#include <string_view>

namespace opweave::codegen {

// A path as that of a URI: what may not stand in one as `%` and two digits.
std::string percent_encoded(std::string_view path);

}  // namespace opweave::codegen

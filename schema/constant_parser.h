// Reads constants (`1e-05`, `"mean"`, `[0, 1]`, `None`, `contiguous_format`) from a schema string.
#pragma once

#include <optional>

#include "schema/constant.h"
#include "schema/text_scanner.h"

namespace opweave::schema {

// Nothing if no constant begins at the scanner; the scanner may then stand anywhere.
std::optional<Constant> parse_constant(TextScanner& scan);

// A number if the whole text is one: `2` integer, `0.5` and `1e-3` real, `inf` and `-inf` real.
std::optional<Constant> parse_number(std::string_view text);

}  // namespace opweave::schema

// Why a text that looks like a number is none.
#pragma once

#include <string>
#include <string_view>

namespace opweave::codegen {

// Whether it begins like a number, as no word does.
bool looks_like_number(std::string_view text);
// Of one that schema::parse_number does not take: "'0777' has a zero in front: write 777".
std::string number_problem(std::string_view text);

}  // namespace opweave::codegen

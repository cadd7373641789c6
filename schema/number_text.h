// Why a text that looks like a number is none.
#pragma once

#include <string>
#include <string_view>

namespace opweave::schema {

// Whether it begins like a number, as no word does.
bool looks_like_number(std::string_view text);
// The first number in the text of a default (`1e999`, `[0, 007]`) that is none; empty if there is
// no such.
std::string_view bad_number(std::string_view text);
// Of one that parse_number does not take: "'0777' has a zero in front: write 777".
std::string number_problem(std::string_view text);

}  // namespace opweave::schema

// UTF-8 as terminals and editors count it: characters, code points, columns on a screen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace opweave::codegen {

struct Character {
  char32_t code = 0;
  size_t bytes = 1;    // that spell it; 1 of something that is not UTF-8
  bool valid = false;  // false: not UTF-8
};
// The first character of a text that is not empty.
Character first_character(std::string_view text);

// Where the first byte stands that is not part of UTF-8.
std::optional<size_t> find_bad_utf8(std::string_view text);
// Where the first character stands that a reader does not see, or that lets him see something else:
// control characters but tabs and ends of lines, what turns the direction of text, and blanks of no
// width. What is not UTF-8 is passed over.
std::optional<size_t> find_hidden(std::string_view text);
size_t count_code_points(std::string_view text);
// The last place at or before `at` where a character begins.
size_t character_start(std::string_view text, size_t at);

// Columns that it takes on a screen: 0 for combining marks, 2 for East Asian wide ones and emoji.
int display_width(char32_t code);
size_t display_width(std::string_view text);
// What a terminal can be given: hidden characters (escape sequences among them) and what is not
// UTF-8 become U+FFFD.
std::string printable(std::string_view text);

}  // namespace opweave::codegen

// What yaml-cpp has to say, in the words of these files' authors.
#pragma once

#include <string>
#include <string_view>

namespace opweave::codegen {

// `message` is one of yaml-cpp's.
std::string explain_yaml_error(std::string_view message);
// True of the messages about a list or mapping in brackets that does not end.
bool is_unclosed_bracket(std::string_view message);

// True of an alias without its anchor, of which nothing more needs to be said than of one with it.
bool is_unknown_alias(std::string_view message);

}  // namespace opweave::codegen

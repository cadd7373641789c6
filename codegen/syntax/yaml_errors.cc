// The table of yaml-cpp's messages.
#include "codegen/syntax/yaml_errors.h"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

namespace opweave::codegen {
namespace {

struct Wording {
  std::string_view theirs, ours;
};

const Wording kWordings[] = {
    {YAML::ErrorMsg::TAB_IN_INDENTATION, "a tab in the indentation, which is made of blanks"},
    {YAML::ErrorMsg::MAP_VALUE,
     "no 'key: value' can begin here: is the line indented like the others of its entry, and does "
     "a text with ': ' stand in quotes?"},
    {YAML::ErrorMsg::MAP_KEY, "no key can begin here"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "no list entry ('- ') can begin here"},
    {YAML::ErrorMsg::FLOW_END, "a closing bracket that closes nothing"},
    {YAML::ErrorMsg::END_OF_MAP, "no key of the entry and no new entry begins here"},
    {YAML::ErrorMsg::END_OF_SEQ, "no entry ('- ') begins here: is the line indented rightly?"},
    {YAML::ErrorMsg::END_OF_SEQ_FLOW, "this list has no closing ']', or a ',' is missing in it"},
    {YAML::ErrorMsg::END_OF_MAP_FLOW, "this mapping has no closing '}', or a ',' is missing in it"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, "a plain text cannot begin with this character: quote it"},
    {YAML::ErrorMsg::EOF_IN_SCALAR, "the file ends inside a quoted text"},
    {YAML::ErrorMsg::DOC_IN_SCALAR, "'---' or '...' inside a quoted text"},
};

}  // namespace

std::string explain_yaml_error(std::string_view message) {
  for (const Wording& wording : kWordings) {
    if (wording.theirs == message) return fmt::format("not valid YAML: {}", wording.ours);
  }
  return fmt::format("not valid YAML: {}", message);
}

bool is_unknown_alias(std::string_view message) {
  return message == YAML::ErrorMsg::UNKNOWN_ANCHOR;
}

bool is_unclosed_bracket(std::string_view message) {
  return message == YAML::ErrorMsg::END_OF_SEQ_FLOW || message == YAML::ErrorMsg::END_OF_MAP_FLOW;
}

}  // namespace opweave::codegen

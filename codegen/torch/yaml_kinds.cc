// The resolver of YAML 1.1.
#include "codegen/torch/yaml_kinds.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::string_view kDigits = "0123456789_";

bool made_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

// Each word in small letters, in capitals, and with one capital in front.
bool is_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  const auto same = [](char a, char b) { return std::tolower(a) == b; };
  if (!std::ranges::equal(text, word, same)) return false;
  const std::string_view rest = text.substr(1);
  const bool small = std::ranges::none_of(rest, [](char c) { return std::isupper(c) != 0; });
  const bool capitals = std::ranges::none_of(text, [](char c) { return std::islower(c) != 0; });
  return small || capitals;
}

bool is_one_of(std::string_view text, auto... words) { return (is_word(text, words) || ...); }

std::string_view without_sign(std::string_view text) {
  return text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
}

// `1:30:05`: to the base of 60, each place but the first below it.
bool is_sexagesimal(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || text[0] == '0' || !made_of(text.substr(0, colon), kDigits))
    return false;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    const std::string_view place = rest.substr(0, rest.find(':'));
    if (!made_of(place, kDigits) || place.size() > 2) return false;
    if (place.size() == 2 && place[0] > '5') return false;
    if (place.size() == rest.size()) return true;
    rest.remove_prefix(place.size() + 1);
  }
}

bool is_whole(std::string_view text) {
  if (text.starts_with("0b")) return made_of(text.substr(2), "01_");
  if (text.starts_with("0x")) return made_of(text.substr(2), "0123456789abcdefABCDEF_");
  if (text.starts_with('0') && text.size() > 1) return made_of(text, "01234567_");
  return text[0] != '_' && (made_of(text, kDigits) || is_sexagesimal(text));
}

// With a point, and a sign in an exponent: `1e5` is a text.
bool is_real(std::string_view text) {
  const size_t point = text.find('.');
  if (point == std::string_view::npos) return false;
  const std::string_view whole = text.substr(0, point);
  std::string_view rest = text.substr(point + 1);
  if (whole.empty() && is_one_of(rest, "inf", "nan")) return true;
  if (!whole.empty() && !made_of(whole, kDigits) && !is_sexagesimal(whole)) return false;
  if (const size_t e = rest.find_first_of("eE"); e != std::string_view::npos) {
    const std::string_view exponent = rest.substr(e + 1);
    if (exponent.size() < 2 || without_sign(exponent).size() == exponent.size()) return false;
    if (!made_of(without_sign(exponent), "0123456789")) return false;
    rest = rest.substr(0, e);
  }
  return whole.empty() ? made_of(rest, kDigits) : rest.empty() || made_of(rest, kDigits);
}

bool is_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty() || !(std::isdigit(static_cast<unsigned char>(digits[0])) || digits[0] == '.'))
    return false;
  return is_whole(digits) || is_real(digits);
}

// `2020-01-31`, and with a time behind it.
bool is_time(std::string_view text) {
  if (text.size() < 8 || text[4] != '-' || !made_of(text.substr(0, 4), "0123456789")) return false;
  const size_t second = text.find('-', 5);
  return second != std::string_view::npos && made_of(text.substr(5, second - 5), "0123456789") &&
         second + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[second + 1]));
}

}  // namespace

YamlKind plain_kind(std::string_view text) {
  if (text.empty() || text == "~" || is_word(text, "null")) return YamlKind::nothing;
  if (is_one_of(text, "yes", "no", "true", "false", "on", "off")) return YamlKind::truth;
  if (is_number(text)) return YamlKind::number;
  return is_time(text) ? YamlKind::time : YamlKind::text;
}

YamlKind yaml_kind(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return YamlKind::nothing;
    case YamlNode::Kind::sequence:
      return YamlKind::list;
    case YamlNode::Kind::map:
      return YamlKind::mapping;
    case YamlNode::Kind::scalar:
      break;
  }
  return node.quoted ? YamlKind::text : plain_kind(node.text.text);
}

bool yaml_truth(std::string_view text) { return is_one_of(text, "yes", "true", "on"); }

std::string describe_value(const YamlNode& node) {
  constexpr std::array<std::string_view, 4> kNames = {"the text", "the truth value", "the number",
                                                      "the time"};
  const YamlKind kind = yaml_kind(node);
  if (kind == YamlKind::text || kind > YamlKind::time) return describe(node);
  return std::string(kNames[static_cast<size_t>(kind)]) + " " + std::string(node.text.text);
}

}  // namespace opweave::codegen::torch

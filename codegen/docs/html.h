// HTML as a tree. Whatever an emitter puts into it is text: the printer escapes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/math/math.h"

namespace opweave::codegen {

struct Html {
  std::string tag;  // empty: text, or mathematics
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Html> children;
  std::string text;
  Math math;
  bool display = false;  // of mathematics: on a line of its own

  Html& add(Html child);
  Html& add(std::string_view text);
};

using HtmlAttributes = std::vector<std::pair<std::string, std::string>>;

Html html(std::string tag, HtmlAttributes attributes, std::vector<Html> children);
Html html(std::string tag, std::vector<Html> children = {});
Html html(std::string tag, std::string_view text);
Html html_text(std::string_view text);
Html html_math(Math math, bool display);
Html html_link(std::string target, std::string_view text);

// A whole document of HTML 5, or a part of one.
std::string print_document(const Html& root);
std::string print_html(const Html& node);
// A string of JavaScript that stays one inside of HTML too.
std::string script_string(std::string_view text);

}  // namespace opweave::codegen

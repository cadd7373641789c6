// Handwritten pages, from Markdown to the tree that all pages are printed from.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/docs/html.h"

namespace opweave::codegen {

// A heading, and what the first paragraph below it says.
struct MarkdownSection {
  int level = 1;
  std::string id;  // what GitHub calls it, so that links lead to the same place there and here
  std::string title;
  std::string text;
};

struct MarkdownPage {
  std::vector<Html> body;
  std::vector<MarkdownSection> sections;
};

// What a link becomes, given its address and what it says.
using MarkdownLink = std::function<Html(const std::string& address, std::vector<Html> says)>;

// GitHub's dialect, without HTML and images: these are printed as text.
MarkdownPage read_markdown(std::string_view text, const MarkdownLink& link);

// The text of a tree, without its markup.
std::string plain_text(const Html& node);

}  // namespace opweave::codegen

// Printing of HTML.
#include "codegen/docs/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace opweave::codegen {
namespace {

// Elements that have no content and no end.
constexpr std::array<std::string_view, 6> kVoid = {"meta", "link", "input", "br", "hr", "wbr"};

void print(const Html& node, std::string& out) {
  if (node.tag.empty()) {
    out += node.math ? math_ml(*node.math, node.display) : escaped_markup(node.text);
    return;
  }
  out += "<" + node.tag;
  for (const auto& [name, value] : node.attributes)
    out += " " + name + "=\"" + escaped_markup(value) + "\"";
  out += ">";
  if (std::ranges::count(kVoid, node.tag) > 0) return;
  for (const Html& child : node.children) print(child, out);
  out += "</" + node.tag + ">";
}

}  // namespace

Html& Html::add(Html child) {
  children.push_back(std::move(child));
  return *this;
}

Html& Html::add(std::string_view words) { return add(html_text(words)); }

Html html(std::string tag, HtmlAttributes attributes, std::vector<Html> children) {
  return {
      .tag = std::move(tag), .attributes = std::move(attributes), .children = std::move(children)};
}

Html html(std::string tag, std::vector<Html> children) {
  return html(std::move(tag), HtmlAttributes(), std::move(children));
}

Html html(std::string tag, std::string_view text) {
  return html(std::move(tag), std::vector<Html>{html_text(text)});
}

Html html_text(std::string_view text) { return {.text = std::string(text)}; }

Html html_math(Math math, bool display) { return {.math = std::move(math), .display = display}; }

Html html_link(std::string target, std::string_view text) {
  return html("a", {{"href", std::move(target)}}, {html_text(text)});
}

std::string print_html(const Html& node) {
  std::string out;
  print(node, out);
  return out;
}

std::string print_document(const Html& root) {
  return "<!DOCTYPE html>\n" + print_html(root) + "\n";
}

std::string script_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != '<';
    out += plain ? std::string(1, c) : fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  }
  return out + "\"";
}

}  // namespace opweave::codegen

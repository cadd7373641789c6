// md4c finds blocks and spans; this makes a tree of them.
#include "codegen/docs/markdown.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <cctype>

namespace opweave::codegen {
namespace {

std::string heading_id(std::string_view title, const std::vector<MarkdownSection>& before) {
  std::string id;
  for (char c : title) {
    if (c == ' ') id += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  const auto again = std::ranges::count(before, title, &MarkdownSection::title);
  return again == 0 ? id : fmt::format("{}-{}", id, again);
}

const char* block_tag(MD_BLOCKTYPE type) {
  switch (type) {
    case MD_BLOCK_QUOTE:
      return "blockquote";
    case MD_BLOCK_UL:
      return "ul";
    case MD_BLOCK_OL:
      return "ol";
    case MD_BLOCK_LI:
      return "li";
    case MD_BLOCK_HR:
      return "hr";
    case MD_BLOCK_CODE:
      return "pre";
    case MD_BLOCK_TABLE:
      return "table";
    case MD_BLOCK_THEAD:
      return "thead";
    case MD_BLOCK_TBODY:
      return "tbody";
    case MD_BLOCK_TR:
      return "tr";
    case MD_BLOCK_TH:
      return "th";
    case MD_BLOCK_TD:
      return "td";
    default:
      return "p";
  }
}

const char* span_tag(MD_SPANTYPE type) {
  switch (type) {
    case MD_SPAN_EM:
      return "em";
    case MD_SPAN_STRONG:
      return "strong";
    case MD_SPAN_CODE:
      return "code";
    case MD_SPAN_DEL:
      return "del";
    default:
      return "span";
  }
}

// `a \| b` in a cell: md4c leaves the backslash, GitHub does not.
std::string without_escapes(std::string_view code) {
  std::string text;
  for (size_t i = 0; i < code.size(); ++i) {
    if (!code.substr(i).starts_with("\\|")) text += code[i];
  }
  return text;
}

class Builder {
 public:
  explicit Builder(const MarkdownLink& link) : link_(link) { open_.emplace_back(); }

  MarkdownPage read(std::string_view text) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<Builder*>(self)->enter(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<Builder*>(self)->leave(type);
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<Builder*>(self)->enter(type, detail);
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<Builder*>(self)->leave(type);
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
      return static_cast<Builder*>(self)->words(type, {text, size});
    };
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, this);
    page_.body = std::move(open_.front().children);
    return std::move(page_);
  }

 private:
  int enter(MD_BLOCKTYPE type, void* detail) {
    if (type == MD_BLOCK_DOC) return 0;
    if (type == MD_BLOCK_H) {
      level_ = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
      open_.push_back(html(fmt::format("h{}", level_)));
      return 0;
    }
    open_.push_back(html(block_tag(type)));
    tables_ += type == MD_BLOCK_TABLE;
    if (type == MD_BLOCK_CODE) open_.push_back(html("code"));
    return 0;
  }

  int leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_DOC) return 0;
    if (type == MD_BLOCK_CODE) close();
    if (type == MD_BLOCK_H) note_heading();
    if (type == MD_BLOCK_P) note_paragraph();
    // A table whose columns have no names needs no row for them.
    const bool is_nameless = type == MD_BLOCK_THEAD && plain_text(open_.back()).empty();
    if (is_nameless) open_.pop_back();
    if (!is_nameless) close();
    // A wide one scrolls by itself, and not the page.
    if (type == MD_BLOCK_TABLE) {
      --tables_;
      Html& table = open_.back().children.back();
      table = html("div", {{"class", "scroll"}}, {std::move(table)});
    }
    return 0;
  }

  int enter(MD_SPANTYPE type, void* detail) {
    open_.push_back(html(span_tag(type)));
    if (type == MD_SPAN_A) {
      const MD_ATTRIBUTE& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
      address_.assign(href.text, href.size);
    }
    return 0;
  }

  int leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_A) {
      open_.back() = link_(address_, std::move(open_.back().children));
    }
    close();
    return 0;
  }

  int words(MD_TEXTTYPE type, std::string_view text) {
    Html& node = open_.back();
    if (type == MD_TEXT_BR) {
      node.add(html("br"));
    } else if (type == MD_TEXT_CODE && tables_ > 0) {
      node.add(without_escapes(text));
    } else {
      node.add(type == MD_TEXT_SOFTBR ? "\n" : text);
    }
    return 0;
  }

  // What is open ends, and is part of what is around it.
  void close() {
    Html node = std::move(open_.back());
    open_.pop_back();
    open_.back().add(std::move(node));
  }

  void note_heading() {
    const std::string title = plain_text(open_.back());
    const std::string id = heading_id(title, page_.sections);
    open_.back().attributes.push_back({"id", id});
    page_.sections.push_back({level_, id, title, ""});
  }

  void note_paragraph() {
    if (page_.sections.empty() || !page_.sections.back().text.empty()) return;
    std::string text = plain_text(open_.back());
    std::ranges::replace(text, '\n', ' ');
    page_.sections.back().text = text;
  }

  const MarkdownLink& link_;
  MarkdownPage page_;
  std::vector<Html> open_;  // the innermost last
  std::string address_;     // of the link that is open: links are never nested
  int level_ = 1;
  int tables_ = 0;
};

}  // namespace

MarkdownPage read_markdown(std::string_view text, const MarkdownLink& link) {
  return Builder(link).read(text);
}

std::string plain_text(const Html& node) {
  std::string text = node.text;
  for (const Html& child : node.children) text += plain_text(child);
  return text;
}

}  // namespace opweave::codegen

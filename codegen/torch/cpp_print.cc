// Canonical printing of C++ expressions.
#include "codegen/torch/cpp_syntax.h"

namespace opweave::codegen::torch {
namespace {

template <class Items, class Print>
std::string join(const Items& items, Print&& print_item) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ", ";
    out += print_item(item);
  }
  return out;
}

std::string print_items(const CppNode& node, size_t first) {
  std::string out;
  for (size_t i = first; i < node.operands.size(); ++i) {
    if (i > first) out += ", ";
    out += print(*node.operands[i]);
  }
  return out;
}

std::string print_lambda(const CppLambda& lambda, const CppNode& value) {
  std::string out = "[" + join(lambda.captures, [](const std::string& c) { return c; }) + "](";
  out += join(lambda.parameters, [](const CppParameter& p) {
    return print(p.type) + (p.name.empty() ? "" : " ") + std::string(p.name);
  });
  out += ") ";
  if (lambda.returns) out += "-> " + print(*lambda.returns) + " ";
  return out + "{ return " + print(value) + "; }";
}

// `- -x` is not `--x`, and `a & &b` not `a && b`.
std::string print_unary(const CppNode& node) {
  const std::string operand = print(*node.operands[0]);
  const bool merges = operand.starts_with(node.text);
  return std::string(node.text) + (merges ? " " : "") + operand;
}

std::string print_plain(const CppNode& node) {
  auto operand = [&](size_t i) { return print(*node.operands[i]); };
  const std::string text(node.text);
  switch (node.kind) {
    case CppKind::number:
    case CppKind::string:
      return text;
    case CppKind::name:
      return print(*node.name);
    case CppKind::unary:
      return print_unary(node);
    case CppKind::binary:
      return operand(0) + " " + text + " " + operand(1);
    case CppKind::conditional:
      return operand(0) + " ? " + operand(1) + " : " + operand(2);
    case CppKind::call:
      return operand(0) + "(" + print_items(node, 1) + ")";
    case CppKind::member:
      return operand(0) + (node.arrow ? "->" : ".") + text;
    case CppKind::index:
      return operand(0) + "[" + operand(1) + "]";
    case CppKind::braces:
      return (node.name ? print(*node.name) : "") + "{" + print_items(node, 0) + "}";
    case CppKind::group:
      return "(" + operand(0) + ")";
    case CppKind::lambda:
      return print_lambda(*node.lambda, *node.operands[0]);
  }
  return text;
}

// Walks over what is no blank; in a string everything counts.
class VisibleText {
 public:
  explicit VisibleText(std::string_view text) : text_(text) {}

  // The next byte, or nothing at the end.
  std::optional<char> next() {
    while (at_ < text_.size() && !in_string_ && is_blank(text_[at_])) ++at_;
    if (at_ == text_.size()) return std::nullopt;
    enter_comment();
    const char c = text_[at_++];
    if (at_ <= comment_end_) return c;
    if (c == '"' && !escaped_) in_string_ = !in_string_;
    escaped_ = in_string_ && c == '\\' && !escaped_;
    return c;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  // A quote in a comment begins no string, nor does "/*" in a string begin a comment.
  void enter_comment() {
    if (in_string_ || at_ < comment_end_ || !text_.substr(at_).starts_with("/*")) return;
    const size_t end = text_.find("*/", at_ + 2);
    comment_end_ = end == std::string_view::npos ? text_.size() : end + 2;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t comment_end_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace

std::string print(const CppType& type) {
  if (!type.number.empty()) return std::string(type.number);
  return (type.is_const ? "const " : "") + print(type.name) + std::string(type.suffix);
}

std::string print(const CppName& name) {
  std::string out;
  for (const CppSegment& segment : name.segments) {
    if (name.global || !out.empty()) out += "::";
    out += segment.text;
    if (!segment.is_template) continue;
    out += "<" + join(segment.arguments, [](const CppType& type) { return print(type); }) + ">";
  }
  return out;
}

std::string print(const CppNode& node) { return std::string(node.comment) + print_plain(node); }

bool same_tokens(std::string_view a, std::string_view b) {
  VisibleText left(a), right(b);
  while (true) {
    const std::optional<char> next = left.next();
    if (next != right.next()) return false;
    if (!next) return true;
  }
}

}  // namespace opweave::codegen::torch

// The parser of calls with unknown sizes.
#include "codegen/shapes/query.h"

#include <fmt/format.h>

#include "codegen/diagnostics/suggest.h"
#include "codegen/syntax/named_values.h"
#include "codegen/syntax/scanner.h"

namespace opweave::codegen {
namespace {

using Kind = QueryNode::Kind;

constexpr int kMaxDepth = 100;

class QueryParser {
 public:
  QueryParser(const LocatedText& text, DiagnosticSink& sink) : scan_(text), sink_(sink) {}

  std::optional<QueryNode> parse() {
    std::optional<QueryNode> node = value();
    scan_.skip_blanks();
    if (node && !scan_.at_end()) return fail("the end of the call");
    if (node && node->kind != Kind::call) {
      sink_.error(Code::expression_syntax, node->span,
                  "expected a call such as 'mm([N, 3], [3, M])'");
      return {};
    }
    return node;
  }

 private:
  std::nullopt_t fail(std::string_view expected) {
    sink_.error(Code::expression_syntax, scan_.here(), fmt::format("expected {}", expected));
    return std::nullopt;
  }

  std::optional<QueryNode> value() {
    scan_.skip_blanks();
    if (++depth_ > kMaxDepth) return fail("less nesting");
    const uint32_t begin = scan_.position();
    std::optional<QueryNode> node = unlocated();
    if (node) node->span = scan_.span_from(begin);
    --depth_;
    return node;
  }

  std::optional<QueryNode> unlocated() {
    QueryNode node;
    if (scan_.take("[")) return list();
    if (scan_.take("'")) return quoted();
    if (const std::string_view name = scan_.take_identifier(); !name.empty()) {
      node.text = name;
      if (scan_.take(".")) node.text += "." + std::string(scan_.take_identifier());
      scan_.skip_blanks();
      return scan_.take("(") ? call(std::move(node)) : std::optional(std::move(node));
    }
    node.kind = Kind::number;
    node.text =
        scan_.take_while([](char c) { return is_digit(c) || c == '-' || c == '.' || c == 'e'; });
    if (node.text.empty()) return fail("a size, a list or a call");
    return node;
  }

  std::optional<QueryNode> quoted() {
    QueryNode node;
    node.kind = Kind::text;
    node.text = scan_.take_while([](char c) { return c != '\''; });
    if (!scan_.take("'")) return fail("a closing '");
    return node;
  }

  std::optional<QueryNode> list() {
    QueryNode node;
    node.kind = Kind::list;
    if (!items(node, "]", /*labels=*/false)) return {};
    if (scan_.take(":")) {
      if (!dtype(node)) return {};
    }
    return node;
  }

  bool dtype(QueryNode& node) {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    const std::string_view name = scan_.take_identifier();
    node.dtype = name;
    if (find_named_value(name, BaseType::scalar_type)) return true;
    if (name.empty()) {
      fail("a dtype");
    } else {
      sink_
          .error(Code::unknown_name, scan_.span_from(begin),
                 fmt::format("unknown dtype '{}'", name))
          .suggest(closest(name, value_names(BaseType::scalar_type)));
    }
    return false;
  }

  std::optional<QueryNode> call(QueryNode node) {
    node.kind = Kind::call;
    if (!items(node, ")", /*labels=*/true)) return {};
    return node;
  }

  // Up to the closing bracket.
  bool items(QueryNode& node, std::string_view close, bool labels) {
    scan_.skip_blanks();
    if (scan_.take(close)) return true;
    do {
      QueryNode::Item item;
      if (labels) take_label(item);
      std::optional<QueryNode> read = value();
      if (!read) return false;
      item.value = std::move(*read);
      node.items.push_back(std::move(item));
      scan_.skip_blanks();
    } while (scan_.take(","));
    if (scan_.take(close)) return true;
    fail(fmt::format("',' or '{}'", close));
    return false;
  }

  void take_label(QueryNode::Item& item) {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    const std::string name(scan_.take_identifier());
    item.name_span = scan_.span_from(begin);
    scan_.skip_blanks();
    item.is_keyword = scan_.take("=");
    if (!name.empty() && (item.is_keyword || scan_.take(":"))) {
      item.name = name;
      return;
    }
    item.is_keyword = false;
    scan_.rewind(begin);
  }

  Scanner scan_;
  DiagnosticSink& sink_;
  int depth_ = 0;
};

}  // namespace

std::optional<QueryNode> parse_query(const LocatedText& text, DiagnosticSink& sink) {
  return QueryParser(text, sink).parse();
}

}  // namespace opweave::codegen

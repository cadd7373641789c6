// Splits messages into text and expressions.
#include "codegen/model/rules/message.h"

#include <fmt/format.h>

#include "codegen/model/entries/fields.h"

namespace opweave::codegen {
namespace {

// `IndexError: ` in front of a message says of which class it is.
size_t read_class(std::string_view text, ErrorClass& error) {
  for (ErrorClass known : {ErrorClass::runtime, ErrorClass::type, ErrorClass::value,
                           ErrorClass::index, ErrorClass::not_implemented}) {
    const std::string prefix = fmt::format("{}: ", error_class_name(known));
    if (!text.starts_with(prefix)) continue;
    error = known;
    return prefix.size();
  }
  return 0;
}

}  // namespace

std::optional<Message> read_message(const LocatedText& text, DiagnosticSink& sink) {
  Message message;
  const std::string_view all = text.text;
  size_t at = read_class(all, message.error);
  std::string plain;
  const auto flush = [&] {
    if (!plain.empty()) message.pieces.push_back({std::move(plain), {}});
    plain.clear();
  };
  while (at < all.size()) {
    const bool doubled = at + 1 < all.size() && all[at + 1] == all[at];
    if ((all[at] != '{' && all[at] != '}') || doubled) {
      at += doubled && (all[at] == '{' || all[at] == '}') ? 1 : 0;
      plain += all[at++];
      continue;
    }
    const size_t end = all[at] == '{' ? all.find('}', at) : std::string_view::npos;
    if (end == std::string_view::npos) {
      const auto begin = static_cast<uint32_t>(at);
      sink.error(
          Code::expression_syntax, text.span(begin, begin + 1),
          fmt::format("this '{}' has no partner: a value stands in '{{' and '}}', and '{{{{' "
                      "is a brace",
                      all[at]));
      return {};
    }
    flush();
    message.pieces.push_back({"", slice(text, at + 1, end - at - 1)});
    at = end + 1;
  }
  flush();
  return message;
}

}  // namespace opweave::codegen

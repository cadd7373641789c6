// Splits messages into text and expressions.
#include "codegen/model/rules/message.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/fields.h"
#include "codegen/syntax/keywords.h"

namespace opweave::codegen {
namespace {

// Whether a word in front of a colon can only have been meant for a class of errors.
bool is_like_class(std::string_view word) {
  const bool capital = !word.empty() && word[0] >= 'A' && word[0] <= 'Z';
  const bool ends_so = word.ends_with("Error") || word.ends_with("Exception") ||
                       word.ends_with("Warning") || word.ends_with("Interrupt");
  constexpr size_t kNear = 2;  // `Indexerror`
  return (capital && ends_so) ||
         std::ranges::any_of(error_class_names(), [&](std::string_view known) {
           return edit_distance(word, known, kNear) <= kNear;
         });
}

// `IndexError: ` in front of a message says of which class it is. Nothing after a report of a word
// that is none, or of nothing behind it.
std::optional<size_t> read_class(const LocatedText& text, ErrorClass& error, DiagnosticSink& sink) {
  const std::string_view all = text.text;
  const size_t colon = all.find(':');
  std::string_view word = all.substr(0, colon == std::string_view::npos ? 0 : colon);
  while (word.ends_with(' ')) word.remove_suffix(1);
  if (!is_identifier(word) || !is_like_class(word)) return 0;
  const auto& known = error_class_names();
  const auto found = std::ranges::find(known, word);
  const bool written = all.substr(word.size()).starts_with(": ") && all.size() > word.size() + 2;
  if (found != known.end() && written) {
    error = static_cast<ErrorClass>(found - known.begin());
    return word.size() + 2;
  }
  sink.error(Code::bad_value, text.span(0, static_cast<uint32_t>(word.size())),
             found == known.end()
                 ? fmt::format("'{}' is no class of errors that a condition can have", word)
                 : fmt::format("'{0}' stands in front of a message: '{0}: ' and the message", word))
      .suggest(found == known.end() ? closest(word, known) : "")
      .note({}, fmt::format("the classes are: {}; without one it is {}", fmt::join(known, ", "),
                            known.front()));
  return {};
}

}  // namespace

std::optional<Message> read_message(const LocatedText& text, DiagnosticSink& sink) {
  Message message;
  const std::string_view all = text.text;
  const std::optional<size_t> begin_of_text = read_class(text, message.error, sink);
  if (!begin_of_text) return {};
  size_t at = *begin_of_text;
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

// The text form of diagnostics, in the manner of clang.
#include "codegen/diagnostics/render.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/utf8.h"

namespace opweave::codegen {
namespace {

// A source line longer than this is cut around the caret, and a message at its end.
constexpr size_t kMaxLine = 160;
constexpr size_t kMaxMessage = 1200;

std::string paint(std::string_view text, std::string_view on, const RenderOptions& options) {
  return options.color ? fmt::format("{}{}\033[0m", on, text) : std::string(text);
}

// Blanks as wide as `text` on a screen; tabs stay tabs.
std::string blanks_for(std::string_view text) {
  std::string out;
  for (size_t tab = text.find('\t'); tab != std::string_view::npos; tab = text.find('\t')) {
    out += std::string(display_width(text.substr(0, tab)), ' ') + '\t';
    text.remove_prefix(tab + 1);
  }
  return out + std::string(display_width(text), ' ');
}

std::string underline_for(std::string_view text) {
  const size_t width = display_width(text);
  return "^" + std::string(width > 1 ? width - 1 : 0, '~');
}

// The part of a long line that is shown: [begin, end) of it are to be underlined.
struct Window {
  std::string_view text;
  size_t begin, end;
  std::string_view before, after;  // "..." where something is cut off
};

Window cut(std::string_view line, size_t begin, size_t end) {
  Window window{line, begin, end, "", ""};
  if (line.size() > kMaxLine && begin > kMaxLine / 2) {
    const size_t start = character_start(line, begin - kMaxLine / 2);
    window.text.remove_prefix(start);
    window.begin -= start;
    window.end -= start;
    window.before = "...";
  }
  if (window.text.size() > kMaxLine) {
    window.text = window.text.substr(0, character_start(window.text, kMaxLine));
    window.after = "...";
  }
  window.end = std::clamp(window.end, window.begin, window.text.size());
  return window;
}

std::string cut(std::string message) {
  if (message.size() > kMaxMessage)
    message.replace(character_start(message, kMaxMessage), message.npos, "...");
  return message;
}

// The source line with a caret and tildes under the span; the part of it on the first line only.
std::string excerpt(const Span& span, const RenderOptions& options) {
  const Position at = span.source->position(span.begin);
  const std::string_view line = span.source->line(at.line);
  if (line.empty()) return "";
  const size_t begin = std::min<size_t>(at.column - 1, line.size());
  const size_t end = std::clamp<size_t>(begin + (span.end - span.begin), begin, line.size());
  const Window window = cut(line, begin, end);
  const std::string number = std::to_string(at.line);
  std::string text =
      fmt::format("{:>5} | {}{}{}\n", number, window.before, printable(window.text), window.after);
  text +=
      fmt::format("{:>{}} | {}{}{}\n", "", std::max<size_t>(5, number.size()),
                  blanks_for(window.before), blanks_for(window.text.substr(0, window.begin)),
                  paint(underline_for(window.text.substr(window.begin, window.end - window.begin)),
                        "\033[1;32m", options));
  return text;
}

std::string location(const Span& span) {
  if (!span) return "";
  Position at = span.source->position(span.begin);
  return fmt::format("{}:{}:{}: ", span.source->path(), at.line, at.column);
}

std::string render_note(const Note& note, const RenderOptions& options) {
  std::string text = location(note.span) + paint("note", "\033[1;36m", options) + ": ";
  text += printable(cut(note.message)) + "\n";
  return note.span ? text + excerpt(note.span, options) : text;
}

std::string count_of(size_t n, std::string_view what) {
  return n == 0 ? "" : fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

std::string full_message(const Diagnostic& d) {
  return d.suggestion.empty() ? d.message
                              : fmt::format("{}; did you mean '{}'?", d.message, d.suggestion);
}

std::string render(const Diagnostic& d, const RenderOptions& options) {
  bool is_error = d.severity == Severity::error;
  std::string kind = fmt::format("{}[{}]", is_error ? "error" : "warning", code_name(d.code));
  std::string text = location(d.span);
  text += paint(kind, is_error ? "\033[1;31m" : "\033[1;35m", options) + ": ";
  text += printable(cut(full_message(d))) + "\n";
  if (d.span) text += excerpt(d.span, options);
  for (const Note& note : d.notes) text += render_note(note, options);
  return text;
}

std::string render_all(const DiagnosticSink& sink, const RenderOptions& options) {
  std::string text;
  for (const Diagnostic& d : sink.all()) text += render(d, options);
  std::string errors = count_of(sink.error_count(), "error");
  std::string warnings = count_of(sink.warning_count(), "warning");
  std::string_view comma = !errors.empty() && !warnings.empty() ? ", " : "";
  const std::string hidden =
      sink.hidden_count() == 0 ? "" : fmt::format("; the first {} are shown", sink.all().size());
  if (!text.empty()) text += fmt::format("{}{}{}{}\n", errors, comma, warnings, hidden);
  return text;
}

}  // namespace opweave::codegen

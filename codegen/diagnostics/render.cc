// The text form of diagnostics, in the manner of clang.
#include "codegen/diagnostics/render.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweave::codegen {
namespace {

// A source line longer than this is cut around the caret.
constexpr size_t kMaxLine = 160;

std::string paint(std::string_view text, std::string_view on, const RenderOptions& options) {
  return options.color ? fmt::format("{}{}\033[0m", on, text) : std::string(text);
}

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// Blanks as wide as `text`: tabs stay tabs, a character of several bytes counts once.
std::string blanks_for(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (starts_character(c)) out += c == '\t' ? '\t' : ' ';
  }
  return out;
}

std::string underline_for(std::string_view text) {
  auto width = static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
  return "^" + std::string(width > 1 ? width - 1 : 0, '~');
}

// The source line with a caret and tildes under the span; the part of it on the first line only.
std::string excerpt(const Span& span, const RenderOptions& options) {
  Position at = span.source->position(span.begin);
  std::string_view line = span.source->line(at.line);
  size_t begin = std::min<size_t>(at.column - 1, line.size());
  size_t end = std::clamp<size_t>(begin + (span.end - span.begin), begin, line.size());
  std::string_view cut_mark;
  if (line.size() > kMaxLine && begin > kMaxLine / 2) {
    size_t cut = begin - kMaxLine / 2;
    line.remove_prefix(cut);
    begin -= cut;
    end -= cut;
    cut_mark = "...";
  }
  std::string_view shown = line.substr(0, std::max(kMaxLine, begin));
  std::string_view more = shown.size() < line.size() ? "..." : "";
  end = std::min(end, shown.size());
  std::string number = std::to_string(at.line);
  std::string text = fmt::format("{:>5} | {}{}{}\n", number, cut_mark, shown, more);
  text +=
      fmt::format("{:>{}} | {}{}{}\n", "", std::max<size_t>(5, number.size()), blanks_for(cut_mark),
                  blanks_for(shown.substr(0, begin)),
                  paint(underline_for(shown.substr(begin, end - begin)), "\033[1;32m", options));
  return text;
}

std::string location(const Span& span) {
  if (!span) return "";
  Position at = span.source->position(span.begin);
  return fmt::format("{}:{}:{}: ", span.source->path(), at.line, at.column);
}

std::string render_note(const Note& note, const RenderOptions& options) {
  std::string text = location(note.span) + paint("note", "\033[1;36m", options) + ": ";
  text += note.message + "\n";
  return note.span ? text + excerpt(note.span, options) : text;
}

std::string count_of(size_t n, std::string_view what) {
  return n == 0 ? "" : fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

std::string render(const Diagnostic& d, const RenderOptions& options) {
  bool is_error = d.severity == Severity::error;
  std::string kind = fmt::format("{}[{}]", is_error ? "error" : "warning", code_name(d.code));
  std::string text = location(d.span);
  text += paint(kind, is_error ? "\033[1;31m" : "\033[1;35m", options) + ": " + d.message;
  if (!d.suggestion.empty()) text += fmt::format("; did you mean '{}'?", d.suggestion);
  text += "\n";
  if (d.span) text += excerpt(d.span, options);
  for (const Note& note : d.notes) text += render_note(note, options);
  return text;
}

std::string render_all(const DiagnosticSink& sink, const RenderOptions& options) {
  std::string text;
  for (const Diagnostic& d : sink.all()) text += render(d, options);
  std::string errors = count_of(sink.error_count(), "error");
  std::string warnings = count_of(sink.all().size() - sink.error_count(), "warning");
  std::string_view comma = !errors.empty() && !warnings.empty() ? ", " : "";
  if (!text.empty()) text += fmt::format("{}{}{}\n", errors, comma, warnings);
  return text;
}

}  // namespace opweave::codegen

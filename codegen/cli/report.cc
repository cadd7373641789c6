// Diagnostics and explanations on the terminal.
#include "codegen/cli/report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "codegen/diagnostics/render.h"
#include "codegen/diagnostics/suggest.h"
#include "codegen/explain/explain.h"
#include "codegen/report/report.h"
#include "codegen/vocabulary/vocabulary.h"

namespace opweave::codegen {
// https://no-color.org: set and not empty means no.
bool wants_color(Color color, const char* no_color, const char* term, bool terminal) {
  if (color != Color::automatic) return color == Color::always;
  const bool forbidden = no_color != nullptr && *no_color != '\0';
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  return terminal && !forbidden && !dumb;
}

int report(const CommandLine& line, DiagnosticSink& sink) {
  constexpr size_t kMostShown = 100;
  sink.sort();
  sink.keep_first(kMostShown);
  RenderOptions options;
  switch (line.format) {
    case Format::text:
      options.color = wants_color(line.color, std::getenv("NO_COLOR"), std::getenv("TERM"),
                                  isatty(STDERR_FILENO) != 0);
      std::fputs(render_all(sink, options).c_str(), stderr);
      break;
    case Format::json:
      std::fputs(json_report(sink).c_str(), stdout);
      break;
    case Format::sarif:
      std::fputs(sarif_report(sink).c_str(), stdout);
      break;
  }
  return sink.has_errors() ? 1 : 0;
}

namespace {

// A code, a topic or a word; nothing if it is none.
std::optional<std::string> explained(const std::string& name) {
  if (const std::optional<Code> code = code_from_name(name)) return explain(*code);
  return explain_word(name);
}

// The nearest of all that can be explained.
std::string nearest(const std::string& name) {
  Suggester suggester(name);
  for (std::string_view word : explained_words()) suggester.offer(word);
  for (Code code : all_codes()) suggester.offer(code_name(code));
  return suggester.best();
}

}  // namespace

int explain_codes(const CommandLine& line) {
  if (line.files.empty()) {
    std::fputs(explain_all().c_str(), stdout);
    std::fputs(("\nopweave explain TOPIC, or a word of one:\n" + list_topics()).c_str(), stdout);
  }
  int status = 0;
  for (const std::string& name : line.files) {
    if (const std::optional<std::string> text = explained(name)) {
      if (&name != &line.files.front()) std::fputs("\n", stdout);
      std::fputs(text->c_str(), stdout);
      continue;
    }
    const std::string near = nearest(name);
    std::fprintf(stderr, "opweave: error: there is no code, topic or word '%s'%s\n", name.c_str(),
                 near.empty() ? "; 'opweave explain' lists all"
                              : ("; did you mean '" + near + "'?").c_str());
    status = 1;
  }
  return status;
}

}  // namespace opweave::codegen

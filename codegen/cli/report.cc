// Diagnostics on the terminal.
#include "codegen/cli/report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "codegen/diagnostics/render.h"
#include "codegen/report/report.h"

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

int fail(const std::string& error) {
  std::fprintf(stderr, "opweave: error: %s\n", error.c_str());
  return 1;
}

}  // namespace opweave::codegen

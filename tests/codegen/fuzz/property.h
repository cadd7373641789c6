// What the fuzz targets share: a property that does not hold ends the run, so that the input is
// kept.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "codegen/diagnostics/render.h"

namespace opweave::codegen::fuzz {

inline void require(bool holds, const char* property, const std::string& detail = "") {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n%s\n", property, detail.c_str());
  std::abort();
}

// Something was refused: then there is an error, and it can be shown.
inline void require_reason(const DiagnosticSink& sink) {
  require(sink.has_errors(), "what is refused has a reason");
  require(!render_all(sink).empty(), "a reason has a text");
}

// Calls test(line) for the lines of an input: a file of examples holds one per line.
template <class Test>
void for_lines(const uint8_t* data, size_t size, Test&& test) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const size_t end = text.find('\n');
    test(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
}

}  // namespace opweave::codegen::fuzz

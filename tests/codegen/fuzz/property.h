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

// Calls test(part) for the parts of an input between separators.
template <class Test>
void for_parts(const uint8_t* data, size_t size, std::string_view separator, Test&& test) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (true) {
    const size_t end = text.find(separator);
    test(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + separator.size());
  }
}

// For the lines of an input: a file of examples holds one per line.
template <class Test>
void for_lines(const uint8_t* data, size_t size, Test&& test) {
  for_parts(data, size, "\n", test);
}

// For the files in an input: a corpus of many is one file.
template <class Test>
void for_files(const uint8_t* data, size_t size, Test&& test) {
  for_parts(data, size, "\n=== next\n", test);
}

}  // namespace opweave::codegen::fuzz

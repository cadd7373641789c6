// A piece of text that knows which bytes of a source it came from, even if YAML folded or escaped
// it.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/diagnostics/source.h"

namespace opweave::codegen {

// `text` is what the reader of the YAML means. Where it differs from the bytes in the file (folded
// lines, escapes), `offsets` holds the file offset of each byte, and one more for the end.
struct LocatedText {
  std::string_view text;
  const Source* source = nullptr;
  uint32_t origin = 0;
  const std::vector<uint32_t>* offsets = nullptr;
  uint32_t shift = 0;  // where `text` begins in `offsets`

  uint32_t file_offset(uint32_t index) const {
    return offsets ? (*offsets)[shift + index] : origin + index;
  }
  Span span(uint32_t begin, uint32_t end) const {
    return {source, file_offset(begin), file_offset(end)};
  }
  Span whole() const { return span(0, static_cast<uint32_t>(text.size())); }
};

}  // namespace opweave::codegen

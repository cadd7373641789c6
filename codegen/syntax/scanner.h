// A cursor over a located text, which tells where in the file it stands.
#pragma once

#include "codegen/diagnostics/utf8.h"
#include "codegen/syntax/located_text.h"
#include "schema/text_scanner.h"

namespace opweave::codegen {

using schema::is_digit;
using schema::is_identifier_char;
using schema::is_identifier_start;

class Scanner : public schema::TextScanner {
 public:
  explicit Scanner(const LocatedText& text) : TextScanner(text.text), text_(text) {}

  Span span_from(uint32_t begin) const { return text_.span(begin, position()); }
  // The character at the cursor, or the place behind the last one.
  Span here() const {
    const size_t size = at_end() ? 0 : first_character(rest()).bytes;
    return text_.span(position(), position() + static_cast<uint32_t>(size));
  }

 private:
  LocatedText text_;
};

}  // namespace opweave::codegen

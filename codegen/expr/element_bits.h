// Bits and floats do not go together: every value of one expression has the same type.
#pragma once

#include <string>
#include <string_view>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/expr/element.h"

namespace opweave::codegen {

// Remembers where an expression first takes bits, and where it first makes floats.
class BitsAndFloats {
 public:
  void bits_at(Span span, std::string_view what);
  // `what` makes floats: an operation, the name of an argument, a number as it is written.
  void float_at(Span span, std::string_view what);
  void call_at(Span span, std::string_view name, const ElementNode& called);
  // False after a report.
  bool agree(DiagnosticSink& sink) const;

 private:
  Span bits_, float_;
  std::string bits_name_, float_name_;
};

}  // namespace opweave::codegen

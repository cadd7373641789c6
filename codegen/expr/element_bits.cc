// The first of each, and what is said of both.
#include "codegen/expr/element_bits.h"

#include <fmt/format.h>

#include "codegen/expr/element_checker.h"

namespace opweave::codegen {

void BitsAndFloats::bits_at(Span span, std::string_view what) {
  if (bits_) return;
  bits_ = span;
  bits_name_ = what;
}

void BitsAndFloats::float_at(Span span, std::string_view what) {
  if (float_) return;
  float_ = span;
  float_name_ = what;
}

void BitsAndFloats::call_at(Span span, std::string_view name, const ElementNode& called) {
  if (is_bitwise(called)) bits_at(span, name);
  if (derive_promotion(called).compute == ComputeRule::int_to_float) float_at(span, name);
}

bool BitsAndFloats::agree(DiagnosticSink& sink) const {
  if (!bits_ || !float_) return true;
  sink.error(Code::type_mismatch, bits_,
             fmt::format("'{}' takes whole numbers and truth values, but this expression computes "
                         "in floats",
                         bits_name_))
      .note(float_, fmt::format("'{}' makes them", float_name_));
  return false;
}

}  // namespace opweave::codegen

// Schema strings: what can be read prints back to the letter, the rest is refused with a reason.
#include "codegen/syntax/schema.h"
#include "tests/codegen/fuzz/property.h"

using namespace opweave::codegen;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::for_lines(data, size, [](std::string_view line) {
    const Source source("schema", std::string(line));
    DiagnosticSink sink;
    const auto schema = parse_schema({source.text(), &source}, sink);
    if (!schema) return fuzz::require_reason(sink);
    fuzz::require(print(*schema) == line, "a schema prints back to the letter", print(*schema));
  });
  return 0;
}

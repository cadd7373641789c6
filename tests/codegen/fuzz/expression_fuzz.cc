// Expressions: the canonical spelling of what can be read is read as the same, the rest is refused
// with a reason.
#include "codegen/expr/syntax.h"
#include "tests/codegen/fuzz/property.h"

using namespace opweave::codegen;

namespace {

// Null if the text was refused, with a reason.
const SyntaxNode* parse(const Source& source, SyntaxArena& arena) {
  DiagnosticSink sink;
  const SyntaxNode* node = parse_expression({source.text(), &source}, arena, sink);
  if (node == nullptr) fuzz::require_reason(sink);
  return node;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::for_lines(data, size, [](std::string_view line) {
    SyntaxArena arena;
    const Source source("expression", std::string(line));
    const SyntaxNode* node = parse(source, arena);
    if (node == nullptr) return;
    const Source canonical("canonical", print(*node));
    const SyntaxNode* again = parse(canonical, arena);
    fuzz::require(again != nullptr, "the canonical spelling is an expression", print(*node));
    fuzz::require(print(*again) == print(*node), "printing twice gives the same", print(*again));
  });
  return 0;
}

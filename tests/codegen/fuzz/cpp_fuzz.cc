// C++ formulas: the canonical spelling of what can be read has the same tokens and is read as the
// same, the rest is refused with a reason.
#include "codegen/torch/cpp_syntax.h"
#include "tests/codegen/fuzz/property.h"

using namespace opweave::codegen;

namespace {

// Null if the text was refused, with a reason.
const torch::CppNode* parse(const Source& source, torch::CppArena& arena) {
  DiagnosticSink sink;
  const torch::CppNode* node = torch::parse_cpp({source.text(), &source}, arena, sink);
  if (node == nullptr) {
    fuzz::require_reason(sink);
  } else {
    fuzz::require(!sink.has_errors(), "what is read has no errors", render_all(sink));
  }
  return node;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::for_lines(data, size, [](std::string_view line) {
    torch::CppArena arena;
    const Source source("formula", std::string(line));
    const torch::CppNode* node = parse(source, arena);
    if (node == nullptr) return;
    const Source canonical("canonical", print(*node));
    fuzz::require(torch::same_tokens(canonical.text(), line), "printing keeps the tokens",
                  print(*node));
    const torch::CppNode* again = parse(canonical, arena);
    fuzz::require(again != nullptr, "the canonical spelling is an expression", print(*node));
    fuzz::require(print(*again) == print(*node), "printing twice gives the same", print(*again));
  });
  return 0;
}

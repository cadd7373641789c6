// Operator files, with derivatives after a line `=== derivatives`: a model from which everything
// can be printed, or a reason.
#include "codegen/emit/output/emit.h"
#include "codegen/model/model.h"
#include "tests/codegen/fuzz/property.h"

using namespace opweave::codegen;

namespace {

void test(std::string_view file) {
  constexpr std::string_view kSeparator = "\n=== derivatives\n";
  const std::string text(file);
  const size_t end = text.find(kSeparator);
  Inputs inputs;
  inputs.ops.push_back({"ops.yaml", text.substr(0, end)});
  if (end != std::string::npos) {
    inputs.derivatives.push_back({"derivatives.yaml", text.substr(end + kSeparator.size())});
  }
  DiagnosticSink sink;
  const auto sources = std::make_shared<Sources>();
  const auto model = load_model(std::move(inputs), sources, sink);
  sink.sort();
  if (model == nullptr) {
    fuzz::require_reason(sink);
  } else {
    fuzz::require(!sink.has_errors(), "a model has no errors", render_all(sink));
    fuzz::require(!emit_all(*model, {.shards = 1}).empty(), "a model gives files");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::for_files(data, size, test);
  return 0;
}

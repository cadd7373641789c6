// Calls with unknown sizes, of the real operators: an answer, or a reason with a place in the call.
#include "codegen/files/files.h"
#include "codegen/model/model.h"
#include "codegen/shapes/shapes.h"
#include "tests/codegen/fuzz/property.h"

using namespace opweave::codegen;

namespace {

std::shared_ptr<const Model> operators() {
  Inputs inputs;
  DiagnosticSink sink;
  const auto sources = std::make_shared<Sources>();
  read_files({"ops.yaml"}, inputs.ops, *sources, sink);
  read_files({"derivatives.yaml"}, inputs.derivatives, *sources, sink);
  return load_model(std::move(inputs), sources, sink);
}

void check_place(const Span& span, std::string_view call) {
  fuzz::require(span.source && span.source->text() == call && span.begin <= span.end &&
                    span.end <= call.size(),
                "a reason points into the call", std::string(call));
}

void test(std::string_view call) {
  static const auto model = operators();
  Sources sources;
  DiagnosticSink sink;
  const std::string answer = shapes_text(call, *model, sources, sink);
  if (!answer.empty()) return fuzz::require(!sink.has_errors(), "an answer has no errors", answer);
  if (!sink.has_errors()) return;  // of an operator without results
  fuzz::require_reason(sink);
  for (const Diagnostic& diagnostic : sink.all()) check_place(diagnostic.span, call);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::for_lines(data, size, test);
  return 0;
}

// Declared types of objects: known to the schemas of all files, for as long as they are declared.
#include "codegen/diagnostics/render.h"
#include "codegen/emit/text/signature.h"
#include "schema/object_types.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

constexpr const char* kOperator =
    "- func: count(Counter c, Tensor self) -> Counter\n"
    "  kernels: [cpu]\n  differentiable: false\n";

std::string declaration(const std::string& cpp) {
  return "- object: Counter\n  cpp: " + cpp + "\n  header: counter.h\n  doc: Counts.\n";
}

std::string errors_of(const std::string& ops) {
  Inputs inputs;
  inputs.ops.push_back({"ops.yaml", ops});
  DiagnosticSink sink;
  const auto sources = std::make_shared<Sources>();
  load_model(std::move(inputs), sources, sink);
  return render_all(sink);
}

std::string signature_of_count(const Loaded& loaded) {
  return signature_of(loaded.op("count")).function_type();
}

TEST_CASE("a declaration may follow its use, and stand in another library") {
  const Loaded after(kOperator + declaration("counting::Counter"));
  CHECK(signature_of_count(after) == "::counting::Counter(::counting::Counter, const Tensor&)");
  REQUIRE(after.model->objects().size() == 1);
  CHECK(after.model->objects()[0].doc == "Counts.");
  CHECK_FALSE(after.model->objects()[0].imported);
  const Loaded imported(kOperator, "", declaration("counting::Counter"));
  CHECK(imported.model->objects()[0].imported);
}

TEST_CASE("an editor's next text counts, and what is no longer declared is unknown") {
  const Loaded first(declaration("counting::Counter") + kOperator);
  const Loaded second(declaration("other::Counter") + kOperator);
  CHECK(signature_of_count(second) == "::other::Counter(::other::Counter, const Tensor&)");
  CHECK(errors_of(kOperator).find("unknown type 'Counter'") != std::string::npos);
  // The models that were read before still name it.
  CHECK(print(first.op("count").schema) == "count(Counter c, Tensor self) -> Counter");
}

TEST_CASE("a declared type may have a name that only PyTorch's own schemas use") {
  const Loaded loaded(
      "- object: Stream\n  cpp: s::Stream\n  header: s.h\n"
      "- func: wait(Stream s, Tensor self) -> Tensor\n"
      "  kernels: [cpu]\n  differentiable: false\n");
  CHECK(loaded.op("wait").schema.arguments[0].type.object == "Stream");
  CHECK(schema::find_object_type("Stream")->cpp == "::s::Stream");
}

}  // namespace
}  // namespace opweave::codegen

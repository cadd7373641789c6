// Names of arguments in generated bindings.
#include "codegen/emit/output/emit.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

TEST_CASE("an argument may have the name of something that its binding uses") {
  Loaded loaded(
      "- func: f(Tensor self, int a, Tensor args, int wrap, int dim) -> Tensor\n"
      "  kernels: [composite]\n");
  std::string bindings, records;
  for (const EmittedFile& file : emit_all(*loaded.model, {.shards = 1})) {
    if (file.path == "opweave/python/bindings_00.cc") bindings = file.text;
    if (file.path == "opweave/dispatch/operators_00.cc") records = file.text;
  }
  CHECK(bindings.find("const auto a_ = a.integer(1);") != std::string::npos);
  CHECK(bindings.find("Tensor& args_ = a.tensor(2);") != std::string::npos);
  CHECK(bindings.find("run<ops::f>(input, a_, args_, wrap_, dim)") != std::string::npos);
  CHECK(records.find("{.name = \"a\", .type") != std::string::npos);  // Python's name stays
}

}  // namespace
}  // namespace opweave::codegen

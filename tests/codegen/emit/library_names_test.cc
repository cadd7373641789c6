// What is generated for a library has its name in front of its operators' where the registry keeps
// them, and nowhere in C++.
#include <doctest/doctest.h>

#include <ranges>

#include "codegen/emit/output/emit.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

const char* const kOps =
    "- func: spread(Tensor self) -> Tensor\n  expr: self * 2\n  dtypes: floating\n"
    "- func: spread.by(Tensor self, Scalar by) -> Tensor\n  expr: self * by\n  dtypes: floating\n"
    "  python_name: spread_by\n";

std::string file(const std::vector<EmittedFile>& files, std::string_view path) {
  const auto found = std::ranges::find(files, path, &EmittedFile::path);
  REQUIRE(found != files.end());
  return found->text;
}

std::vector<EmittedFile> of_library(const std::string& name) {
  EmitOptions options{.library = name};
  options.shards = options.kernel_shards = 1;
  return emit_all(*Loaded(kOps).model, options);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("in the registry operators of a library have its name") {
  const auto files = of_library("mine");
  const std::string tables = file(files, "opweave/dispatch/operators_00.cc");
  CHECK(has(tables, "\"mine::spread\", \"by\","));
  CHECK(has(tables, "\"mine::spread.by(Tensor self, Scalar by) -> Tensor\""));
  CHECK(has(tables, "OperatorEntry ops::spread_by::entry"));
  const std::string module = file(files, "opweave/python/register.cc");
  CHECK(has(module, "{\"mine::spread\", \"spread\", \"ops.yaml:1\"}"));
  CHECK(has(module, "{\"mine::spread.by\", \"spread_by\", \"ops.yaml:4\"}"));
  CHECK(has(file(files, "opweave/operators.json"), "\"name\": \"spread.by\""));
}

TEST_CASE("those of the core have none") {
  const auto files = of_library("opweave");
  CHECK(has(file(files, "opweave/dispatch/operators_00.cc"), "\"spread\", \"by\","));
}

}  // namespace
}  // namespace opweave::codegen

// The operators of ops.yaml against operators.lock.
#include "codegen/compare/lock.h"

#include <doctest/doctest.h>

#include "codegen/cli/model_files.h"
#include "codegen/files/files.h"

namespace opweave::codegen {
namespace {

TEST_CASE("nothing that callers of an operator see has changed unnoticed") {
  CommandLine line;
  line.ops = {"ops.yaml"};
  line.derivatives = {"derivatives.yaml"};
  const auto model = load_files(line);
  REQUIRE(model != nullptr);
  std::string error;
  const auto lock = read_file("operators.lock", error);
  INFO(error);
  REQUIRE(lock);
  std::string problems;
  for (const std::string& problem : check_lock(*lock, *model)) problems += problem + "\n";
  if (!problems.empty()) problems += kLockAdvice;
  INFO(problems);
  CHECK(problems.empty());
}

}  // namespace
}  // namespace opweave::codegen

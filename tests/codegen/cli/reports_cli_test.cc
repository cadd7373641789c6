// `opweave lint`, `opweave docs` and `opweave check --verbose` on the command line.
#include <doctest/doctest.h>

#include <fstream>

#include "codegen/cli/docs_command.h"
#include "codegen/cli/lint_command.h"
#include "codegen/files/files.h"
#include "tests/codegen/support/load.h"
#include "tests/support/folder.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

std::optional<CommandLine> parse(std::vector<const char*> arguments) {
  static const Emission* const kEmissions[] = {&core_emission()};
  return parse_command_line(arguments, kEmissions);
}

TEST_CASE("their options") {
  auto docs = parse({"docs", "--ops", "a", "--out", "o", "--kernels", "k", "--guide", "g",
                     "--kernel-dtypes", "d"});
  REQUIRE(docs);
  CHECK(docs->command == "docs");
  CHECK(docs->kernels == std::vector<std::string>{"k"});
  CHECK(docs->kernel_dtypes == "d");
  CHECK(docs->guides == std::vector<std::string>{"g"});
  CHECK_FALSE(parse({"docs", "--ops", "a"}));
  auto lint = parse({"lint", "--ops", "a", "--verbose", "--format", "json"});
  REQUIRE(lint);
  CHECK(lint->verbose);
  CHECK(lint->format == Format::json);
  auto check = parse({"check", "--ops", "a"});
  REQUIRE(check);
  CHECK_FALSE(check->verbose);
}

const char* const kOperators =
    "- func: pool(Tensor self) -> Tensor\n  kernels: [cpu]\n"
    "- func: pool_backward(Tensor grad_output, Tensor self) -> Tensor\n  kernels: [cpu]\n"
    "  samples: {self: real}\n";
const std::string kDerivatives =
    "- name: pool_backward\n  grad_output: grad\n  self: zero\n"
    "- name: pool\n  self: pool_backward(grad, self)\n";

TEST_CASE("the status of lint: whether something wants a reason") {
  const Loaded without(kOperators, kDerivatives);
  const Loaded with(kOperators, kDerivatives + "  keeps: So it is.\n");
  CommandLine line;
  CHECK(lint_model(line, *without.model) == 1);
  CHECK(lint_model(line, *with.model) == 0);
  line.format = Format::json;
  CHECK(lint_model(line, *without.model) == 1);
}

TEST_CASE("docs are written with the kernels that a folder has") {
  const Loaded loaded(kOperators, kDerivatives);
  const Folder folder;
  fs::create_directories(folder.path / "kernels" / "cpu");
  std::ofstream(folder.path / "kernels" / "cpu" / "all.cc")
      << "#include \"opweave/kernels/cpu/pool.h\"\n#include \"opweave/kernels/cpu/other.h\"\n"
         "Tensor pool(int);\nTensor Class::pool(int) {\n// pool(\n\nTensor pool(const Tensor& "
         "self,\n";
  std::ofstream(folder.path / "kernels" / "notes.txt")
      << "#include \"opweave/kernels/cpu/pool.h\"\n";
  CommandLine line;
  line.out = (folder.path / "out").string();
  line.kernels = {(folder.path / "kernels").string()};
  CHECK(write_docs(line, *loaded.model) == 0);
  std::string error;
  const auto page = read_file(line.out + "/ops/pool.html", error);
  REQUIRE(page);
  CHECK(page->find("kernels/cpu/all.cc:7</code>") != std::string::npos);
  CHECK(page->find("notes.txt") == std::string::npos);
  std::ofstream(folder.path / "guide.md") << "# Words\n";
  line.guides = {(folder.path / "guide.md").string()};
  CHECK(write_docs(line, *loaded.model) == 0);
  CHECK(read_file(line.out + "/guides/guide.html", error));
  line.kernel_dtypes = (folder.path / "dtypes.txt").string();
  CHECK(write_docs(line, *loaded.model) == 1);
  std::ofstream(line.kernel_dtypes) << "# remark: none\npool: int8, bool\n";
  CHECK(write_docs(line, *loaded.model) == 0);
  CHECK(read_file(line.out + "/ops/pool.html", error)->find("int8, bool") != std::string::npos);
  line.guides = {"no such file"};
  CHECK(write_docs(line, *loaded.model) == 1);
  line.guides.clear();
  line.kernels = {"no such folder"};
  CHECK(write_docs(line, *loaded.model) == 0);
  line.out = "/proc/no/such/folder";
  CHECK(write_docs(line, *loaded.model) == 1);
}

}  // namespace
}  // namespace opweave::codegen

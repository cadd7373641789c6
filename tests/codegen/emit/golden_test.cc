// The outputs for a few operators of every kind, line by line as they were last reviewed; and that
// tracing them changes nothing but comments.
#include "tests/codegen/support/golden.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <regex>

#include "codegen/emit/output/emit.h"
#include "codegen/emit/output/output_table.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

// The same options as those of `./dev goldens`.
Texts generated(bool trace = false) {
  const fs::path folder = "tests/codegen/emit/golden";
  const Loaded loaded(read_file(folder / "ops.yaml"), read_file(folder / "derivatives.yaml"));
  EmitOptions options;
  options.shards = options.kernel_shards = 1;
  options.trace = trace;
  return texts_of(emit_all(*loaded.model, options));
}

TEST_CASE("what is generated is what was reviewed") {
  check_reviewed(generated(), golden("tests/codegen/emit/golden/output"));
}

TEST_CASE("--trace adds to each line the place that printed it, and nothing else") {
  const std::regex stamp("(  //|/\\*|  #) codegen/emit/[a-z_/]+\\.cc:[0-9]+( \\*/ \\\\)?$");
  const Texts plain = generated();
  size_t stamps = 0;
  for (const auto& [name, text] : generated(/*trace=*/true)) {
    const auto traced = lines(text), expected = lines(plain.at(name));
    REQUIRE(traced.size() == expected.size());
    const bool has_comments = !name.ends_with(".txt") && !name.ends_with(".json");
    for (size_t i = 0; i < traced.size(); ++i) {
      INFO(name << ":" << i + 1);
      const std::string& line = expected[i];
      const std::string bare = std::regex_replace(traced[i], stamp, "");
      CHECK(bare == (line.ends_with('\\') ? line.substr(0, line.size() - 1) : line));
      const bool blank = line.find_first_not_of(' ') == std::string::npos;
      CHECK((traced[i] != line) == (has_comments && !blank));
      stamps += traced[i] != line;
    }
  }
  CHECK(stamps > 500);
}

}  // namespace
TEST_CASE("every file is of a line of the table of outputs") {
  for (const auto& [path, text] : generated()) {
    CAPTURE(path);
    CHECK(output_of(path) != nullptr);
  }
  CHECK(output_of("opweave/cpu/pointwise_03.cc")->path == "opweave/{target}/pointwise_{shard}.cc");
  CHECK(output_of("opweave/meta/pointwise_03.cc")->path == "opweave/meta/pointwise_{shard}.cc");
  CHECK(output_of("opweave/kernels/cpu/mm.h")->path == "opweave/kernels/{target}/{name}.h");
  CHECK(output_of("opweave/kernels/cuda.h")->path == "opweave/kernels/{target}.h");
  CHECK(output_of("opweave/kernels/cuda/mm.hpp") == nullptr);
  CHECK(output_of("opweave/ops/") == nullptr);
}

TEST_CASE("registration calls what the table says, in its order") {
  EmitOptions options{.library = "more", .shards = 1, .kernel_shards = 2};
  using Names = std::vector<std::string>;
  CHECK(registered_functions(Registrar::library, options) ==
        Names{"register_more_operators_00", "register_more_composites_00",
              "register_more_autograd_00", "register_more_forward_00", "register_more_batching_00",
              "register_more_autocast_00"});
  CHECK(registered_functions(Registrar::target, options, "cpu") ==
        Names{"register_more_pointwise_00", "register_more_pointwise_01"});
  CHECK(registered_functions(Registrar::target, options, "meta") ==
        Names{"register_more_pointwise_00"});
}

}  // namespace opweave::codegen

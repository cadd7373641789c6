// The examples of docs/yaml.md are right: they load, together, on top of the real operators.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "codegen/diagnostics/render.h"
#include "codegen/model/model.h"

namespace opweave::codegen {
namespace {

std::string read(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

TEST_CASE("the examples of the YAML page") {
  Inputs inputs;
  inputs.samples_required = true;
  inputs.imported_ops.push_back({"ops.yaml", read("ops.yaml")});
  std::string ops, derivatives;
  std::istringstream page(read("docs/yaml.md"));
  std::string line, block;
  bool inside = false;
  int examples = 0;
  while (std::getline(page, line)) {
    if (line == "```yaml") {
      inside = true;
    } else if (line == "```" && inside) {
      (block.starts_with("- func:") ? ops : derivatives) += block;
      block.clear();
      inside = false;
      ++examples;
    } else if (inside) {
      block += line + "\n";
    }
  }
  CHECK(examples >= 6);
  inputs.ops.push_back({"examples of operators", ops});
  inputs.derivatives.push_back({"examples of derivatives", derivatives});
  DiagnosticSink sink;
  auto sources = std::make_shared<Sources>();
  auto model = load_model(std::move(inputs), sources, sink);
  CHECK(render_all(sink) == "");
  REQUIRE(model);
  CHECK(model->operators().find("soft_sign_") != nullptr);
  CHECK(model->operators().find("soft_sign_backward_self") != nullptr);
}

}  // namespace
}  // namespace opweave::codegen

// The examples of docs/yaml.md are right: they load, together, on top of the real operators.
#include <doctest/doctest.h>

#include <set>
#include <sstream>

#include "codegen/diagnostics/render.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/model/model.h"
#include "codegen/shapes/samples.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {
namespace {

TEST_CASE("the examples of the YAML page") {
  Inputs inputs;
  inputs.samples_required = true;
  inputs.imported_ops.push_back({"ops.yaml", read_file("ops.yaml")});
  std::string ops, derivatives;
  std::istringstream page(read_file("docs/yaml.md"));
  std::string line, block;
  bool inside = false;
  int examples = 0;
  while (std::getline(page, line)) {
    if (line == "```yaml") {
      inside = true;
    } else if (line == "```" && inside) {
      (block.starts_with("- name:") ? derivatives : ops) += block;
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
  if (model) check_samples_taken(*model, sink);
  CHECK(render_all(sink) == "");
  REQUIRE(model);
  CHECK(model->operators().find("soft_sign_") != nullptr);
  CHECK(model->operators().find("soft_sign_backward_self") != nullptr);
}

// The words in backquotes of the table's row that begins so.
std::set<std::string> words_of_row(const std::string& page, const std::string& begin) {
  const size_t at = page.find("| " + begin + " |");
  REQUIRE(at != std::string::npos);
  std::istringstream row(page.substr(at, page.find('\n', at) - at));
  std::set<std::string> words;
  std::string word;
  for (bool inside = false; std::getline(row, word, '`'); inside = !inside) {
    std::erase(word, '\\');
    if (inside) words.insert(word);
  }
  return words;
}

// The functions and operators with these properties.
std::set<std::string> intrinsics_of(bool real, bool truth, bool bitwise) {
  std::set<std::string> words;
  for (const Intrinsic& intrinsic : intrinsics()) {
    const bool is_truth = intrinsic.result == ElementType::boolean;
    if (intrinsic.needs_float != real || is_truth != truth || intrinsic.bitwise != bitwise)
      continue;
    for (std::string_view word : {intrinsic.name, intrinsic.symbol}) {
      if (!word.empty()) words.emplace(word);
    }
  }
  return words;
}

TEST_CASE("the YAML page lists the functions of expressions") {
  const std::string page = read_file("docs/yaml.md");
  CHECK(words_of_row(page, "make floats of integers") == intrinsics_of(true, false, false));
  CHECK(words_of_row(page, "keep the dtype") == intrinsics_of(false, false, false));
  CHECK(words_of_row(page, "make truth values") == intrinsics_of(false, true, false));
  CHECK(words_of_row(page, "integers and booleans only") == intrinsics_of(false, false, true));
}

}  // namespace
}  // namespace opweave::codegen

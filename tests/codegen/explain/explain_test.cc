// Every rule is explained, and every explanation is true: its bad example breaks that rule and no
// other, the mended one none.
#include "codegen/explain/explain.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "codegen/diagnostics/render.h"
#include "codegen/emit/jax/jax.h"
#include "codegen/emit/stable/stable.h"
#include "codegen/emit/torch/torch.h"
#include "codegen/model/model.h"
#include "codegen/shapes/samples.h"

namespace opweave::codegen {
namespace {

// Only the core's files need every rule.
DiagnosticSink check(const Example& example, Code code, const std::shared_ptr<Sources>& sources) {
  Inputs inputs;
  inputs.known_targets = {"cpu", "cuda"};
  inputs.samples_required = true;
  inputs.rules_required = code == Code::missing_rule;
  inputs.ops.push_back({"ops.yaml", std::string(example.ops)});
  if (!example.derivatives.empty())
    inputs.derivatives.push_back({"derivatives.yaml", std::string(example.derivatives)});
  if (!example.target.empty())
    inputs.targets.push_back({"target.yaml", std::string(example.target)});
  if (!example.selection.empty())
    inputs.selection.push_back({"selection.yaml", std::string(example.selection)});
  DiagnosticSink sink;
  const auto model = load_model(std::move(inputs), sources, sink);
  if (model != nullptr) check_samples_taken(*model, sink);
  if (model != nullptr && code == Code::not_for_torch) check_torch(*model, sink);
  if (model != nullptr && code == Code::not_for_jax) check_jax(*model, sink);
  if (model != nullptr && code == Code::not_stable) check_stable(*model, sink);
  return sink;
}

TEST_CASE("the bad example of each rule breaks that rule and no other") {
  for (Code code : all_codes()) {
    const Explanation& found = explanation(code);
    if (found.bad.missing) continue;  // the command line's own test opens files
    const auto sources = std::make_shared<Sources>();
    const DiagnosticSink sink = check(found.bad, code, sources);
    CAPTURE(render_all(sink));
    CAPTURE(code_name(code));
    CHECK(sink.has_errors() != found.warns);
    CHECK(!sink.all().empty());
    for (const Diagnostic& diagnostic : sink.all())
      CHECK(code_name(diagnostic.code) == code_name(code));
  }
}

TEST_CASE("the mended example of each rule is right") {
  for (Code code : all_codes()) {
    const auto sources = std::make_shared<Sources>();
    const DiagnosticSink sink = check(explanation(code).good, code, sources);
    CAPTURE(code_name(code));
    CHECK(render_all(sink) == "");
  }
}

TEST_CASE("an explanation gives rule, reason and both examples") {
  CHECK(explain(Code::duplicate_key) ==
        "OW0004: a key is given once\n"
        "\n"
        "Of a key that is given twice, YAML readers take one and drop the other silently.\n"
        "\n"
        "This is an error:\n"
        "  ops.yaml\n"
        "    | - func: f(Tensor self) -> Tensor\n"
        "    |   expr: -self\n"
        "    |   doc: One.\n"
        "    |   doc: Two.\n"
        "\n"
        "This is right:\n"
        "  ops.yaml\n"
        "    | - func: f(Tensor self) -> Tensor\n"
        "    |   expr: -self\n"
        "    |   doc: One and two.\n");
  CHECK(explain(Code::derived_form).find("\n  derivatives.yaml\n    | - name: mul_.Tensor\n") !=
        std::string::npos);
  CHECK(explain(Code::unreadable_file).find("ops.yaml is not there") != std::string::npos);
  CHECK(explain(Code::encoding).find("Caf\uFFFD") != std::string::npos);
}

TEST_CASE("the list has a line for each code") {
  const std::string list = explain_all();
  CHECK(list.starts_with("OW0001  an input file can be read\n"));
  CHECK(static_cast<size_t>(std::count(list.begin(), list.end(), '\n')) == all_codes().size());
}

}  // namespace
}  // namespace opweave::codegen

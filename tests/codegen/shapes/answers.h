// What `opweave shapes` answers with the operators of the core.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "codegen/diagnostics/render.h"
#include "codegen/shapes/shapes.h"
#include "tests/support/read_file.h"

namespace opweave::codegen {

struct Shapes {
  std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  std::shared_ptr<const Model> model;

  Shapes() {
    Inputs inputs;
    inputs.ops.push_back({"ops.yaml", read_file("ops.yaml")});
    inputs.derivatives.push_back({"derivatives.yaml", read_file("derivatives.yaml")});
    DiagnosticSink sink;
    model = load_model(std::move(inputs), sources, sink);
    REQUIRE(model);
  }

  // The answer, or the error.
  std::string of(std::string_view call) const {
    DiagnosticSink sink;
    const std::string text = shapes_text(call, *model, *sources, sink);
    return sink.has_errors() ? sink.all().front().message : text;
  }
};

inline const Shapes& shapes() {
  static const Shapes all;
  return all;
}

}  // namespace opweave::codegen

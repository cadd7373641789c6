// What `opweave shapes` answers with the operators of the core.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "codegen/diagnostics/render.h"
#include "codegen/shapes/shapes.h"

namespace opweave::codegen {

inline std::string read(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

struct Shapes {
  std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  std::shared_ptr<const Model> model;

  Shapes() {
    Inputs inputs;
    inputs.ops.push_back({"ops.yaml", read("ops.yaml")});
    inputs.derivatives.push_back({"derivatives.yaml", read("derivatives.yaml")});
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

// Loads models from texts, for tests.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "codegen/diagnostics/render.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

struct Loaded {
  explicit Loaded(std::string ops, std::string derivatives = "", std::string imported = "") {
    Inputs inputs;
    inputs.ops.push_back({"ops.yaml", std::move(ops)});
    if (!derivatives.empty())
      inputs.derivatives.push_back({"derivatives.yaml", std::move(derivatives)});
    if (!imported.empty()) inputs.imported_ops.push_back({"imported.yaml", std::move(imported)});
    load(std::move(inputs));
  }
  explicit Loaded(Inputs inputs) { load(std::move(inputs)); }

  void load(Inputs inputs) {
    DiagnosticSink sink;
    model = load_model(std::move(inputs), sources, sink);
    INFO(render_all(sink));
    REQUIRE(model != nullptr);
  }

  // Of a model that lives longer than the expression it is asked in.
  const Operator& op(std::string_view full_name) const&& = delete;
  const Operator& op(std::string_view full_name) const& {
    const Operator* found = model->operators().find(full_name);
    INFO(full_name);
    REQUIRE(found != nullptr);
    return *found;
  }
  bool has(std::string_view full_name) const {
    return model->operators().find(full_name) != nullptr;
  }

  std::shared_ptr<Sources> sources = std::make_shared<Sources>();
  std::shared_ptr<const Model> model;
};

inline std::vector<std::string> argument_names(const Operator& op) {
  std::vector<std::string> names;
  for (const Argument& argument : op.schema.arguments) names.push_back(argument.name);
  return names;
}

// A typed formula as text: calls by full name, conversions as `type(value)`, defaults left out.
std::string print_formula(const FormulaNode& node, const Operator& op);

}  // namespace opweave::codegen

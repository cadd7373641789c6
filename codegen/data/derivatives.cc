// Backward and forward passes.
#include "codegen/data/derivatives.h"

#include <algorithm>

#include "codegen/data/formulas.h"
#include "codegen/data/values.h"
#include "codegen/data/words.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen::data {
namespace {

Json input_data(const BackwardPass::Input& input) {
  Json data = {{"argument", input.argument}};
  add_flag(data, "list", input.list);
  return data;
}

Json kept_data(const BackwardPass::Kept& kept) {
  const Saved& what = kept.what;
  Json data = {{"name", what.name}, {"kind", word(kSavedKinds, what.kind)}};
  if (what.kind == Saved::Kind::forward_value) {
    data["formula"] = formula_data(*what.node);
  } else {
    data[kept.of_result() ? "result" : "argument"] = what.index;
  }
  if (what.property != Property::count_) data["property"] = word(kProperties, what.property);
  data["type"] = print(what.type);
  add_flag(data, "shared", kept.shared);
  add_places(data, "only_for", kept.only_for);
  return data;
}

// Which kept value answers a leaf.
NodeNotes reads_of(const BackwardPass& pass) {
  return [&pass](const FormulaNode& node, Json& data) {
    const std::optional<BackwardPass::Read> read = pass.read_of(node);
    if (read) data["read"] = {{"kept", read->kept}, {"part", word(kReadParts, read->part)}};
    return read.has_value();
  };
}

Json step_data(const BackwardPass& pass, const BackwardPass::Step& step) {
  Json data = {{"arguments", step.arguments}};
  if (!step.is_zeros()) data["formula"] = formula_data(*step.formula, reads_of(pass));
  add_places(data, "reads", step.reads);
  add_places(data, "gradients", step.gradients);
  add_places(data, "runs_for", step.runs_for);
  add_places(data, "filled", step.filled);
  add_flag(data, "asks_mask", step.asks_mask);
  return data;
}

Json backward_data(const BackwardPass& pass) {
  Json results = Json::array();
  for (const bool has_history : pass.results) results.push_back(has_history);
  const auto gradient = [](ArgumentGradient g) { return word(kArgumentGradients, g); };
  const auto step = [&](const BackwardPass::Step& s) { return step_data(pass, s); };
  return {{"arguments", list_of(pass.arguments, gradient)},
          {"results", std::move(results)},
          {"inputs", list_of(pass.inputs, input_data)},
          {"kept", list_of(pass.kept, kept_data)},
          {"steps", list_of(pass.steps, step)}};
}

Json recording_data(const Recording& recording) {
  Json data = {{"way", word(kRecordWays, recording.way)}};
  if (recording.way == RecordWay::constant)
    data["written"] = word(kWrittenHistories, recording.written);
  if (recording.rewritten) data["rewritten"] = *recording.rewritten;
  add_flag(data, "moves_view", recording.moves_view);
  add_flag(data, "checks_results", recording.checks_results);
  add_places(data, "copied", recording.copied);
  return data;
}

// The place of the step whose formula this is; none of a formula that is written for tangents.
std::optional<size_t> step_with(const BackwardPass* pass, const FormulaNode* formula) {
  if (pass == nullptr) return std::nullopt;
  const auto found = std::ranges::find(pass->steps, formula, &BackwardPass::Step::formula);
  if (found == pass->steps.end()) return std::nullopt;
  return static_cast<size_t>(found - pass->steps.begin());
}

Json sum_data(const TangentSum& sum, const BackwardPass* pass) {
  const auto term = [&](const ForwardFormula::Term& t) {
    const std::optional<size_t> step = step_with(pass, t.formula);
    Json data = step ? Json{{"step", *step}} : Json{{"formula", formula_data(*t.formula)}};
    data["tangents"] = t.tangents;
    return data;
  };
  return {{"result", sum.output}, {"terms", list_of(sum.terms, term)}};
}

Json forward_data(const Operator& op) {
  const ForwardPass& pass = op.lowered->forward;
  Json data = {{"way", word(kForwardWays, pass.way)}};
  add_places(data, "inputs", pass.inputs);
  add_places(data, "outputs", pass.outputs);
  add_flag(data, "reads_written", pass.reads_written);
  const auto sum = [&](const TangentSum& s) { return sum_data(s, op.lowered->backward); };
  if (pass.by_functional) {
    data["sums_of"] = op.forms->functional->name.full;
  } else if (!pass.sums.empty()) {
    data["sums"] = list_of(pass.sums, sum);
  }
  return data;
}

// Whose backward pass it is, if it is shared.
const Operator* owner_of_pass(const Operator& op) {
  const bool shared = op.forms->functional != nullptr && op.forms->functional != &op &&
                      op.forms->functional->lowered->backward == op.lowered->backward;
  return shared ? op.forms->functional : nullptr;
}

}  // namespace

Json derivative_data(const Operator& op) {
  const Lowered& lowered = *op.lowered;
  Json data = {{"differentiable", word(kDifferentiability, op.gradient->differentiability)},
               {"recording", recording_data(lowered.recording)}};
  if (lowered.backward != nullptr) {
    const Operator* owner = owner_of_pass(op);
    if (owner != nullptr) {
      data["backward_of"] = owner->name.full;
    } else {
      data["backward"] = backward_data(*lowered.backward);
    }
    data["elements_read"] = {{"arguments", lowered.elements.arguments},
                             {"results", lowered.elements.results}};
  }
  data["forward"] = forward_data(op);
  return data;
}

}  // namespace opweave::codegen::data

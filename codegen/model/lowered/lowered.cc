// One lowered form for each derivative and operator.
#include "codegen/model/lowered/lowered.h"

#include <unordered_map>

#include "codegen/model/declarations/storage.h"

namespace opweave::codegen {
namespace {

// The schema that a derivative's places are of: an out form has more arguments.
const Schema& schema_of(const Operator& op) {
  const bool shared = op.forms->functional != nullptr &&
                      op.forms->functional->gradient->derivative == op.gradient->derivative;
  return shared ? op.forms->functional->schema : op.schema;
}

}  // namespace

std::vector<const FormulaNode*> Lowered::formulas() const {
  std::vector<const FormulaNode*> found;
  if (backward != nullptr) found = backward->formulas();
  for (const FormulaNode* formula : forward.formulas()) found.push_back(formula);
  return found;
}

std::shared_ptr<const LoweredStorage> lower(ModelStorage& storage) {
  auto lowered = std::make_shared<LoweredStorage>();
  std::unordered_map<const Derivative*, const BackwardPass*> passes;
  for (Operator& op : storage.operators) {
    const BackwardPass* pass = nullptr;
    if (op.gradient->derivative != nullptr) {
      const auto [known, is_new] = passes.try_emplace(op.gradient->derivative);
      if (is_new)
        known->second = &lowered->backward_passes.emplace_back(
            lower_backward(schema_of(op), *op.gradient->derivative));
      pass = known->second;
    }
    const Recording recording = lower_recording(op, pass);
    const HardwareKernel hardware = lower_hardware_kernel(op);
    const bool folds = op.elements->fold != nullptr && op.forms->form == Form::functional;
    const FoldProgram* const fold =
        folds ? &lowered->folds.emplace_back(lower_fold(op, storage.elements)) : nullptr;
    op.lowered.give(
        &lowered->forms.emplace_back(Lowered{.backward = pass,
                                             .recording = recording,
                                             .forward = lower_forward(op),
                                             .elements = elements_read(op),
                                             .batching = lower_batching(op, hardware.has_rule),
                                             .shared = lower_shared_kernel(op, recording.tracks),
                                             .hardware = hardware,
                                             .checked_dtypes = checked_dtypes(op),
                                             .fold = fold}));
  }
  return lowered;
}

}  // namespace opweave::codegen

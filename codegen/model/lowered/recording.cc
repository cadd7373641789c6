// How calls are recorded, from what operators are.
#include "codegen/model/lowered/recording.h"

#include <algorithm>

namespace opweave::codegen {
namespace {

// A generated kernel of an operator without gradient calls no other operator.
RecordWay way_without_gradient(const Operator& op) {
  return op.effects.mutated.empty() && op.is_expr() ? RecordWay::none : RecordWay::constant;
}

RecordWay way_of(const Operator& op, const BackwardPass* pass) {
  if (op.forms->form == Form::out) return RecordWay::out;
  const bool tensors = !op.tensor_arguments().empty();
  switch (op.gradient->differentiability) {
    case Differentiability::through:
      return RecordWay::none;
    case Differentiability::none:
      return way_without_gradient(op);
    case Differentiability::not_implemented:
      if (!tensors) return RecordWay::none;
      return op.loses_gradient() ? RecordWay::constant : RecordWay::not_implemented;
    case Differentiability::formula:
      if (!tensors) return RecordWay::none;
      // Of nothing but constants no gradient is asked for.
      return pass->inputs.empty() ? RecordWay::constant : RecordWay::node;
  }
  return RecordWay::none;
}

std::vector<uint16_t> copied(const Operator& op, const BackwardPass& pass) {
  std::vector<uint16_t> found;
  for (const BackwardPass::Kept& kept : pass.kept) {
    const bool argument = kept.what.kind == Saved::Kind::argument && kept.what.type.is_tensor();
    if (argument && op.schema.arguments[kept.what.index].type.is_mutated())
      found.push_back(kept.what.index);
  }
  return found;
}

bool tracks(const Operator& op, const Recording& recording) {
  if (op.forms->form == Form::out) return true;
  return op.gradient->differentiability != Differentiability::through &&
         (!op.effects.mutated.empty() || recording.makes_views);
}

}  // namespace

Recording lower_recording(const Operator& op, const BackwardPass* pass) {
  Recording recording;
  recording.way = way_of(op, pass);
  if (pass != nullptr && op.forms->form != Form::out) recording.refused = pass->refused();
  recording.makes_views = op.is_view() && op.gradient->differentiability != Differentiability::none;
  recording.tracks = tracks(op, recording);
  if (op.loses_gradient()) recording.written = WrittenHistory::lost;
  recording.checks_results = op.computation->implementation == Implementation::kernels &&
                             !op.is_view() && op.effects.mutated.empty();
  if (recording.way != RecordWay::node || op.effects.mutated.empty()) return recording;
  recording.rewritten = op.effects.mutated.front();
  recording.moves_view = op.is_view_of_rule();
  recording.copied = copied(op, *pass);
  return recording;
}

}  // namespace opweave::codegen

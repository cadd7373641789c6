// Batches, by what an entry says or what its operator is.
#include "codegen/model/lowered/batching.h"

#include <algorithm>

#include "codegen/model/declarations/roles.h"

namespace opweave::codegen {
namespace {

bool speaks_of_dims(const Operator& op) {
  return std::ranges::any_of(op.schema.arguments,
                             [&](const Argument& a) { return speaks_of_dims(op, a); });
}

bool is_random(const Operator& op) {
  return std::ranges::find(op.face->tags, "random") != op.face->tags.end() &&
         op.has_hardware_kernel();
}

BatchRule rule_by_itself(const Operator& op) {
  if (op.is_expr()) return BatchRule::pointwise;
  if (is_random(op)) return BatchRule::random;
  if (counts_dimensions(op) && speaks_of_dims(op)) return BatchRule::dims;
  const bool loops = op.has_hardware_kernel() && !op.tensor_arguments().empty();
  return loops ? BatchRule::loop : BatchRule::none;
}

// The result of what only writes has the dtype of what is written, whichever way its kernel
// promotes.
BatchNumbers numbers_of(const Operator& op) {
  if (!op.is_expr())
    return op.forms->form == Form::manual ? BatchNumbers::common : BatchNumbers::apart;
  const ComputeRule compute = op.elements->promotion.compute;
  if (compute == ComputeRule::common) return BatchNumbers::common;
  return compute == ComputeRule::int_to_float ? BatchNumbers::floats : BatchNumbers::own;
}

BatchRule rule_of(const Operator& op) {
  switch (op.policies->batching) {
    case Batching::pointwise:
      return BatchRule::pointwise;
    case Batching::same:
    case Batching::batch:
      return BatchRule::leading_dims;
    case Batching::loop:
      return BatchRule::loop;
    case Batching::sized:
    case Batching::dims:
      return BatchRule::dims;
    case Batching::none:
    case Batching::example:
      return BatchRule::none;
    case Batching::automatic:
      break;
  }
  return rule_by_itself(op);
}

}  // namespace

BatchPass lower_batching(const Operator& op, bool has_rule) {
  BatchPass pass{rule_of(op)};
  if (pass.rule == BatchRule::pointwise) pass.numbers = numbers_of(op);
  pass.checks_example =
      op.formulas->batching != nullptr && has_rule && !op.rule->requirements.empty();
  return pass;
}

}  // namespace opweave::codegen

// Kernels for all targets, from what operators are.
#include "codegen/model/lowered/shared_kernel.h"

#include <algorithm>

#include "codegen/model/lowered/out_dtypes.h"

namespace opweave::codegen {
namespace {

SharedWay way_of(const Operator& op) {
  if (op.formulas->composite != nullptr) return SharedWay::formula;
  if (op.computation->implementation == Implementation::derived) return SharedWay::written;
  if (op.is_view_of_rule()) return SharedWay::view;
  const bool handwritten = op.is_handwritten_composite() || op.has_target("every_target");
  return handwritten ? SharedWay::handwritten : SharedWay::none;
}

bool is_constant(const Operator& op) {
  const bool calls = op.formulas->composite != nullptr || op.has_target("every_target");
  const bool makes =
      op.forms->form == Form::functional && !op.is_view() && op.effects.mutated.empty();
  return calls && makes && op.gradient->differentiability == Differentiability::none &&
         !op.tensor_arguments().empty();
}

// Makes tensors from nothing: `out` then says the dtype and the device.
bool is_factory(const Operator& op) {
  return std::ranges::none_of(op.schema.arguments,
                              [](const Argument& a) { return a.type.base == BaseType::tensor; });
}

WriteWay write_way(const Operator& form) {
  if (form.forms->form == Form::inplace) return WriteWay::inplace;
  const Operator& functional = *form.forms->functional;
  const bool has_sizes = functional.policies->find_role(Role::sizes) >= 0;
  return is_factory(functional) && !has_sizes ? WriteWay::range : WriteWay::out;
}

Handed handed_to_functional(const Operator& form, const Argument& argument) {
  const Operator& functional = *form.forms->functional;
  const BaseType base = argument.type.base;
  if (form.forms->form == Form::out) {
    const bool follows =
        argument.type.optional && (base == BaseType::scalar_type || base == BaseType::device);
    if (is_factory(functional) && follows) return Handed::as_of_out;
    const bool asked = computes_as_out(functional) && base == BaseType::scalar_type;
    return asked ? Handed::asked_or_of_out : Handed::as_it_is;
  }
  const int index = form.schema.find_argument(argument.name);
  if (!form.schema.arguments[index].type.is_mutated()) return Handed::as_it_is;
  const bool through = form.gradient->differentiability == Differentiability::through;
  return through ? Handed::value_before_write : Handed::value_before_batched_write;
}

// Where the called operator has an out form as well, of as many results that may have the same
// dtypes, and nothing is checked on the way.
const FormulaNode* forwarded_call(const Operator& form) {
  if (form.forms->form != Form::out) return nullptr;
  const Operator& functional = *form.forms->functional;
  const Formulas& formulas = *functional.formulas;
  const FormulaNode* const formula = formulas.composite;
  const bool checks = !checked_dtypes(functional).empty() || functional.has_conditions();
  if (formula == nullptr || formula->kind != FormulaKind::call || checks) return nullptr;
  if (!formulas.parts.empty()) return nullptr;
  const Operator& called = *formula->op;
  const Operator* out = called.forms->out;
  const bool same_face = out != nullptr && !out->selected->left_out &&
                         called.schema.returns.size() == functional.schema.returns.size() &&
                         out_dtype(called) == out_dtype(functional);
  return same_face && !is_factory(called) && !computes_as_out(called) ? formula : nullptr;
}

void lower_write(const Operator& form, SharedKernel& kernel) {
  const Operator& functional = *form.forms->functional;
  kernel.write = write_way(form);
  // What a factory makes follows it, where it may.
  kernel.out_dtype = is_factory(functional) ? OutDtype::cast : out_dtype(functional);
  for (const Argument& argument : functional.schema.arguments)
    kernel.handed.push_back(handed_to_functional(form, argument));
  kernel.forwarded = forwarded_call(form);
  kernel.in_batches = form.forms->form == Form::out && functional.fills_results();
}

// The operator's own, or that of the one that its in-place form calls.
const Operator* view_of(const Operator& op) {
  if (op.effects.mutated.empty()) return &op;
  const bool calls = op.rule != nullptr && op.rule->like != nullptr;
  return calls ? op.rule->like->op : nullptr;
}

}  // namespace

std::vector<uint16_t> checked_dtypes(const Operator& op) {
  std::vector<uint16_t> checked;
  const Implementation implementation = op.computation->implementation;
  if (op.is_expr() || implementation == Implementation::derived) return checked;
  const std::vector<DTypeSet>& dtypes = op.dtypes->of_arguments;
  for (uint16_t i = 0; i < dtypes.size(); ++i) {
    const bool tensor = op.schema.arguments[i].type.is_tensor_like();
    if (tensor && (dtypes[i].bits & dtypes::kReal) != dtypes::kReal) checked.push_back(i);
  }
  return checked;
}

SharedKernel lower_shared_kernel(const Operator& op, bool tracked) {
  SharedKernel kernel;
  kernel.way = way_of(op);
  kernel.below_autograd = op.serves_every_target() && !tracked;
  kernel.constant = is_constant(op);
  kernel.checked =
      kernel.way == SharedWay::handwritten && (!checked_dtypes(op).empty() || op.has_conditions());
  if (kernel.way == SharedWay::view) kernel.view = view_of(op);
  if (kernel.way == SharedWay::written) lower_write(op, kernel);
  return kernel;
}

}  // namespace opweave::codegen

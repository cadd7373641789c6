// Gradients of a library's operators.
#include "runtime/stable/gradient.h"

#include <algorithm>
#include <bit>
#include <cctype>

#include "runtime/dispatch/call_errors.h"
#include "runtime/dispatch/registry.h"
#include "runtime/stable/node.h"
#include "runtime/stable/tables.h"

namespace opweave::stable {
namespace {

// "ScaledByBackward0" of "mine::scaled_by".
std::string node_name_of(std::string_view op) {
  std::string name;
  bool upper = true;
  for (const char c : plain_name(op)) {
    if (c != '_')
      name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name + "Backward0";
}

// The bits of a mask are places.
void check_mask(const OperatorEntry& op, const char* what, uint64_t mask, size_t count) {
  OW_CHECK(count >= 64 || mask >> count == 0, "the gradient of '", op.full_name(), "' speaks of ",
           what, " ", std::bit_width(mask) - 1, ": ", op.def().schema);
}

}  // namespace

Gradient::Gradient(const OperatorEntry& op, const OwGradient& given)
    : name_(node_name_of(op.def().name)), table_(read(given)) {
  const auto wanted = list(table_.saved, table_.num_saved);
  saved_.assign(wanted.begin(), wanted.end());
  OW_CHECK(table_.apply != nullptr, "the gradient of '", op.full_name(), "' has no function");
  check_mask(op, "argument", table_.constants | table_.refused, op.record().arguments.size());
  check_mask(op, "result", table_.constant_results, op.record().returns.size());
  const std::pair<const char*, size_t> kinds[] = {
      {"argument ", op.record().arguments.size()},
      {"result ", op.record().returns.size()},
      {"value of its arguments ", table_.of_arguments.count},
      {"value of its results ", table_.of_results.count},
  };
  for (const OwSaved& saved : saved_) {
    OW_CHECK(saved.kind < std::size(kinds), "the gradient of '", op.full_name(),
             "' saves something of the kind ", saved.kind, ", which there is not");
    const auto& [what, count] = kinds[saved.kind];
    OW_CHECK(saved.index < count, "the gradient of '", op.full_name(), "' saves ", what,
             saved.index, ": ", op.def().schema);
  }
}

namespace {

void refuse_inputs(const OperatorEntry& op, const Gradient& gradient, const Stack& arguments) {
  for (size_t i = 0; gradient.table().refused != 0 && i < arguments.size(); ++i) {
    if (gradient.refuses(i) && arguments[i].is_tensor())
      check_not_differentiated(op.full_name(), op.record().arguments[i].name,
                               arguments[i].to_tensor());
  }
}

bool wants_gradient(const Stack& arguments, const Gradient* gradient) {
  if (!grad_enabled()) return false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (gradient != nullptr && !gradient->differentiates(i)) continue;
    const IValue& v = arguments[i];
    if (v.is_tensor() && requires_grad(v.to_tensor())) return true;
    if (v.is_tensor_list() && requires_grad(v.to_tensor_list())) return true;
  }
  return false;
}

// The tensors that a call writes.
std::vector<Tensor> written_by(const OperatorEntry& op, const Stack& stack) {
  std::vector<Tensor> written;
  for (size_t i = 0; i < stack.size(); ++i) {
    const IValue& v = stack[i];
    if (!op.record().arguments[i].type.written) continue;
    if (v.is_tensor() && v.to_tensor().defined()) written.push_back(v.to_tensor());
    if (!v.is_tensor_list()) continue;
    written.insert(written.end(), v.to_tensor_list().begin(), v.to_tensor_list().end());
  }
  return written;
}

void set_histories(const Stack& results, const intrusive_ptr<LibraryNode>& node,
                   const Gradient& gradient) {
  for (size_t i = 0; i < results.size(); ++i) {
    const IValue& v = results[i];
    if (v.is_tensor_list()) {
      set_history(v.to_tensor_list(), node);
    } else if (v.is_tensor() && gradient.differentiates_result(i)) {
      set_history(v.to_tensor(), node);
    } else {
      node->add_undefined_input();
    }
  }
}

std::vector<Tensor> tensors_in(const Stack& stack) {
  std::vector<Tensor> tensors;
  for (const IValue& v : stack) {
    if (v.is_tensor()) tensors.push_back(v.to_tensor());
    if (!v.is_tensor_list()) continue;
    tensors.insert(tensors.end(), v.to_tensor_list().begin(), v.to_tensor_list().end());
  }
  return tensors;
}

// An argument that a kernel returns would get a history that is not its own.
void check_own(const OperatorEntry& op, std::span<const Tensor> arguments, const Stack& results) {
  for (const Tensor& result : tensors_in(results)) {
    opweave::check_own(plain_name(op.full_name()), result, TensorList(arguments));
  }
}

// What is written is no `out`.
bool writes_in_place(const OperatorEntry& op) {
  const int written = op.record().written();
  return written >= 0 && !op.record().arguments[static_cast<size_t>(written)].keyword_only;
}

intrusive_ptr<Node> node_without_gradient(const OperatorEntry& op, const Stack& stack,
                                          bool constant) {
  const std::vector<Tensor> arguments = tensors_in(stack);
  return constant ? overwritten_node(plain_name(op.def().name).data(), TensorList(arguments))
                  : not_implemented_node(op.full_name(), TensorList(arguments));
}

void call_overwriting(const OperatorEntry& op, DispatchKeySet keys, Stack& stack, bool constant) {
  std::vector<std::pair<Tensor, intrusive_ptr<Node>>> lost;
  for (const Tensor& t : written_by(op, stack)) {
    if (!grad_enabled() || !requires_grad(t)) continue;
    check_inplace(t, /*record=*/true);
    lost.emplace_back(t, node_without_gradient(op, stack, constant));
  }
  call_below_autograd(op, keys, stack);
  for (auto& [t, node] : lost) rebase_history(t, std::move(node));
}

}  // namespace

void call_unrecorded(const OperatorEntry& op, DispatchKeySet keys, Stack& stack, bool constant) {
  if (writes_in_place(op)) return call_overwriting(op, keys, stack, constant);
  check_out_no_grad(plain_name(op.def().name), wants_gradient(stack, nullptr));
  for (const Tensor& t : written_by(op, stack)) check_inplace(t, /*record=*/false);
  call_below_autograd(op, keys, stack);
}

void call_recorded(const OperatorEntry& op, DispatchKeySet keys, Stack& stack,
                   const Gradient& gradient) {
  refuse_inputs(op, gradient, stack);
  const std::vector<Tensor> written = written_by(op, stack);
  const bool record = wants_gradient(stack, &gradient);
  if (written.size() > 1) check_out_no_grad(plain_name(op.def().name), record);
  for (const Tensor& t : written) check_inplace(t, record);
  intrusive_ptr<LibraryNode> node;
  std::vector<Tensor> arguments;
  if (record) {
    arguments = tensors_in(stack);
    node = make_node<LibraryNode>(op, gradient, stack);
    node->save_arguments(stack);
  }
  call_below_autograd(op, keys, stack);
  if (!node) return;
  if (written.empty()) {
    check_own(op, arguments, stack);
    set_histories(stack, node, gradient);
  } else {
    rebase_history(written[0], node);
  }
  node->save_results(stack);
}

void call_without_gradient(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  const bool wanted = wants_gradient(stack, nullptr);
  const std::vector<Tensor> arguments = wanted ? tensors_in(stack) : std::vector<Tensor>();
  op.call_resolved(keys - DispatchKey::kAutograd, stack);
  if (!wanted) return;
  for (const Tensor& result : tensors_in(stack)) {
    if (!result.defined() || !result.is_differentiable() || result.requires_grad()) continue;
    set_history(result, not_implemented_node(op.full_name(), arguments));
  }
}

void call_below_autograd(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  const BelowAutograd below;
  op.call_resolved(keys - DispatchKey::kAutograd, stack);
}

void call_tracked(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  const std::vector<Tensor> written = written_by(op, stack);
  {
    const BelowADInplaceOrView below;
    op.call_resolved(keys - DispatchKey::kADInplaceOrView, stack);
  }
  for (const Tensor& t : written) increment_version(t, plain_name(op.def().name).data());
}

bool backward_needs(const OwBackward& call, uint32_t argument) { return call.node.needs(argument); }
IValue backward_saved(const OwBackward& call, uint32_t index) {
  const auto found = call.unpacked.find(index);
  if (found != call.unpacked.end()) return found->second;
  return call.unpacked.emplace(index, call.node.saved(index)).first->second;
}
Tensor backward_zeros(const OwBackward& call, uint32_t argument) {
  return call.node.zeros(argument, call.gradient);
}

}  // namespace opweave::stable

// Gradients of a library's operators.
#include "runtime/stable/gradient.h"

#include <cctype>

#include "opweave/ops/clone.h"
#include "runtime/autograd/generated.h"
#include "runtime/dispatch/call_errors.h"
#include "runtime/stable/errors.h"
#include "runtime/stable/tables.h"
#include "runtime/stable/values.h"

namespace opweave::stable {
namespace {

// "ScaledByBackward0" of "mine::scaled_by".
std::string node_name_of(std::string_view op) {
  std::string name;
  bool upper = true;
  const size_t colon = op.rfind(':');
  for (const char c : op.substr(colon == std::string_view::npos ? 0 : colon + 1)) {
    if (c != '_')
      name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '_';
  }
  return name + "Backward0";
}

// What a node keeps of one argument or result.
class SavedValue {
 public:
  SavedValue(const IValue& value, bool is_output) {
    if (value.is_tensor()) {
      tensors_.emplace_back(value.to_tensor(), is_output);
    } else if (value.is_tensor_list()) {
      list_ = true;
      tensors_ = save_list(value.to_tensor_list(), is_output);
    } else {
      value_ = value;
    }
  }
  IValue unpack(Node* by) const {
    if (list_) return unpack_list(tensors_, by);
    return tensors_.empty() ? value_ : IValue(tensors_[0].unpack(by));
  }
  void visit(SavedVisitor& visitor) const { visitor(tensors_); }

 private:
  std::vector<SavedTensor> tensors_;
  IValue value_;
  bool list_ = false;
};

}  // namespace

class LibraryNode final : public Node {
 public:
  LibraryNode(const OperatorEntry& op, const Gradient& gradient, const Stack& arguments)
      : op_(op), gradient_(gradient) {
    for (size_t i = 0; i < arguments.size(); ++i) add_edges(arguments[i], i);
  }

  const char* name() const override { return gradient_.node_name(); }
  TensorVec apply(TensorVec&& grads) override;
  void release_saved() override {
    released_ = true;
    saved_.clear();
  }
  void visit_saved(SavedVisitor& visitor) const override {
    for (const SavedValue& value : saved_) value.visit(visitor);
  }

  // Places of arguments and results in the order of the table: those of the other kind are left.
  void save(const Stack& stack, OwSavedKind kind);
  bool needs(uint32_t argument) const {
    const auto [first, count] = edges_.at(argument);
    return should_compute_outputs(first, count);
  }
  IValue saved(uint32_t index) {
    const auto& all = gradient_.saved();
    OW_CHECK(index < all.size(), name(), ": backward_saved(", index, "), but ", all.size(),
             " values are saved");
    return saved_.at(places_.at(index)).unpack(this);
  }

 private:
  void add_edges(const IValue& argument, size_t at);
  void store(TensorVec& inputs, size_t argument, const IValue& value) const;

  const OperatorEntry& op_;
  const Gradient& gradient_;
  std::vector<std::pair<size_t, size_t>> edges_;  // of each argument: the first, and how many
  std::vector<SavedValue> saved_;
  std::vector<size_t> places_ = std::vector<size_t>(gradient_.saved().size());
  bool released_ = false;
};

}  // namespace opweave::stable

struct OwBackward {
  opweave::stable::LibraryNode& node;
};

namespace opweave::stable {

void LibraryNode::add_edges(const IValue& argument, size_t at) {
  const size_t first = next_edges().size();
  const auto add = [&](const Tensor& t) {
    add_next_edge(gradient_.differentiates(at) && t.defined() ? gradient_edge(t) : Edge());
  };
  if (argument.is_tensor()) add(argument.to_tensor());
  if (argument.is_tensor_list()) {
    for (const Tensor& t : argument.to_tensor_list()) add(t);
  }
  edges_.emplace_back(first, next_edges().size() - first);
}

void LibraryNode::save(const Stack& stack, OwSavedKind kind) {
  for (size_t i = 0; i < gradient_.saved().size(); ++i) {
    const OwSaved& what = gradient_.saved()[i];
    if (what.kind != static_cast<uint32_t>(kind)) continue;
    places_[i] = saved_.size();
    const bool written =
        kind == OW_SAVE_ARGUMENT && op_.record().arguments[what.index].type.written;
    const IValue& value = stack[what.index];
    if (written) {
      saved_.emplace_back(clone_with_companion(value.to_tensor(), &ops::clone::call), false);
    } else {
      saved_.emplace_back(value, kind == OW_SAVE_RESULT);
    }
  }
}

TensorVec LibraryNode::apply(TensorVec&& grads) {
  if (released_) fail_released(name());
  TensorVec inputs(next_edges().size());
  std::vector<OwTensor> handles;
  bool any = false;
  for (const Tensor& grad : grads) {
    handles.push_back(handle_of(grad));
    any |= grad.defined();
  }
  if (!any) return inputs;
  OwResults results(edges_.size());
  const OwBackward call{*this};
  const OwGradient& table = gradient_.table();
  const OwStatus status = table.apply(table.context, &call, handles.data(),
                                      static_cast<uint32_t>(handles.size()), &results);
  if (status != OW_DONE) throw_kept(name());
  for (size_t i = 0; i < edges_.size(); ++i) store(inputs, i, results.values[i]);
  return inputs;
}

// The gradient of an argument, which may be a list of them.
void LibraryNode::store(TensorVec& inputs, size_t argument, const IValue& value) const {
  const auto [first, count] = edges_[argument];
  if (value.is_none()) return;
  const std::string_view name = op_.record().arguments[argument].name;
  if (value.is_tensor_list()) {
    const std::vector<Tensor>& list = value.to_tensor_list();
    OW_CHECK(list.size() == count, this->name(), ": the gradient of '", name, "' is a list of ",
             list.size(), " tensors, expected ", count);
    for (size_t i = 0; i < count; ++i) inputs[first + i] = list[i];
    return;
  }
  OW_CHECK(value.is_tensor() && count == 1, this->name(), ": the gradient of '", name, "' is a ",
           value.kind_name(), ", expected ", count == 1 ? "a Tensor" : "none or a list of tensors");
  inputs[first] = value.to_tensor();
}

Gradient::Gradient(const OperatorEntry& op, const OwGradient& given)
    : name_(node_name_of(op.def().name)), table_(read(given)) {
  const auto wanted = list(table_.saved, table_.num_saved);
  saved_.assign(wanted.begin(), wanted.end());
  OW_CHECK(table_.apply != nullptr, "the gradient of '", op.full_name(), "' has no function");
  for (const OwSaved& saved : saved_) {
    const bool argument = saved.kind == OW_SAVE_ARGUMENT;
    const size_t count = argument ? op.record().arguments.size() : op.record().returns.size();
    OW_CHECK(saved.kind <= OW_SAVE_RESULT && saved.index < count, "the gradient of '",
             op.full_name(), "' saves ", argument ? "argument " : "result ", saved.index, ": ",
             op.def().schema);
  }
}

namespace {

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

void set_histories(const Stack& results, const intrusive_ptr<LibraryNode>& node) {
  for (const IValue& v : results) {
    if (v.is_tensor_list()) {
      set_history(v.to_tensor_list(), node);
    } else if (v.is_tensor()) {
      set_history(v.to_tensor(), node);
    } else {
      node->add_undefined_input();
    }
  }
}

}  // namespace

void call_recorded(const OperatorEntry& op, DispatchKeySet keys, Stack& stack,
                   const Gradient* gradient) {
  const bool record = wants_gradient(stack, gradient);
  const std::vector<Tensor> written = written_by(op, stack);
  if (gradient == nullptr || written.size() > 1) check_out_no_grad(op.def().name, record);
  for (const Tensor& t : written) check_inplace(t, record);
  intrusive_ptr<LibraryNode> node;
  if (record) {
    node = make_node<LibraryNode>(op, *gradient, stack);
    node->save(stack, OW_SAVE_ARGUMENT);
  }
  {
    const BelowAutograd below;
    op.call_resolved(keys - DispatchKey::kAutograd, stack);
  }
  if (!node) return;
  if (written.empty()) {
    set_histories(stack, node);
  } else {
    rebase_history(written[0], node);
  }
  node->save(stack, OW_SAVE_RESULT);
}

namespace {

std::vector<Tensor> tensors_in(const Stack& stack) {
  std::vector<Tensor> tensors;
  for (const IValue& v : stack) {
    if (v.is_tensor()) tensors.push_back(v.to_tensor());
    if (!v.is_tensor_list()) continue;
    tensors.insert(tensors.end(), v.to_tensor_list().begin(), v.to_tensor_list().end());
  }
  return tensors;
}

}  // namespace

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

void call_tracked(const OperatorEntry& op, DispatchKeySet keys, Stack& stack) {
  const std::vector<Tensor> written = written_by(op, stack);
  {
    const BelowADInplaceOrView below;
    op.call_resolved(keys - DispatchKey::kADInplaceOrView, stack);
  }
  for (const Tensor& t : written) increment_version(t, op.def().name.data());
}

bool backward_needs(const OwBackward& call, uint32_t argument) { return call.node.needs(argument); }
IValue backward_saved(const OwBackward& call, uint32_t index) { return call.node.saved(index); }

}  // namespace opweave::stable

// The node of a library's operator in the graph.
#include "runtime/stable/node.h"

#include <algorithm>

#include "opweave/ops/clone.h"
#include "opweave/ops/zeros.h"
#include "runtime/stable/errors.h"
#include "runtime/stable/values.h"

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

void LibraryNode::save_computed(const OwSavedValues& values, const Stack& of, OwSavedKind kind) {
  if (values.compute == nullptr) return;
  const BelowAutograd below;
  const Arguments arguments(of);
  OwResults computed(values.count);
  const OwStatus status =
      values.compute(values.context, arguments.data(), arguments.size(), &computed);
  if (status != OW_DONE) throw_kept(name());
  for (size_t i = 0; i < gradient_.saved().size(); ++i) {
    const OwSaved& what = gradient_.saved()[i];
    if (what.kind != static_cast<uint32_t>(kind)) continue;
    places_[i] = saved_.size();
    saved_.emplace_back(computed.values[what.index], false);
  }
}

// Of what is not differentiated nobody has a gradient, and no formula reads one.
void LibraryNode::fill(TensorVec& grads) const {
  for (size_t i = 0; i < grads.size(); ++i) {
    const GradMetadata& wanted = input_metadata(i);
    if (!grads[i].defined() && wanted.defined())
      grads[i] = opweave::zeros(wanted.sizes(), wanted.dtype(), std::nullopt, wanted.device());
  }
}

TensorVec LibraryNode::apply(TensorVec&& grads) {
  if (released_) fail_released(name());
  TensorVec inputs(next_edges().size());
  std::vector<OwTensor> handles;
  const auto any = std::ranges::find_if(grads, &Tensor::defined);
  if (any == grads.end()) return inputs;
  if (gradient_.table().fills != 0) fill(grads);
  for (const Tensor& grad : grads) handles.push_back(handle_of(grad));
  OwResults results(edges_.size());
  const OwBackward call{*this, *any};
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

}  // namespace opweave::stable

// The base of generated backward nodes: a pass that runs them, and one that is compiled.
//
// Compiled autograd (torch._dynamo.config.compiled_autograd) does not run a node. It asks what the
// node keeps (compiled_args), and then for a call of a function without a state to put into a graph
// (apply_with_saved): what is kept are its arguments.
#pragma once

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/version.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 15
#define OPWEAVE_COMPILED_AUTOGRAD 1
#include <torch/csrc/dynamo/compiled_autograd.h>
#endif

#include "operators.h"

namespace opweave {

using torch::autograd::InputMetadata;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// Recent PyTorch counts nodes itself, older ones have std::shared_ptr do it.
template <class Node>
auto make_node() {
  if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, Node>)
    return c10::make_intrusive<Node>();
  else
    return std::shared_ptr<Node>(new Node(), [](auto* node) { deleteNode(node); });
}
template <class Node>
using NodePtr = decltype(make_node<Node>());

// What a node's own saved results ask for, so that a node does not hold itself.
template <class Node>
NodePtr<Node> self_reference(Node& node) {
  if constexpr (std::is_base_of_v<c10::intrusive_ptr_target, Node>)
    return NodePtr<Node>::unsafe_reclaim_from_nonowning(&node);
  else
    return std::static_pointer_cast<Node>(node.shared_from_this());
}

using Metadata = std::vector<std::optional<InputMetadata>>;

// What a formula asks of the pass that it is part of. Of a pass that runs the node knows, of a
// compiled one it was said beforehand.
class BackwardPass {
 public:
  explicit BackwardPass(torch::autograd::Node& node) : node_(&node) {}
  BackwardPass(std::vector<bool> wanted, Metadata inputs, Metadata results)
      : wanted_(std::move(wanted)), inputs_(std::move(inputs)), results_(std::move(results)) {}

  // Whether anybody asks for the gradient of an input.
  bool wants(size_t input) const {
    return node_ != nullptr ? node_->task_should_compute_output(input) : wanted_[input];
  }
  // The same for one of a list.
  bool wants(size_t first, size_t count) const {
    for (size_t i = 0; i < count; ++i) {
      if (wants(first + i)) return true;
    }
    return false;
  }
  // Of a gradient that is zero everywhere: an undefined one would say that there is none.
  Tensor zeros_for(size_t input) const {
    if (node_ == nullptr) return zeros(inputs_, input);
    const torch::autograd::Edge& edge = node_->next_edge(input);
    return edge.function->input_metadata(edge.input_nr).zeros_like();
  }
  // Of a result whose gradient nobody has: zeros, which are not written anywhere.
  Tensor gradient_or_zeros(const variable_list& gradients, size_t result) const {
    const Tensor& gradient = gradients[result];
    if (gradient.defined()) return gradient;
    return node_ != nullptr ? node_->input_metadata(result).zeros_like() : zeros(results_, result);
  }

 private:
  static Tensor zeros(const Metadata& metadata, size_t index) {
    TORCH_CHECK(index < metadata.size() && metadata[index].has_value(),
                "a compiled backward pass asks for zeros of an unknown shape");
    return metadata[index]->zeros_like();
  }

  torch::autograd::Node* node_ = nullptr;
  std::vector<bool> wanted_;
  Metadata inputs_, results_;
};

inline bool any_defined(const variable_list& gradients) {
  return std::ranges::any_of(gradients, [](const Tensor& gradient) { return gradient.defined(); });
}

#ifdef OPWEAVE_COMPILED_AUTOGRAD
namespace compiled {

using torch::dynamo::autograd::CompiledNodeArgs;
using torch::dynamo::autograd::IValuePacker;
using torch::dynamo::autograd::SwapSavedVariables;

// Each kind of what a node keeps: what it adds to the key of a compiled graph, and how it goes
// through the graph.
inline void collect(CompiledNodeArgs& args, const SavedVariable& kept, bool is_result) {
  args.collect(kept, is_result);
}
inline void collect(CompiledNodeArgs& args, const std::vector<SavedVariable>& kept,
                    bool is_result) {
  args.collect(kept, is_result);
}
inline void collect(CompiledNodeArgs& args, const c10::SymDimVector& kept, bool) {
  args.collect(c10::ArrayRef<c10::SymInt>(kept));
}
template <size_t N>
void collect(CompiledNodeArgs& args, const std::array<bool, N>& kept, bool) {
  for (const bool value : kept) args.collect(value);
}
template <class Kept>
void collect(CompiledNodeArgs& args, const Kept& kept, bool) {
  args.collect(kept);
}

// Numbers and the like are part of the key, and are not exchanged for what stands for them.
template <class Kept>
constexpr bool kIsExchanged =
    std::is_same_v<Kept, SavedVariable> || std::is_same_v<Kept, std::vector<SavedVariable>> ||
    std::is_same_v<Kept, c10::SymDimVector>;

// The values that go through a graph, and of which types Python is told that they are.
class Packed {
 public:
  template <class Value>
  void add(const Value& value) {
    values_.push_back(IValuePacker<Value>::pack(value));
    types_.push_back(IValuePacker<Value>::packed_type());
  }
  template <class Node>
  void add(const SavedVariable& kept, Node& node, bool is_result) {
    add(is_result ? kept.unpack(self_reference(node)) : kept.unpack());
  }
  template <class Node>
  void add(const std::vector<SavedVariable>& kept, Node& node, bool is_result) {
    std::vector<at::Tensor> tensors;
    for (const SavedVariable& one : kept)
      tensors.push_back(is_result ? one.unpack(self_reference(node)) : one.unpack());
    add(tensors);
  }
  template <class Node>
  void add(const c10::SymDimVector& sizes, Node&, bool) {
    add(std::vector<c10::SymInt>(sizes.begin(), sizes.end()));
  }
  template <class Value, class Node>
  void add(const Value& value, Node&, bool) {
    add(value);
  }
  const std::vector<at::IValue>& values() const { return values_; }
  const std::vector<at::TypePtr>& types() const { return types_; }

 private:
  std::vector<at::IValue> values_;
  std::vector<at::TypePtr> types_;
};

// The same values on the other side.
class Unpacked {
 public:
  explicit Unpacked(const std::vector<at::IValue>& values) : values_(values) {}

  template <class Value>
  Value next() {
    return IValuePacker<Value>::unpack(values_[at_++]);
  }
  void take(SavedVariable& kept) { kept = SavedVariable(next<at::Tensor>(), /*is_output=*/false); }
  void take(std::vector<SavedVariable>& kept) {
    for (const at::Tensor& tensor : next<std::vector<at::Tensor>>())
      kept.emplace_back(tensor, /*is_output=*/false);
  }
  void take(c10::SymDimVector& sizes) {
    const auto found = next<std::vector<c10::SymInt>>();
    sizes = c10::SymDimVector(found.begin(), found.end());
  }
  template <class Value>
  void take(Value& value) {
    value = next<Value>();
  }

 private:
  const std::vector<at::IValue>& values_;
  size_t at_ = 0;
};

// Tensors that are kept by a node of a graph go past the hooks of a program.
struct PastHooks {
  PastHooks() : before_(at::SavedTensorDefaultHooks::set_tracing(true)) {}
  ~PastHooks() { at::SavedTensorDefaultHooks::set_tracing(before_); }
  PastHooks(const PastHooks&) = delete;

 private:
  bool before_;
};

}  // namespace compiled
#endif

// `Derived` has compute(gradients, pass), each_saved(visit), which shows all that it keeps with
// whether it is of a result, and kResults: of how many results it reads the shape.
template <class Derived>
class BackwardNode : public torch::autograd::Node {
 public:
  // Two threads may go backwards through one node, and one may release it.
  variable_list apply(variable_list&& gradients) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return derived().compute(gradients, BackwardPass(*this));
  }

#ifdef OPWEAVE_COMPILED_AUTOGRAD
  void compiled_args(compiled::CompiledNodeArgs& args) const override {
    const_cast<BackwardNode&>(*this).derived().each_saved(
        [&](auto& kept, bool is_result) { compiled::collect(args, kept, is_result); });
    for (size_t i = 0; i < Derived::kResults; ++i) {
      if (!input_metadata(i).was_default_constructed()) args.collect(input_metadata(i));
    }
  }

  variable_list apply_with_saved(const variable_list& gradients,
                                 compiled::SwapSavedVariables& saved) override {
    exchange([&](auto& kept) { saved.before(kept); });
    const compiled::Packed packed = pack();
    const auto& compiler = torch::dynamo::autograd::getPyCompilerInterface();
    // Bound for each graph: what is kept may be of other types in the next one.
    const std::string function =
        compiler->bind_function(saved.get_py_compiler(), name(), &BackwardNode::apply_functional,
                                packed.types(), /*is_custom_function=*/true, /*is_traceable=*/true);
    variable_list found =
        compiler->call_function(saved.get_py_compiler(), "apply_functional", function, gradients,
                                packed.values(), compiled::IValuePacker<Metadata>::pack(edges()));
    exchange([&](auto& kept) { saved.after(kept); });
    return found;
  }

 private:
  Metadata edges() const { return torch::dynamo::autograd::get_input_metadata(next_edges()); }

  template <class Exchange>
  void exchange(Exchange each) {
    derived().each_saved([&](auto& kept, bool) {
      if constexpr (compiled::kIsExchanged<std::decay_t<decltype(kept)>>) each(kept);
    });
    for (size_t i = 0; i < Derived::kResults; ++i) {
      if (!input_metadata(i).was_default_constructed()) each(mutable_input_metadata(i));
    }
  }

  compiled::Packed pack() {
    compiled::Packed packed;
    derived().each_saved(
        [&](auto& kept, bool is_result) { packed.add(kept, derived(), is_result); });
    std::vector<bool> wanted;
    for (size_t i = 0; i < num_outputs(); ++i) wanted.push_back(task_should_compute_output(i));
    packed.add(wanted);
    packed.add(Derived::kMakesZeros ? edges() : Metadata());
    Metadata results;
    for (size_t i = 0; i < Derived::kResults; ++i) {
      const InputMetadata& result = input_metadata(i);
      results.push_back(result.was_default_constructed() ? std::nullopt : std::optional(result));
    }
    packed.add(results);
    return packed;
  }

  // The node as a function of what it keeps.
  static variable_list apply_functional(const variable_list& gradients,
                                        const std::vector<at::IValue>& values) {
    const compiled::PastHooks past_hooks;
    compiled::Unpacked unpacked(values);
    const NodePtr<Derived> node = make_node<Derived>();
    node->each_saved([&](auto& kept, bool) { unpacked.take(kept); });
    auto wanted = unpacked.next<std::vector<bool>>();
    auto inputs = unpacked.next<Metadata>();
    auto results = unpacked.next<Metadata>();
    return node->compute(gradients,
                         BackwardPass(std::move(wanted), std::move(inputs), std::move(results)));
  }
#endif

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }
};

}  // namespace opweave

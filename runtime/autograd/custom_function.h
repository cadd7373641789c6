// Functions with a handwritten gradient:
//
//   struct Square : ow::autograd::Function<Square> {
//     static Tensor forward(Context& ctx, const Tensor& x) {
//       ctx.save_for_backward({x});
//       return mul(x, x);
//     }
//     static std::vector<Tensor> backward(Context& ctx, TensorList grads) {
//       return {mul(grads[0], mul(ctx.saved_tensors()[0], 2))};
//     }
//   };
//   Tensor y = Square::apply(x);
#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/autograd/custom_node.h"
#include "runtime/autograd/record.h"
#include "runtime/core/base/error.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/ivalue.h"

namespace opweave {

// What forward and backward of one call share.
class FunctionContext {
 public:
  explicit FunctionContext(CustomNode& node) : node_(node) {}

  // --- in forward
  // --------------------------------------------------------------------------------- Inputs and
  // outputs only: anything else keeps its graph alive.
  void save_for_backward(TensorList tensors) {
    node_.marks().to_save.assign(tensors.begin(), tensors.end());
  }
  // Inputs that forward has changed in place. It must return them, too.
  void mark_dirty(TensorList tensors) {
    node_.marks().dirty.assign(tensors.begin(), tensors.end());
  }
  void mark_non_differentiable(TensorList tensors) {
    node_.marks().non_differentiable.assign(tensors.begin(), tensors.end());
  }
  // Whether backward gets zeros (the default) or undefined tensors for unused outputs.
  void set_materialize_grads(bool value) { node_.marks().materialize_grads = value; }

  // --- in backward
  std::vector<Tensor> saved_tensors() const { return node_.saved_tensors(); }

  // --- in both
  // ------------------------------------------------------------------------------------ Whether
  // the gradient of an argument of forward (counted without the context) is wanted.
  bool needs_input_grad(size_t argument) const {
    const auto [first, count] = arguments_.at(argument);
    for (size_t i = first; i < first + count; ++i) {
      if (node_.next_edge(i)) return true;
    }
    return false;
  }
  // Numbers and other values for backward.
  std::map<std::string, IValue> saved_data;

 private:
  template <class>
  friend class FunctionNode;

  CustomNode& node_;
  std::vector<std::pair<size_t, size_t>> arguments_;  // each one's first edge and their count
};

namespace detail {
std::string demangled(const char* type_name);

// Appends the tensors of an argument; others have none.
inline void append_tensors(std::vector<Tensor>& out, const Tensor& t) { out.push_back(t); }
inline void append_tensors(std::vector<Tensor>& out, TensorList list) {
  out.insert(out.end(), list.begin(), list.end());
}
inline void append_tensors(std::vector<Tensor>& out, const std::vector<Tensor>& list) {
  append_tensors(out, TensorList(list));
}
template <class T>
void append_tensors(std::vector<Tensor>&, const T&) {}
}  // namespace detail

template <class F>
class FunctionNode final : public CustomNode {
 public:
  FunctionNode() : context_(*this) {}

  const char* name() const override {
    static const std::string name = detail::demangled(typeid(F).name()) + "Backward";
    return name.c_str();
  }

  TensorVec apply(TensorVec&& grads) override {
    return run_backward(std::move(grads), [this](TensorVec&& one) { return inputs_of(one); });
  }

  template <class... Args>
  auto run_forward(const Args&... args) {
    std::vector<Tensor> inputs;
    (add_argument(inputs, args), ...);
    const bool record = begin_forward(inputs);
    auto result = [&] {
      NoGradGuard no_grad;
      return F::forward(context_, args...);
    }();
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(result)>, Tensor>) {
      return std::move(finish_forward({std::move(result)}, inputs, record)[0]);
    } else {
      return finish_forward(std::move(result), inputs, record);
    }
  }

 private:
  TensorVec inputs_of(const TensorVec& grads) {
    std::vector<Tensor> gradients = F::backward(context_, TensorList(grads));
    const size_t wanted = expected_gradients();
    OW_CHECK(gradients.size() == wanted, "function ", name(),
             " returned an incorrect number of gradients (expected ", wanted, ", got ",
             gradients.size(), ")");
    TensorVec inputs(next_edges().size());
    size_t next = 0;
    for (const auto& [first, count] : context_.arguments_) {
      if (count == 0) {
        OW_CHECK(!gradients[next].defined(), "function ", name(),
                 " returned a gradient different from None at position ", next + 1,
                 ", but the corresponding forward input was not a Variable");
        ++next;
      }
      for (size_t i = 0; i < count; ++i) inputs[first + i] = std::move(gradients[next++]);
    }
    return inputs;
  }

  template <class T>
  void add_argument(std::vector<Tensor>& inputs, const T& argument) {
    const size_t first = inputs.size();
    detail::append_tensors(inputs, argument);
    context_.arguments_.emplace_back(first, inputs.size() - first);
  }
  // One for every argument; a list has as many as elements.
  size_t expected_gradients() const {
    size_t n = 0;
    for (const auto& [first, count] : context_.arguments_) n += count == 0 ? 1 : count;
    return n;
  }

  FunctionContext context_;
};

}  // namespace opweave

namespace ow::autograd {

// The base of a function F with `static R forward(Context&, args…)`, R a tensor or a vector of
// them, and `static std::vector<Tensor> backward(Context&, TensorList)`, which returns a gradient
// for each argument: undefined for what is not a tensor, spread out for lists.
template <class F>
struct Function {
  using Context = opweave::FunctionContext;
  using Tensor = opweave::Tensor;
  using TensorList = opweave::TensorList;

  template <class... Args>
  static auto apply(const Args&... args) {
    return opweave::make_node<opweave::FunctionNode<F>>()->run_forward(args...);
  }
};

}  // namespace ow::autograd

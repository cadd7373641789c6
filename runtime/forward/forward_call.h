// One call with tangents among its arguments: computes the results as if there were none of its
// level, then their tangents.
#pragma once

#include "runtime/dispatch/boxing.h"
#include "runtime/forward/rules.h"
#include "runtime/forward/tangents.h"

namespace opweave {

class ForwardCall {
 public:
  // `level`: the highest among the arguments.
  ForwardCall(const OperatorEntry& op, const ForwardRuleDef& def, Stack& stack, int32_t level);

  // Leaves the results on the stack.
  void run();

  // --- for formulas -----------------------------------------------------------------------------
  template <class T>
  decltype(auto) argument(size_t i) {
    return Unbox<T>::get(arguments_[i]);
  }
  const Tensor& result(size_t i) { return results_[i].to_tensor(); }
  const std::vector<Tensor>& result_list(size_t i) { return results_[i].to_tensor_list(); }
  // Whether the argument, or a tensor of the list, has a tangent.
  bool has(size_t i) const { return !tangents_[i].is_none(); }
  // Zeros where there is none.
  Tensor tangent(size_t i) const;
  std::vector<Tensor> tangent_list(size_t i) const;
  // Adds a term to the tangent of a result.
  void add(size_t output, const Tensor& term);
  void add(size_t output, const std::vector<Tensor>& terms);

 private:
  void compute();
  void refuse_inputs();
  void refuse_lost();
  void keep_overwritten();
  void keep_overwritten_tangent();
  void collect();
  IValue tangents_of(const IValue& argument);
  const Tangent* tangent_in(const Tensor& t);
  void run_linear();
  bool by_gradients() const;
  void run_gradients();
  void attach_results();
  void attach_to(const Tensor& result, Tensor tangent);
  void write_to(const Tensor& written, Tensor tangent);
  void write_to_view(const Tensor& view, const Tensor& tangent);
  Tensor fitted(Tensor tangent, const Tensor& result) const;
  bool shares_memory(const Tensor& tangent) const;

  const OperatorEntry& op_;
  const ForwardRuleDef& def_;
  const int at_;  // the argument that is written; -1: none
  Stack& stack_;
  const int32_t level_;
  TangentLevelPtr level_ptr_;
  Stack arguments_;    // as the operator was given them
  Tensor written_;     // in place
  bool late_ = false;  // it had no tangent
  Stack tangents_;     // parallel to arguments_: none, a tensor, or a list with undefined tensors
  Stack results_;
  Stack sums_;  // parallel to results_: their tangents
};

// Recomputes the call with recording on and multiplies with its Jacobian by two backward passes.
// `tangents` and what is returned are parallel to arguments and results.
Stack reverse_tangents(const OperatorEntry& op, Stack arguments, const Stack& tangents);

// The same of an operator of elements, which has one result, of `sizes`, and a diagonal Jacobian:
// one call and one backward pass for each tangent, rounded as a gradient is. Where an argument's
// dtype weighs less for having no dimensions it is left to reverse_tangents(), which expands none.
Stack element_tangents(const OperatorEntry& op, const Stack& arguments, const Stack& tangents,
                       IntList sizes);

}  // namespace opweave

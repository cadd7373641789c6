// Gradients of a library's operators: its backward functions as nodes of the graph.
#pragma once

#include <string>
#include <vector>

#include "runtime/dispatch/operator.h"
#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

// What is known of an operator's gradient. One that has none says so to those who write.
class Gradient {
 public:
  // RuntimeError where the table speaks of arguments or results that the schema does not have.
  Gradient(const OperatorEntry& op, const OwGradient& table);

  const char* node_name() const { return name_.c_str(); }
  const std::vector<OwSaved>& saved() const { return saved_; }
  const OwGradient& table() const { return table_; }
  bool differentiates(size_t argument) const {
    return argument >= 64 || (table_.constants >> argument & 1) == 0;
  }
  bool refuses(size_t argument) const {
    return argument < 64 && (table_.refused >> argument & 1) != 0;
  }
  bool differentiates_result(size_t result) const {
    return result >= 64 || (table_.constant_results >> result & 1) == 0;
  }

 private:
  std::string name_;
  std::vector<OwSaved> saved_;
  OwGradient table_;
};

// The kernels for the keys Autograd and ADInplaceOrView. Of what writes and is not differentiated
// there is no gradient: writing to `out` what would be differentiated is an error, and from what is
// written in place flow zeros if it is `constant` (an expression's), or else an error.
void call_unrecorded(const OperatorEntry& op, DispatchKeySet keys, Stack& stack, bool constant);
void call_recorded(const OperatorEntry& op, DispatchKeySet keys, Stack& stack,
                   const Gradient& gradient);
// For the key Autograd of one without a gradient: what it calls is differentiated, and where it
// calls nothing the backward pass says so.
void call_without_gradient(const OperatorEntry& op, DispatchKeySet keys, Stack& stack);
// The same of one whose results never require a gradient: nothing that it calls is recorded.
void call_below_autograd(const OperatorEntry& op, DispatchKeySet keys, Stack& stack);
void call_tracked(const OperatorEntry& op, DispatchKeySet keys, Stack& stack);

// For OwApi.
bool backward_needs(const OwBackward& call, uint32_t argument);
IValue backward_saved(const OwBackward& call, uint32_t index);
// RuntimeError for an argument that is no tensor.
Tensor backward_zeros(const OwBackward& call, uint32_t argument);

}  // namespace opweave::stable

// What an operator's autograd kernel does to record its node.
#pragma once

#include <string_view>
#include <vector>

#include "runtime/autograd/node.h"
#include "runtime/autograd/view.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {

inline bool requires_grad(const Tensor& t) { return t.defined() && t.requires_grad(); }
inline bool requires_grad(TensorList list) {
  for (const Tensor& t : list) {
    if (requires_grad(t)) return true;
  }
  return false;
}
inline bool requires_grad(const std::vector<Tensor>& list) {
  return requires_grad(TensorList(list));
}

// Whether a node has to be recorded for a call with these tensors and lists of tensors.
template <class... Args>
bool compute_requires_grad(const Args&... args) {
  return grad_enabled() && (requires_grad(args) || ...);
}

namespace detail {
inline void collect_edges(Node& node, const Tensor& t) { node.add_next_edge(gradient_edge(t)); }
inline void collect_edges(Node& node, TensorList list) {
  for (const Tensor& t : list) collect_edges(node, t);
}
inline void collect_edges(Node& node, const std::vector<Tensor>& list) {
  collect_edges(node, TensorList(list));
}
}  // namespace detail

template <class... Args>
void Node::collect_next_edges(const Args&... args) {
  (detail::collect_edges(*this, args), ...);
}

// RuntimeError: what a kernel by hand returned is an argument, which would get a history that is
// not its own. `op` without namespace and overload.
[[noreturn, gnu::cold]] void fail_given_back(std::string_view op);

namespace detail {
inline bool is_among(const Tensor& result, const Tensor& t) {
  return t.defined() && t.is_same(result);
}
inline bool is_among(const Tensor& result, TensorList list) {
  for (const Tensor& t : list) {
    if (is_among(result, t)) return true;
  }
  return false;
}
inline bool is_among(const Tensor& result, const std::vector<Tensor>& list) {
  return is_among(result, TensorList(list));
}
}  // namespace detail

// Checks that a result of a kernel is none of its arguments, which are tensors and lists of them.
template <class... Args>
void check_own(std::string_view op, const Tensor& result, const Args&... args) {
  if ((detail::is_among(result, args) || ...)) [[unlikely]]
    fail_given_back(op);
}
template <class... Args>
void check_own(std::string_view op, const std::vector<Tensor>& results, const Args&... args) {
  for (const Tensor& result : results) check_own(op, result, args...);
}

// Makes `node`, which is new, the history of a result. Results are numbered in the order of these
// calls. One whose dtype has no gradients takes a number and stays without history.
inline void set_history(const Tensor& result, Node* node) {
  const uint32_t number = node->add_input_metadata(result);
  if (!result.defined() || !result.is_differentiable()) return;
  result.impl()->set_grad_fn(intrusive_ptr<RefCounted>::unshared(node), number);
}
void set_history(const std::vector<Tensor>& results, Node* node);
// The result is not differentiable: it takes a number and stays without history.
inline void skip_history(const Tensor&, Node* node) { node->add_undefined_input(); }
void skip_history(const std::vector<Tensor>& results, Node* node);

template <class Results, class N>
void set_history(const Results& results, const intrusive_ptr<N>& node) {
  set_history(results, static_cast<Node*>(node.get()));
}
template <class Results, class N>
void skip_history(const Results& results, const intrusive_ptr<N>& node) {
  skip_history(results, static_cast<Node*>(node.get()));
}

// A node for an operator whose gradient is declared but not implemented: throws when it runs.
intrusive_ptr<Node> make_not_implemented_node(std::string_view op);
template <class... Args>
intrusive_ptr<Node> not_implemented_node(std::string_view op, const Args&... args) {
  intrusive_ptr<Node> node = make_not_implemented_node(op);
  node->collect_next_edges(args...);
  return node;
}

// The node of an in-place operator without gradient, such as eq_: zeros flow back to its arguments.
// `name` lives for ever. To be made before the write.
intrusive_ptr<Node> make_overwritten_node(const char* name);
template <class... Args>
intrusive_ptr<Node> overwritten_node(const char* name, const Args&... args) {
  intrusive_ptr<Node> node = make_overwritten_node(name);
  node->collect_next_edges(args...);
  return node;
}

// A gradient of zeros for output `i` of the node, which has the shape and dtype that its edge
// wants. `like` is asked where the edge does not know.
Tensor zeros_for_input(const Node& node, size_t i, const Tensor& like);

// The gradient of result `i`; where nobody has one, zeros of the result's shape and dtype.
Tensor gradient_or_zeros(const Node& node, const TensorVec& grads, size_t i);

}  // namespace opweave

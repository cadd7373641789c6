// What autograd holds of Python's, for the cycle collector.
#include "bindings/python/core/autograd/autograd_references.h"

#include <array>

#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/autograd/hooks.h"
#include "bindings/python/core/autograd/saved_hooks.h"
#include "runtime/autograd/accumulate_grad.h"
#include "runtime/autograd/autograd_meta.h"

namespace opweave::python {
namespace {

// A graph may have millions of nodes: so many are searched behind a tensor.
constexpr size_t kMostNodes = 64;

int traverse_node(const Node& node, visitproc visit, void* arg) {
  Py_VISIT(context_of(node));
  if (node.extras() == nullptr) return 0;
  for (const auto& [number, hooks] : node.extras()->tensor_hooks) {
    if (const int result = visit_hooks<PyTensorHook>(hooks, visit, arg)) return result;
  }
  if (const int r = visit_hooks<PyNodePreHook>(node.extras()->pre_hooks, visit, arg)) return r;
  return visit_hooks<PyNodePostHook>(node.extras()->post_hooks, visit, arg);
}

// What a tensor holds that nothing else does.
int traverse_owned(TensorImpl& impl, visitproc visit, void* arg) {
  if (impl.use_count() != 1) return 0;
  if (impl.owns_pyobject()) Py_VISIT(static_cast<PyObject*>(impl.pyobject()));
  return traverse_autograd(impl, visit, arg);
}

int traverse_leaf(const Node& accumulator, visitproc visit, void* arg) {
  return traverse_owned(*static_cast<const AccumulateGrad&>(accumulator).leaf().impl(), visit, arg);
}

// The nodes behind one to which nobody refers but who visits: those to which nobody refers but one
// another.
class OwnedNodes final : public SavedVisitor {
 public:
  OwnedNodes(visitproc visit, void* arg) : visit_(visit), arg_(arg) {}

  int traverse(const Node& start) {
    refer_to(&start);
    for (size_t i = 0; i < owned_ && result_ == 0; ++i) traverse_one(*nodes_[i]);
    return result_;
  }

  // Packed tensors keep histories beside the edges.
  void visit(const SavedTensor& saved) override {
    if (result_ == 0) result_ = visit_packed(saved, visit_, arg_);
    refer_to(saved.packed_history());
  }
  void visit_node(const Node& node) override { refer_to(&node); }

 private:
  struct Shared {
    const Node* node;
    uint32_t references;
  };

  void traverse_one(const Node& node) {
    result_ = traverse_node(node, visit_, arg_);
    if (result_ == 0 && node.is_accumulator()) result_ = traverse_leaf(node, visit_, arg_);
    if (SavedTensor::any_packed()) node.visit_saved(*this);
    for (const Edge& edge : node.next_edges()) refer_to(edge.function.get());
  }

  // A node is owned as soon as all references to it were found.
  void refer_to(const Node* node) {
    if (node == nullptr || owned_ == kMostNodes) return;
    const auto all = static_cast<uint32_t>(node->use_count());
    if (all == 1 || found(node) == all) nodes_[owned_++] = node;
  }

  uint32_t found(const Node* node) {
    for (size_t i = 0; i < shared_count_; ++i) {
      if (shared_[i].node == node) return ++shared_[i].references;
    }
    if (shared_count_ < kMostNodes) shared_[shared_count_++] = {node, 1};
    return 1;
  }

  const visitproc visit_;
  void* const arg_;
  int result_ = 0;
  std::array<const Node*, kMostNodes> nodes_;
  std::array<Shared, kMostNodes> shared_;
  size_t owned_ = 0, shared_count_ = 0;
};

}  // namespace

int traverse_graph(const Node& start, visitproc visit, void* arg) {
  return start.use_count() == 1 ? OwnedNodes(visit, arg).traverse(start) : 0;
}

int traverse_autograd(TensorImpl& impl, visitproc visit, void* arg) {
  if (impl.grad_fn_slot()) {
    const auto& node = static_cast<const Node&>(*impl.grad_fn_slot());
    if (const int result = traverse_graph(node, visit, arg)) return result;
  }
  const auto* meta = static_cast<const AutogradMeta*>(impl.autograd_meta().get());
  if (meta == nullptr) return 0;
  if (meta->grad.defined()) {
    const TensorImpl& grad = *meta->grad.impl();
    if (grad.use_count() == 1 && grad.owns_pyobject()) {
      Py_VISIT(static_cast<PyObject*>(grad.pyobject()));
    }
  }
  if (const int result = visit_hooks<PyTensorHook>(meta->hooks, visit, arg)) return result;
  return visit_hooks<PyAccumulateHook>(meta->post_accumulate_hooks, visit, arg);
}

}  // namespace opweave::python

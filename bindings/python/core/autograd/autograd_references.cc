// What autograd holds of Python's, for the cycle collector.
#include "bindings/python/core/autograd/autograd_references.h"

#include <array>

#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/autograd/hooks.h"
#include "bindings/python/core/autograd/saved_hooks.h"
#include "bindings/python/core/objects/tensor_object.h"
#include "runtime/autograd/accumulate_grad.h"
#include "runtime/autograd/autograd_meta.h"

namespace opweave::python {
namespace {

// A graph may have millions of nodes: so many nodes and tensors are searched behind an object.
constexpr size_t kMost = 128;
// As deep lists and dictionaries of a context are searched.
constexpr int kMostLevels = 4;

// What one object of Python's keeps alive through autograd: the nodes and tensors to which nobody
// refers but that object and one another. Only what they hold may be shown to the collector as the
// object's; what somebody else refers to as well, a running backward pass for one, stays out.
class Owned final : public SavedVisitor {
 public:
  Owned(visitproc visit, void* arg) : visit_(visit), arg_(arg) {}

  // `start` has one reference, that of the object.
  int traverse(const Node& start) { return traverse(Item{&start, nullptr}); }
  int traverse(TensorImpl& start) { return traverse(Item{nullptr, &start}); }

  void visit(const SavedTensor& saved) override {
    if (result_ == 0) result_ = visit_packed(saved, visit_, arg_);
    refer_to(saved);
  }
  void visit_node(const Node& node) override { refer_to(&node); }

 private:
  // One of both.
  struct Item {
    const Node* node;
    TensorImpl* tensor;
  };
  struct Shared {
    const void* object;
    uint32_t references;
  };

  int traverse(Item start) {
    owned_[owned_count_++] = start;
    for (size_t i = 0; i < owned_count_ && result_ == 0; ++i) {
      owned_[i].node != nullptr ? look_into(*owned_[i].node) : look_into(*owned_[i].tensor);
    }
    return result_;
  }

  void show(PyObject* object) {
    if (object != nullptr && result_ == 0) result_ = visit_(object, arg_);
  }
  template <class PyHook, class List>
  void show_hooks(const List& hooks) {
    if (result_ == 0) result_ = visit_hooks<PyHook>(hooks, visit_, arg_);
  }

  void look_into(const Node& node) {
    if (PyObject* context = context_of(node)) look_into_context(context);
    node.visit_saved(*this);
    for (const Edge& edge : node.next_edges()) refer_to(edge.function.get());
    if (node.is_accumulator()) refer_to(static_cast<const AccumulateGrad&>(node).leaf());
    const NodeExtras* extras = node.extras();
    if (extras == nullptr) return;
    refer_to(extras->recorded_in.get());
    for (const auto& [number, hooks] : extras->tensor_hooks) show_hooks<PyTensorHook>(hooks);
    show_hooks<PyNodePreHook>(extras->pre_hooks);
    show_hooks<PyNodePostHook>(extras->post_hooks);
  }

  // The collector sees the context and what it refers to, but not the tensors that C++ keeps there.
  void look_into_context(PyObject* context) {
    show(context);
    if (Py_REFCNT(context) != 1) return;  // whoever else has it keeps them alive
    for (const SavedTensor& saved : as_context(context)->saved) refer_to(saved);
    look_into_object(as_context(context)->dict, 0);
  }

  // Finds the tensors behind an object once all references to it were found.
  void look_into_object(PyObject* object, int level) {
    if (object == nullptr || level > kMostLevels) return;
    const Py_ssize_t all = Py_REFCNT(object);
    if (all != 1 && found(object) != all) return;
    if (is_tensor(object)) {
      // One that belongs to its Python object alone is shown by that.
      const Tensor& tensor = reinterpret_cast<TensorObject*>(object)->tensor;
      if (tensor.defined() && tensor.impl()->use_count() > 1) refer_to(tensor);
    } else if (PyDict_CheckExact(object)) {
      PyObject *key, *value;
      for (Py_ssize_t i = 0; PyDict_Next(object, &i, &key, &value) != 0;) {
        look_into_object(value, level + 1);
      }
    } else if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
      for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
        look_into_object(PySequence_Fast_GET_ITEM(object, i), level + 1);
      }
    }
  }

  void look_into(TensorImpl& tensor) {
    if (tensor.owns_pyobject()) show(static_cast<PyObject*>(tensor.pyobject()));
    refer_to(static_cast<const Node*>(tensor.grad_fn_slot().get()));
    refer_to(tensor.view_base());
    const auto* meta = static_cast<const AutogradMeta*>(tensor.autograd_meta().get());
    if (meta == nullptr) return;
    refer_to(meta->grad);
    if (meta->retained_grad && meta->retained_grad.use_count() == 1) refer_to(*meta->retained_grad);
    show_hooks<PyTensorHook>(meta->hooks);
    show_hooks<PyAccumulateHook>(meta->post_accumulate_hooks);
  }

  void refer_to(const SavedTensor& saved) {
    refer_to(saved.kept());
    refer_to(saved.packed_history());
  }
  void refer_to(const Tensor& tensor) {
    if (tensor.defined()) refer_to(tensor.impl());
  }
  void refer_to(TensorImpl* tensor) {
    if (all_found(tensor)) owned_[owned_count_++] = {nullptr, tensor};
  }
  void refer_to(const Node* node) {
    if (all_found(node)) owned_[owned_count_++] = {node, nullptr};
  }

  // Counts a reference. Whether it was the last of all: now the object is owned.
  bool all_found(const RefCounted* object) {
    if (object == nullptr || owned_count_ == kMost) return false;
    const uint32_t all = object->use_count();
    return all == 1 || found(object) == all;
  }
  uint32_t found(const void* object) {
    for (size_t i = 0; i < shared_count_; ++i) {
      if (shared_[i].object == object) return ++shared_[i].references;
    }
    if (shared_count_ < kMost) shared_[shared_count_++] = {object, 1};
    return 1;
  }

  const visitproc visit_;
  void* const arg_;
  int result_ = 0;
  std::array<Item, kMost> owned_;
  std::array<Shared, kMost> shared_;
  size_t owned_count_ = 0, shared_count_ = 0;
};

}  // namespace

int traverse_graph(const Node& start, visitproc visit, void* arg) {
  return start.use_count() == 1 ? Owned(visit, arg).traverse(start) : 0;
}

int traverse_autograd(TensorImpl& impl, visitproc visit, void* arg) {
  const bool nothing = !impl.grad_fn_slot() && !impl.view_base() && !impl.autograd_meta();
  return nothing ? 0 : Owned(visit, arg).traverse(impl);
}

}  // namespace opweave::python

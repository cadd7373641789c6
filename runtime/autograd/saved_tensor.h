// SavedTensor: a tensor that a node keeps for its backward computation.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "runtime/autograd/node.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// What user hooks keep in the place of a saved tensor, and how the tensor is made from it again.
class PackedTensor : public RefCounted {
 public:
  virtual Tensor unpack() = 0;
};

// User functions that see every tensor saved while they are in force.
class SavedTensorHooks : public RefCounted {
 public:
  virtual intrusive_ptr<PackedTensor> pack(const Tensor& tensor) = 0;
};

// Puts hooks in force on this thread, inside those already there: the innermost are called.
class SavedTensorHooksGuard {
 public:
  explicit SavedTensorHooksGuard(intrusive_ptr<SavedTensorHooks> hooks);
  ~SavedTensorHooksGuard();
  SavedTensorHooksGuard(const SavedTensorHooksGuard&) = delete;

 private:
  intrusive_ptr<SavedTensorHooks> previous_;
};
// The same for callers without scopes. pop throws when there is nothing to pop.
void push_saved_tensor_hooks(intrusive_ptr<SavedTensorHooks> hooks);
void pop_saved_tensor_hooks();

class SavedTensor {
 public:
  SavedTensor() = default;
  // `is_output`: the tensor is a result of the node that saves it, and its history is already set.
  // It is kept without that history, because a node that owned itself would never be freed.
  SavedTensor(const Tensor& tensor, bool is_output);
  SavedTensor(SavedTensor&&) noexcept = default;
  SavedTensor& operator=(SavedTensor&&) noexcept = default;

  // The tensor, after a check that nobody has changed it since. `saved_by` is the node that holds
  // it. An output gets its history back where gradients are recorded.
  Tensor unpack(Node* saved_by) const;
  // The same, with its history in any case: for what users see.
  Tensor unpack_with_history(Node* saved_by) const;

  void reset() { *this = SavedTensor(); }
  bool defined() const { return data_.defined() || packed_; }

  // What it keeps: the tensor (undefined where hooks packed it),
  const Tensor& kept() const { return data_; }
  // or what hooks made of it, and the history it keeps besides; null without hooks.
  PackedTensor* packed() const;
  const Node* packed_history() const;

 private:
  struct Packed;
  struct PackedDeleter {
    void operator()(Packed* packed) const;
  };

  Tensor unpack(Node* saved_by, bool with_history) const;
  Tensor with_history(const Tensor& data, Node* saved_by) const;
  void pack(const Tensor& tensor);
  [[noreturn]] void fail_modified(const Node* saved_by) const;

  Tensor data_;
  uint32_t version_ = 0;
  uint32_t output_nr_ : 24 = 0;
  bool is_output_ : 1 = false;     // data_ is an alias without history
  bool was_computed_ : 1 = false;  // not a leaf when it was saved
  bool requires_grad_ : 1 = false;
  std::unique_ptr<Packed, PackedDeleter> packed_;  // by hooks, instead of data_
};

// Sees what a node has saved (Node::visit_saved).
class SavedVisitor {
 public:
  virtual void visit(const SavedTensor& saved) = 0;
  // One that is kept beside the edges.
  virtual void visit_node(const Node& node) = 0;
  void operator()(const SavedTensor& saved) { visit(saved); }
  void operator()(const std::vector<SavedTensor>& list) {
    for (const SavedTensor& saved : list) visit(saved);
  }

 protected:
  ~SavedVisitor() = default;
};

std::vector<SavedTensor> save_list(TensorList tensors, bool is_output = false);
std::vector<Tensor> unpack_list(const std::vector<SavedTensor>& saved, Node* saved_by);

// "Trying to backward through the graph a second time …"
[[noreturn]] void fail_released(std::string_view node_name);

}  // namespace opweave

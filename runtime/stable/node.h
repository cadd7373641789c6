// The node of a library's operator in the graph: what it keeps, and its backward function.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "runtime/autograd/generated.h"
#include "runtime/dispatch/operator.h"
#include "runtime/stable/gradient.h"

namespace opweave::stable {

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

  // Keeps what the table wants of the arguments, before the kernel runs, and of the results.
  void save_arguments(const Stack& stack) {
    save(stack, OW_SAVE_ARGUMENT);
    save_computed(gradient_.table().of_arguments, stack, OW_SAVE_OF_ARGUMENTS);
  }
  void save_results(const Stack& stack) {
    save(stack, OW_SAVE_RESULT);
    save_computed(gradient_.table().of_results, stack, OW_SAVE_OF_RESULTS);
  }
  bool needs(uint32_t argument) const {
    const auto [first, count] = edges_of("backward_needs", argument);
    return should_compute_outputs(first, count);
  }
  Tensor zeros(uint32_t argument, const Tensor& like) const {
    const auto [first, count] = edges_of("backward_zeros", argument);
    OW_CHECK(count == 1, name(), ": backward_zeros(", argument, "): the argument is no tensor");
    return zeros_for_input(*this, first, like);
  }
  IValue saved(uint32_t index) {
    const auto& all = gradient_.saved();
    OW_CHECK(index < all.size(), name(), ": backward_saved(", index, "), but ", all.size(),
             " values are saved");
    return saved_.at(places_.at(index)).unpack(this);
  }

 private:
  // Of an argument: the first, and how many.
  const std::pair<size_t, size_t>& edges_of(const char* asked, uint32_t argument) const {
    OW_CHECK(argument < edges_.size(), name(), ": ", asked, "(", argument, "), but there are ",
             edges_.size(), " arguments");
    return edges_[argument];
  }

  void add_edges(const IValue& argument, size_t at);
  // Places are those of the table: what is of another kind is left.
  void save(const Stack& stack, OwSavedKind kind);
  void save_computed(const OwSavedValues& values, const Stack& of, OwSavedKind kind);
  void fill(TensorVec& grads) const;
  void store(TensorVec& inputs, size_t argument, const IValue& value) const;

  const OperatorEntry& op_;
  const Gradient& gradient_;
  std::vector<std::pair<size_t, size_t>> edges_;  // of each argument: the first, and how many
  std::vector<SavedValue> saved_;
  std::vector<size_t> places_ = std::vector<size_t>(gradient_.saved().size());
  bool released_ = false;
};

}  // namespace opweave::stable

// One step of a backward pass, for the library.
struct OwBackward {
  opweave::stable::LibraryNode& node;
  const opweave::Tensor& gradient;  // one that is defined
  // What was asked for already: hooks see it unpacked once.
  mutable std::map<uint32_t, opweave::IValue> unpacked = {};
};

// CustomNode: the node of a function that a user wrote, in C++ or in Python.
#pragma once

#include <vector>

#include "runtime/autograd/node.h"
#include "runtime/autograd/saved_tensor.h"
#include "runtime/core/tensor.h"

namespace opweave {

// What the user's forward said about its tensors.
struct CustomMarks {
  std::vector<Tensor> to_save;
  std::vector<Tensor> dirty;  // inputs changed in place
  std::vector<Tensor> non_differentiable;
  bool materialize_grads = true;  // backward gets zeros where a gradient is undefined
};

class CustomNode : public Node {
 public:
  CustomMarks& marks() { return marks_; }
  // What to_save held, with its history.
  std::vector<Tensor> saved_tensors();
  void release_saved() override;
  void visit_saved(SavedVisitor& visit) const override { visit(saved_); }

  // After the forward function, which ran without recording: gives its results their history, saves
  // tensors, and returns what the caller gets. `inputs` are all its tensor arguments. When nothing
  // is recorded (`record` is false), results are only kept apart from the inputs. Undefined results
  // stand for what is not a tensor.
  std::vector<Tensor> finish_forward(std::vector<Tensor> results, TensorList inputs, bool record);

 protected:
  // Zeros for undefined gradients, where the function wants that.
  void materialize(TensorVec& grads) const;

 private:
  Tensor finish_result(Tensor result, TensorList inputs, size_t count, bool record);
  void write_history(const Tensor& result, bool is_input, size_t count);
  void save();

  CustomMarks marks_;
  std::vector<SavedTensor> saved_;
  bool released_ = false;
};

}  // namespace opweave

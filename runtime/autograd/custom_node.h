// CustomNode: the node of a function that a user wrote, in C++ or in Python; and what such
// functions, and hooks, see under vmap: one example of a tensor, while autograd records the tensors
// that stand for all of them. Vmap lies above autograd and hands in what it knows.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "runtime/autograd/node.h"
#include "runtime/autograd/saved_tensor.h"
#include "runtime/autograd/tensor_vec.h"
#include "runtime/core/base/ref_counted.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave {

// The examples that the tensors of a call stand for, and the vmaps that it was made in.
class Examples : public RefCounted {
 public:
  // The tensor of all examples, which count its dimensions in front. One that is the same for some
  // is repeated for them. An undefined tensor stays so.
  virtual Tensor all(const Tensor& one) const = 0;
  // The reverse, to be used inside of the call's vmaps.
  virtual Tensor one(const Tensor& all) const = 0;
  // Whether `t` differs between no other examples than these.
  virtual bool cover(const Tensor& t) const = 0;
  // How many dimensions in front count them.
  virtual size_t dims() const = 0;
  // Runs a function of examples inside of the call's vmaps, wherever this thread is, on the
  // examples of `all`; the tensors of all examples of what it returns.
  using Function = std::function<TensorVec(TensorVec&&)>;
  virtual TensorVec run(TensorVec&& all, const Function& function) const = 0;
};
using ExamplesPtr = intrusive_ptr<const Examples>;

// The vmaps that a thread runs in, as a whole; null: none.
using VmapsPtr = intrusive_ptr<const RefCounted>;

// What vmap hands in, when the first one runs.
struct ExampleFunctions {
  ExamplesPtr (*of)(TensorList tensors);
  Tensor (*recorded)(const Tensor& t);
  VmapsPtr (*outermost)(size_t depth);
  void (*run_in)(const VmapsPtr& vmaps);
};
void set_example_functions(const ExampleFunctions* functions);

// The outermost `depth` of the vmaps that this thread runs in, to be taken up again: elsewhere or
// later.
VmapsPtr outermost_vmaps(size_t depth);
void run_in_vmaps(const VmapsPtr& vmaps);

// Null where the tensors stand for themselves alone.
ExamplesPtr examples_of(TensorList tensors);
// The tensor that autograd knows: that of all examples of `t`, or `t` itself.
Tensor recorded(const Tensor& t);

// The tensor of all examples and back, where there are any.
inline Tensor all_of(const ExamplesPtr& examples, const Tensor& one) {
  return examples ? examples->all(one) : one;
}
inline Tensor one_of(const ExamplesPtr& examples, const Tensor& all) {
  return examples ? examples->one(all) : all;
}
// `all` as an example; `one` itself where that is what stands for it.
Tensor example_again(const ExamplesPtr& examples, const Tensor& all, const Tensor& one);

// RuntimeError where a result of `function` differs between examples of which no argument knows.
void check_covered(const ExamplesPtr& examples, const Tensor& result, std::string_view function);

// A result to which no gradient comes: a backward that asks for zeros gets some of its kind.
void note_without_gradient(Node& node, const ExamplesPtr& examples, const Tensor& result);

// --- gradients by tensors of examples
// The gradient of root number `i` of a backward pass in the form in which the root is recorded:
// ones where none is given.
Tensor gradient_of_all(const Tensor& root, const Tensor& given, size_t i);
// The gradients of `roots` by `inputs`, which are those of all examples, as examples. RuntimeError
// for an input that is the same for examples between which a root differs: theirs would be added.
void take_examples(std::vector<Tensor>& gradients, TensorList inputs, TensorList roots);

// --- nodes
// What the user's forward said about its tensors.
struct CustomMarks {
  std::vector<Tensor> to_save;
  std::vector<Tensor> dirty;  // inputs changed in place
  std::vector<Tensor> non_differentiable;
  bool materialize_grads = true;  // backward gets zeros where a gradient is undefined
};

// Gradients of examples that are too large by broadcasting, summed to the sizes of the inputs: the
// engine, which does so elsewhere, sees the dimensions of examples in front.
void fit_examples(const Node& node, size_t dims, TensorVec& gradients);

// Where a functionality above autograd differentiates forwards: whether it does so by one of these.
using DifferentiatesForwards = bool (*)(TensorList tensors);
void set_differentiates_forwards(DifferentiatesForwards ask);

class CustomNode : public Node {
 public:
  CustomMarks& marks() { return marks_; }
  // What to_save held, with its history.
  std::vector<Tensor> saved_tensors();
  void release_saved() override;
  void visit_saved(SavedVisitor& visit) const override { visit(saved_); }

  // Before the forward function: links the node to the histories of `inputs`, all its tensor
  // arguments. Whether the call is recorded.
  bool begin_forward(TensorList inputs);
  // After the forward function, which ran without recording: gives its results their history, saves
  // tensors, and returns what the caller gets. When nothing is recorded (`record` is false),
  // results are only kept apart from the inputs. Undefined results stand for what is not a tensor.
  std::vector<Tensor> finish_forward(std::vector<Tensor> results, TensorList inputs, bool record);

 protected:
  // The gradients of the inputs, one for each edge, as `backward` computes them from those of the
  // results: with zeros for undefined ones, where the function wants that, and of examples under
  // vmap.
  TensorVec run_backward(TensorVec&& grads, const Examples::Function& backward) const;

 private:
  Tensor finish_result(Tensor result, TensorList inputs, size_t count, bool record);
  Tensor with_history(const Tensor& all, bool is_input, bool dirty, size_t count);
  void write_history(const Tensor& result, bool is_input, size_t count);
  void save();
  void materialize(TensorVec& grads) const;

  CustomMarks marks_;
  std::vector<SavedTensor> saved_;
  ExamplesPtr examples_;                            // of the inputs
  std::vector<std::pair<Tensor, Tensor>> results_;  // of examples, and of all: while they are saved
  bool released_ = false;
};

}  // namespace opweave

// backward() and gradients(): checks of what users pass, and their messages.
#include "runtime/autograd/api.h"

#include "runtime/autograd/autograd_meta.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/autograd/engine.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/core/base/error.h"

namespace opweave {
namespace {

Tensor root_gradient(const Tensor& tensor, const Tensor& given, size_t i) {
  if (given.defined()) {
    OW_CHECK(same_sizes(given.sizes(), tensor.sizes()), "Mismatch in shape: grad_output[", i,
             "] has a shape of ", given.sizes(), " and output[", i, "] has a shape of ",
             tensor.sizes(), ".");
    OW_CHECK(
        is_complex(given.dtype()) == is_complex(tensor.dtype()),
        "For complex Tensors, both grad_output and output are required to have the same dtype. "
        "Mismatch in dtype: grad_output[",
        i, "] has a dtype of ", given.dtype(), " and output[", i, "] has a dtype of ",
        tensor.dtype(), ".");
    return given;
  }
  OW_CHECK(!is_complex(tensor.dtype()),
           "grad can be implicitly created only for real scalar outputs but got ", tensor.dtype());
  OW_CHECK(tensor.numel() == 1, "grad can be implicitly created only for scalar outputs");
  return engine_ops::ones_like(tensor);
}

void add_root(const Tensor& tensor, const Tensor& given, size_t i, std::vector<Edge>& roots,
              std::vector<Tensor>& grads) {
  OW_CHECK(tensor.defined(), "element ", i, " of tensors is undefined");
  const Tensor known = recorded(tensor);
  Edge edge = gradient_edge(known);
  OW_CHECK(edge, "element ", i, " of tensors does not require grad and does not have a grad_fn");
  grads.push_back(root_gradient(known, gradient_of_all(tensor, given, i), i));
  roots.push_back(std::move(edge));
}

std::vector<Tensor> run(TensorList tensors, TensorList given, std::span<const Edge> inputs,
                        const BackwardOptions& options) {
  OW_CHECK(given.empty() || given.size() == tensors.size(), "got ", tensors.size(), " tensors and ",
           given.size(), " gradients");
  std::vector<Edge> roots;
  std::vector<Tensor> grads;
  for (size_t i = 0; i < tensors.size(); ++i) {
    add_root(tensors[i], given.empty() ? Tensor() : given[i], i, roots, grads);
  }
  return run_backward(std::move(roots), std::move(grads), inputs, options);
}

// Where the input's gradient arrives. A leaf gets its node here if it has none: it may be an output
// too.
Edge input_edge(const Tensor& input) {
  const Tensor known = recorded(input);
  OW_CHECK(known.defined() && known.requires_grad(),
           "One of the differentiated Tensors does not require grad");
  return gradient_edge(known);
}

}  // namespace

void backward(TensorList tensors, TensorList grads, std::optional<bool> retain_graph,
              bool create_graph, TensorList inputs) {
  std::vector<Edge> edges;
  for (const Tensor& input : inputs) {
    edges.push_back(input_edge(input));
    if (const Tensor known = recorded(input); !is_leaf(known)) retain_grad(known);
  }
  run(tensors, grads, edges, {retain_graph.value_or(create_graph), create_graph, true});
}

std::vector<Tensor> gradients_at(TensorList outputs, std::span<const Edge> inputs,
                                 TensorList grad_outputs, const GradOptions& options) {
  OW_CHECK(!inputs.empty(), "grad requires non-empty inputs.");
  std::vector<Tensor> results =
      run(outputs, grad_outputs, inputs,
          {options.retain_graph.value_or(options.create_graph), options.create_graph, false});
  for (const Tensor& gradient : results) {
    OW_CHECK(gradient.defined() || options.allow_unused || options.materialize_grads,
             "One of the differentiated Tensors appears to not have been used in the graph. Set "
             "allow_unused=True if this is the desired behavior.");
  }
  return results;
}

std::vector<Tensor> gradients(TensorList outputs, TensorList inputs, TensorList grad_outputs,
                              const GradOptions& options) {
  std::vector<Edge> edges;
  for (const Tensor& input : inputs) edges.push_back(input_edge(input));
  std::vector<Tensor> results = gradients_at(outputs, edges, grad_outputs, options);
  take_examples(results, inputs, outputs);
  for (size_t i = 0; i < inputs.size() && options.materialize_grads; ++i) {
    if (results[i].defined()) continue;
    results[i] = engine_ops::zeros_like(inputs[i]);
    // Like the others they can be differentiated, to zeros.
    if (options.create_graph && is_differentiable(inputs[i].dtype()))
      set_requires_grad(results[i], true);
  }
  return results;
}

namespace {

GraphTask& running_task() {
  OW_CHECK(current_graph_task() != nullptr,
           "Final callbacks can only be installed during backward pass.");
  return *current_graph_task();
}

}  // namespace

void queue_backward_callback(std::function<void()> done,
                             std::function<void(const std::exception_ptr&)> failed) {
  running_task().add_callback({std::move(done), std::move(failed)});
}

BackwardCall current_backward_call() {
  const GraphTask& task = running_task();
  return {task.accumulates(), task.restricted(), task.depth() > 0};
}

bool current_backward_reaches(const Tensor& leaf) {
  return running_task().wants(gradient_edge(leaf).function.get());
}

}  // namespace opweave

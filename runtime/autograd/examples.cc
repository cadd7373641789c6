// The examples of a call: what vmap has handed in, and gradients by them.
#include <algorithm>
#include <atomic>

#include "runtime/autograd/custom_node.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/core/base/error.h"

namespace opweave {
namespace {

std::atomic<const ExampleFunctions*> known{nullptr};

bool is_plain(const Tensor& t) { return !t.defined() || t.impl()->extension() == nullptr; }

}  // namespace

void set_example_functions(const ExampleFunctions* functions) { known.store(functions); }

VmapsPtr outermost_vmaps(size_t depth) {
  const ExampleFunctions* functions = known.load(std::memory_order_acquire);
  return functions == nullptr ? nullptr : functions->outermost(depth);
}

void run_in_vmaps(const VmapsPtr& vmaps) {
  const ExampleFunctions* functions = known.load(std::memory_order_acquire);
  if (functions != nullptr) functions->run_in(vmaps);
}

ExamplesPtr examples_of(TensorList tensors) {
  const ExampleFunctions* functions = known.load(std::memory_order_acquire);
  return functions == nullptr ? nullptr : functions->of(tensors);
}

Tensor recorded(const Tensor& t) {
  if (is_plain(t)) return t;
  const ExampleFunctions* functions = known.load(std::memory_order_acquire);
  return functions == nullptr ? t : functions->recorded(t);
}

Tensor example_again(const ExamplesPtr& examples, const Tensor& all, const Tensor& one) {
  if (!examples) return all;
  return all.is_same(recorded(one)) ? one : examples->one(all);
}

void check_covered(const ExamplesPtr& examples, const Tensor& result, std::string_view function) {
  OW_CHECK(is_plain(result) || (examples && examples->cover(result)), "vmap: a result of ",
           function, " of shape ", result.sizes(),
           " differs between examples though no argument does, so that its gradient is nobody's. "
           "Pass the tensor that differs to apply() as an argument.");
}

void note_without_gradient(Node& node, const ExamplesPtr& examples, const Tensor& result) {
  const bool is_known = is_plain(result) || (examples && examples->cover(result));
  node.add_input_metadata(is_known ? all_of(examples, result) : Tensor());
}

Tensor gradient_of_all(const Tensor& root, const Tensor& given, size_t i) {
  if (is_plain(root)) return given;
  if (!given.defined()) {
    OW_CHECK(root.numel() == 1, "grad can be implicitly created only for scalar outputs");
    return engine_ops::ones_like(recorded(root));
  }
  OW_CHECK(same_sizes(given.sizes(), root.sizes()), "Mismatch in shape: grad_output[", i,
           "] has a shape of ", given.sizes(), " and output[", i, "] has a shape of ", root.sizes(),
           ".");
  return all_of(examples_of(TensorList(&root, 1)), given);
}

void take_examples(std::vector<Tensor>& gradients, TensorList inputs, TensorList roots) {
  if (std::ranges::all_of(roots, is_plain) && std::ranges::all_of(inputs, is_plain)) return;
  for (size_t i = 0; i < gradients.size(); ++i) {
    const ExamplesPtr examples = examples_of(TensorList(&inputs[i], 1));
    if (!gradients[i].defined()) continue;
    const bool separate = std::ranges::all_of(roots, [&](const Tensor& root) {
      return is_plain(root) || (examples && examples->cover(root));
    });
    OW_CHECK(separate, "vmap: input ", i, " of shape ", inputs[i].sizes(),
             " is the same for all examples, and what is differentiated differs between them: "
             "their gradients would be added. Differentiate with func.grad() or func.vjp(), which "
             "keep them apart.");
    gradients[i] = one_of(examples, gradients[i]);
  }
}

}  // namespace opweave

// Custom autograd functions written in Python: the context object (`ctx`) and its node.
//
// The node owns the context; the context points back to the node while that lives. The context is
// what `grad_fn` of the function's results gives.
#pragma once

#include <Python.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/autograd/custom_node.h"
#include "runtime/autograd/node.h"
#include "runtime/autograd/saved_tensor.h"
#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave::python {

class PythonNode;

// The way from a context to its node, which any thread may be destroying.
struct NodeLink {
  ForkSafeMutex mutex;
  PythonNode* node = nullptr;  // before the forward pass is over, and after the node has died

  intrusive_ptr<PythonNode> get();
};

class PythonNode final : public Node {
 public:
  // Takes a reference to the context.
  explicit PythonNode(PyObject* context);
  ~PythonNode() override;

  const char* name() const override { return name_.c_str(); }
  TensorVec apply(TensorVec&& grads) override;
  void release_saved() override;
  PyObject* context() const { return context_; }
  // Of the arguments of apply(): what forward has seen, backward sees as well.
  const ExamplesPtr& examples() const { return examples_; }
  void set_examples(ExamplesPtr examples) { examples_ = std::move(examples); }
  // From now on the context leads here.
  void link() {
    std::lock_guard lock(link_->mutex);
    link_->node = this;
  }

 protected:
  void destroy() override;

 private:
  TensorVec call_backward(TensorVec&& grads) const;

  const std::shared_ptr<NodeLink> link_;
  PyObject* const context_;
  ExamplesPtr examples_;
  const std::string name_;
};

struct ContextObject {
  PyObject_HEAD;
  PyObject* to_save;  // tuples and sets of the forward pass, or null
  PyObject* dirty;
  PyObject* non_differentiable;
  PyObject* needs_input_grad;
  PyObject* dict;
  PyObject* weakrefs;
  bool materialize_grads;
  bool saved_released;
  std::shared_ptr<NodeLink> link;
  std::vector<bool> input_is_tensor;  // by position in apply()
  std::vector<SavedTensor> saved;
};
extern PyTypeObject context_type;

inline ContextObject* as_context(PyObject* o) { return reinterpret_cast<ContextObject*>(o); }

// The context of a custom function's node, borrowed; null for other nodes.
PyObject* context_of(const Node& node);

// _C._apply_function(function class, context class, arguments)
PyObject* apply_function(PyObject* module, PyObject* args);

void add_context_type(PyObject* module);

}  // namespace opweave::python

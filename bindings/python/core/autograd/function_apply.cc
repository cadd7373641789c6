// Custom functions: running forward and recording the node, and running backward.
#include <algorithm>

#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/functions/results.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/interpreted.h"
#include "runtime/autograd/api.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/autograd/engine_ops.h"
#include "runtime/autograd/record.h"
#include "runtime/forward/tangents.h"

namespace opweave::python {
namespace {

bool contains(PyObject* tuple, PyObject* object) {
  if (tuple == nullptr) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    if (PyTuple_GET_ITEM(tuple, i) == object) return true;
  }
  return false;
}

// The call of a custom function's apply().
struct Application {
  PyObject* function;  // the class with forward and backward
  PyPtr context;
  PyObject* inputs;
  intrusive_ptr<PythonNode> node;  // null when no gradient is wanted
  Py_ssize_t num_outputs = 1;
  ExamplesPtr examples = {};                                // of the inputs, under vmap
  std::vector<std::pair<PyObject*, Tensor>> finished = {};  // outputs then: those of all examples

  void prepare();
  PyPtr forward() const;
  PyPtr record(PyObject* output);

 private:
  void link_inputs();
  Tensor record_output(PyObject* output);
  Tensor differentiable_output(const Tensor& t, bool is_input, bool is_dirty);
  void save(PyObject* outputs);
  Tensor saved_form(PyObject* item, PyObject* outputs, bool* is_output) const;
};

std::vector<Tensor> tensors_in(PyObject* tuple) {
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple, i);
    if (is_tensor(item)) tensors.push_back(tensor_of(item));
  }
  return tensors;
}

void Application::prepare() {
  ContextObject* ctx = as_context(context.get());
  const Py_ssize_t n = PyTuple_GET_SIZE(inputs);
  PyPtr needs = PyPtr::steal(check(PyTuple_New(n)));
  bool any = false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* input = PyTuple_GET_ITEM(inputs, i);
    const bool needed = is_tensor(input) && recorded(tensor_of(input)).requires_grad();
    any |= needed;
    PyTuple_SET_ITEM(needs.get(), i, wrap(needed));
    ctx->input_is_tensor.push_back(is_tensor(input));
  }
  Py_XSETREF(ctx->needs_input_grad, needs.release());
  if (any && grad_enabled()) link_inputs();
}

void Application::link_inputs() {
  node = intrusive_ptr<PythonNode>(new PythonNode(context.get()));
  const std::vector<Tensor> tensors = tensors_in(inputs);
  examples = examples_of(tensors);
  node->set_examples(examples);
  for (const Tensor& t : tensors) node->collect_next_edges(all_of(examples, t));
}

// forward(ctx, *inputs), or forward(*inputs) followed by setup_context(ctx, inputs, output).
PyPtr Application::forward() const {
  const NoGradGuard no_grad;
  const PyPtr setup = PyPtr::steal(PyObject_GetAttrString(function, "setup_context"));
  const PyPtr body = PyPtr::steal(check(PyObject_GetAttrString(function, "forward")));
  if (!setup) PyErr_Clear();
  if (!setup || setup.get() == Py_None) {
    const Py_ssize_t n = PyTuple_GET_SIZE(inputs);
    const PyPtr args = PyPtr::steal(check(PyTuple_New(n + 1)));
    PyTuple_SET_ITEM(args.get(), 0, Py_NewRef(context.get()));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyTuple_SET_ITEM(args.get(), i + 1, Py_NewRef(PyTuple_GET_ITEM(inputs, i)));
    }
    return PyPtr::steal(check(interpreted(PyObject_CallObject, body.get(), args.get())));
  }
  PyPtr output = PyPtr::steal(check(interpreted(PyObject_CallObject, body.get(), inputs)));
  PyPtr::steal(check(interpreted(PyObject_CallFunctionObjArgs, setup.get(), context.get(), inputs,
                                 output.get(), nullptr)));
  return output;
}

// An input that forward returns unchanged gets a view in its place, so that the input keeps its own
// history; one it changed takes the node as its history.
Tensor Application::differentiable_output(const Tensor& t, bool is_input, bool is_dirty) {
  if (is_dirty) {
    check_inplace(t, /*record=*/true);
    if (t.is_view()) {
      OW_CHECK(num_outputs == 1,
               "If your Function modifies inplace an input that is a view of another Tensor, your "
               "Function cannot return more than one Tensor. This is not supported by the current "
               "autograd engine. You should either make sure the input is not a view (using "
               "clone() for example) or make your Function only return one Tensor.");
      rebase_history(t, node);
    } else {
      set_gradient_edge(t, {node, node->add_input_metadata(t)});
    }
    return t;
  }
  if (!is_input && !t.requires_grad()) {
    if (t.is_view()) t.impl()->set_creation_meta(CreationMeta::kCustomFunction);
    set_history(t, node);
    return t;
  }
  Tensor alias = detached(t);
  if (is_input || t.is_view()) {
    const bool several = num_outputs > 1 && !is_input;
    as_view(t, alias, several ? CreationMeta::kMultiOutputView : CreationMeta::kCustomFunction);
  }
  set_history(alias, node);
  return alias;
}

Tensor Application::record_output(PyObject* output) {
  const ContextObject* ctx = as_context(context.get());
  const Tensor& t = tensor_of(output);
  const bool is_input = contains(inputs, output);
  const bool is_dirty = contains(ctx->dirty, output);
  if (!node) return is_input && !is_dirty ? detached(t) : t;
  const bool has_gradient = !contains(ctx->non_differentiable, output) && t.is_differentiable();
  if (!has_gradient) {
    note_without_gradient(*node, examples, t);
    return is_input || recorded(t).requires_grad() ? detached(t) : t;
  }
  check_covered(examples, t, node->name());
  const Tensor all = all_of(examples, t);
  OW_CHECK(!is_dirty || all.is_same(recorded(t)), "vmap: mark_dirty() of ", node->name(),
           " got a tensor of shape ", t.sizes(),
           " that is the same for examples between which other arguments differ");
  const Tensor result = differentiable_output(all, is_input, is_dirty);
  if (examples) finished.emplace_back(output, result);
  return example_again(examples, result, t);
}

// What is kept of a tensor given to save_for_backward().
Tensor Application::saved_form(PyObject* item, PyObject* outputs, bool* is_output) const {
  for (const auto& [object, all] : finished) {
    if (object != item) continue;
    *is_output = true;
    return all;
  }
  *is_output = !examples && contains(outputs, item);
  return all_of(examples, tensor_of(item));
}

void Application::save(PyObject* outputs) {
  ContextObject* ctx = as_context(context.get());
  PyObject* list = ctx->to_save;
  if (list == nullptr) return;
  // What is repeated for all examples is a new tensor: of every level that the saved one has a
  // tangent of, though forward ran below some, as backward will see them.
  const ForwardLimitGuard all_levels(tangent_depth());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(list); ++i) {
    PyObject* item = PyTuple_GET_ITEM(list, i);
    if (item == Py_None) {
      ctx->saved.emplace_back();
      continue;
    }
    OW_CHECK_TYPE(is_tensor(item), "save_for_backward can only save variables, but argument ", i,
                  " is of type ", type_name(item));
    bool is_output = false;
    const Tensor t = saved_form(item, outputs, &is_output);
    ctx->saved.emplace_back(t, is_output && !t.is_leaf() && grad_fn(t) == node.get());
  }
  Py_CLEAR(ctx->to_save);
}

void check_dirty_are_returned(PyObject* dirty, PyObject* outputs) {
  for (Py_ssize_t i = 0; dirty != nullptr && i < PyTuple_GET_SIZE(dirty); ++i) {
    OW_CHECK(contains(outputs, PyTuple_GET_ITEM(dirty, i)),
             "Some elements marked as dirty during the forward method were not returned as output: "
             "argument ",
             i,
             " of mark_dirty. The inputs that are modified inplace must all be "
             "outputs of the Function.");
  }
}

PyPtr Application::record(PyObject* output) {
  ContextObject* ctx = as_context(context.get());
  for (PyObject* list : {ctx->dirty, ctx->non_differentiable}) {
    for (Py_ssize_t i = 0; list != nullptr && i < PyTuple_GET_SIZE(list); ++i) {
      OW_CHECK_TYPE(is_tensor(PyTuple_GET_ITEM(list, i)),
                    "mark_dirty and mark_non_differentiable only accept variables, but argument ",
                    i, " is of type ", type_name(PyTuple_GET_ITEM(list, i)));
    }
  }
  const bool single = !PyTuple_Check(output);
  const PyPtr given = single ? PyPtr::steal(check(PyTuple_Pack(1, output))) : PyPtr::borrow(output);
  const Py_ssize_t n = num_outputs = PyTuple_GET_SIZE(given.get());
  check_dirty_are_returned(ctx->dirty, given.get());
  PyPtr results = PyPtr::steal(check(PyTuple_New(n)));
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyTuple_GET_ITEM(given.get(), i);
    if (!is_tensor(item)) {
      if (node) node->add_undefined_input();
      PyTuple_SET_ITEM(results.get(), i, Py_NewRef(item));
      continue;
    }
    PyTuple_SET_ITEM(results.get(), i, wrap(record_output(item)));
  }
  if (node) {
    node->link();  // until here, forward sees the tensors it saved
    save(results.get());
  }
  Py_CLEAR(ctx->to_save);
  Py_CLEAR(ctx->dirty);
  Py_CLEAR(ctx->non_differentiable);
  return single ? PyPtr::borrow(PyTuple_GET_ITEM(results.get(), 0)) : results;
}

void materialize(TensorVec& grads, const Node& node) {
  for (size_t i = 0; i < grads.size(); ++i) {
    const GradMetadata& like = node.input_metadata(i);
    if (grads[i].defined() || !like.defined()) continue;
    grads[i] = engine_ops::full(like.sizes(), 0, like.dtype(), like.device());
  }
}

PyPtr arguments_of_backward(TensorVec& grads, PyObject* context) {
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(static_cast<Py_ssize_t>(grads.size() + 1))));
  PyTuple_SET_ITEM(tuple.get(), 0, Py_NewRef(context));
  for (size_t i = 0; i < grads.size(); ++i) {
    detail::set_item(tuple.get(), i + 1, wrap(std::move(grads[i])));
  }
  return tuple;
}

// One gradient per tensor argument, from what backward returned for every argument.
TensorVec grads_from_python(PyObject* result, const ContextObject* ctx, const char* name) {
  const PyPtr tuple =
      PyTuple_Check(result) ? PyPtr::borrow(result) : PyPtr::steal(check(PyTuple_Pack(1, result)));
  const size_t expected = ctx->input_is_tensor.size();
  const auto count = static_cast<size_t>(PyTuple_GET_SIZE(tuple.get()));
  bool surplus_is_none = count >= expected;
  for (size_t i = expected; i < count; ++i) {
    surplus_is_none &= PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i)) == Py_None;
  }
  OW_CHECK(surplus_is_none, "function ", name,
           " returned an incorrect number of gradients (expected ", expected, ", got ", count, ")");
  TensorVec grads;
  for (size_t i = 0; i < expected; ++i) {
    PyObject* item = PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i));
    if (!ctx->input_is_tensor[i]) {
      OW_CHECK(item == Py_None, "function ", name,
               " returned a gradient different from None at position ", i + 1,
               ", but the corresponding forward input was not a Variable");
      continue;
    }
    OW_CHECK_TYPE(item == Py_None || is_tensor(item), "expected Variable or None (got ",
                  type_name(item), ")");
    grads.push_back(item == Py_None ? Tensor() : tensor_of(item));
  }
  return grads;
}

}  // namespace

TensorVec PythonNode::apply(TensorVec&& grads) {
  const AcquireGil gil;
  if (as_context(context_)->materialize_grads) materialize(grads, *this);
  if (!examples_) return call_backward(std::move(grads));
  return examples_->run(std::move(grads), [this](TensorVec&& one) {
    TensorVec gradients = call_backward(std::move(one));
    fit_examples(*this, examples_->dims(), gradients);
    return gradients;
  });
}

TensorVec PythonNode::call_backward(TensorVec&& grads) const {
  const PyPtr function = PyPtr::steal(check(PyObject_GetAttrString(context_, "_function")));
  const PyPtr body =
      PyPtr::steal(check(interpreted(PyObject_CallMethod, function.get(), "_derivative", nullptr)));
  const PyPtr args = arguments_of_backward(grads, context_);
  const PyPtr result =
      PyPtr::steal(check(interpreted(PyObject_CallObject, body.get(), args.get())));
  return grads_from_python(result.get(), as_context(context_), name());
}

PyObject* apply_function(PyObject*, PyObject* args) try {
  PyObject *function, *context_class, *inputs;
  if (PyArg_ParseTuple(args, "OOO!", &function, &context_class, &PyTuple_Type, &inputs) == 0) {
    return nullptr;
  }
  Application call{
      function, PyPtr::steal(check(interpreted(PyObject_CallNoArgs, context_class))), inputs, {}};
  OW_CHECK_TYPE(PyObject_TypeCheck(call.context.get(), &context_type), "not a context class");
  call.prepare();
  const PyPtr output = call.forward();
  return call.record(output.get()).release();
} catch (...) {
  return set_python_error();
}

}  // namespace opweave::python

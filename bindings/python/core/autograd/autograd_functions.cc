// The module functions of autograd.
#include "bindings/python/core/autograd/autograd_functions.h"

#include "bindings/python/core/autograd/function_object.h"
#include "bindings/python/core/autograd/hooks.h"
#include "bindings/python/core/autograd/saved_hooks.h"
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/objects/interpreted.h"
#include "runtime/autograd/api.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/forward/tangents.h"

namespace opweave::python {
namespace {

// A sequence of tensors, where None stands for an undefined one.
std::vector<Tensor> to_tensors(PyObject* sequence, const char* what) {
  const PyPtr items =
      PyPtr::steal(check(PySequence_Fast(sequence, "expected a sequence of tensors")));
  std::vector<Tensor> tensors;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(items.get(), i);
    OW_CHECK_TYPE(item == Py_None || is_tensor(item), "element ", i, " of ", what,
                  " tuple is not a Tensor, but ", type_name(item));
    tensors.push_back(item == Py_None ? Tensor() : tensor_of(item));
  }
  return tensors;
}

PyObject* run_backward(PyObject*, PyObject* args) try {
  PyObject *tensors, *grads, *inputs;
  int retain_graph, create_graph;
  if (PyArg_ParseTuple(args, "OOppO", &tensors, &grads, &retain_graph, &create_graph, &inputs) ==
      0) {
    return nullptr;
  }
  const auto roots = to_tensors(tensors, "tensors");
  const auto seeds = to_tensors(grads, "gradients");
  const auto leaves = to_tensors(inputs, "inputs");
  {
    const ReleaseGil unlocked;
    backward(roots, seeds, retain_graph != 0, create_graph != 0, leaves);
  }
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* run_gradients(PyObject*, PyObject* args) try {
  PyObject *outputs, *inputs, *grads;
  int retain_graph, create_graph, allow_unused, materialize;
  if (PyArg_ParseTuple(args, "OOOpppp", &outputs, &inputs, &grads, &retain_graph, &create_graph,
                       &allow_unused, &materialize) == 0) {
    return nullptr;
  }
  const auto roots = to_tensors(outputs, "outputs");
  const auto targets = to_tensors(inputs, "inputs");
  const auto seeds = to_tensors(grads, "grad_outputs");
  const GradOptions options{retain_graph != 0, create_graph != 0, allow_unused != 0,
                            materialize != 0};
  std::vector<Tensor> results;
  {
    const ReleaseGil unlocked;
    results = gradients(roots, targets, seeds, options);
  }
  return wrap(results);
} catch (...) {
  return set_python_error();
}

PyObject* queue_callback(PyObject*, PyObject* callable) try {
  queue_backward_callback([shared = SharedObject(callable)] {
    const AcquireGil gil;
    PyPtr::steal(check(interpreted(PyObject_CallNoArgs, shared.get())));
  });
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

// --- modes
// In inference mode nothing is recorded, also where a function in it turns gradients on again.
void set_modes(bool grad, bool inference) {
  set_inference_mode_enabled(inference);
  set_grad_enabled(grad);
  ThreadState& state = thread_state();
  if (inference) state.excluded = state.excluded | DispatchKey::kAutograd;
}
PyObject* is_grad_enabled(PyObject*, PyObject*) { return wrap(grad_enabled()); }
PyObject* set_grad_mode(PyObject*, PyObject* value) {
  const int enabled = PyObject_IsTrue(value);
  if (enabled < 0) return nullptr;
  set_modes(enabled != 0, inference_mode_enabled());
  Py_RETURN_NONE;
}
PyObject* is_inference_mode_enabled(PyObject*, PyObject*) { return wrap(inference_mode_enabled()); }
// Sets inference mode, and with it recording, and returns a capsule at whose end they are what they
// were: also where a signal's handler raises between two lines of a `with` block's own code. One
// that another thread frees leaves that thread's modes alone.
constexpr uintptr_t kGradBefore = 1, kInferenceBefore = 2, kNotNull = 4;
void restore_modes(PyObject* capsule) {
  if (PyCapsule_GetContext(capsule) != &thread_state()) return;
  const auto before = reinterpret_cast<uintptr_t>(PyCapsule_GetPointer(capsule, nullptr));
  set_modes((before & kGradBefore) != 0, (before & kInferenceBefore) != 0);
}
PyObject* inference_guard(PyObject*, PyObject* value) try {
  const int inference = PyObject_IsTrue(value);
  if (inference < 0) return nullptr;
  const uintptr_t before = (grad_enabled() ? kGradBefore : 0) |
                           (inference_mode_enabled() ? kInferenceBefore : 0) | kNotNull;
  PyPtr capsule =
      PyPtr::steal(check(PyCapsule_New(reinterpret_cast<void*>(before), nullptr, restore_modes)));
  if (PyCapsule_SetContext(capsule.get(), &thread_state()) != 0) return nullptr;
  set_modes(inference == 0, inference != 0);
  return capsule.release();
} catch (...) {
  return set_python_error();
}
PyObject* is_anomaly_enabled(PyObject*, PyObject*) { return wrap(anomaly_mode_enabled()); }
PyObject* is_anomaly_check_nan_enabled(PyObject*, PyObject*) { return wrap(anomaly_checks_nan()); }
PyObject* set_anomaly_enabled(PyObject*, PyObject* args) {
  int enabled, check_nan = 1;
  if (PyArg_ParseTuple(args, "p|p", &enabled, &check_nan) == 0) return nullptr;
  set_anomaly_mode(enabled != 0, check_nan != 0);
  Py_RETURN_NONE;
}

// --- nodes that refuse
struct RefusingNode final : Node {
  explicit RefusingNode(std::string text) : message(std::move(text)) {}
  const char* name() const override { return "DelayedError"; }
  TensorVec apply(TensorVec&&) override { OW_THROW(ErrorKind::kRuntime, message); }
  std::string message;
};

// Where the derivative that is refused would lead: to what the gradients were computed from, and to
// the arguments of the function.
void link_refusal(Node& node, PyObject* grads, PyObject* context) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(grads); ++i) {
    PyObject* grad = PyTuple_GET_ITEM(grads, i);
    if (is_tensor(grad)) node.add_next_edge(gradient_edge(recorded(tensor_of(grad))));
  }
  if (const intrusive_ptr<PythonNode> function = as_context(context)->link->get()) {
    for (const Edge& edge : function->next_edges()) node.add_next_edge(edge);
  }
}

// _delayed_error(message, result, grads, context): a result of backward(context, *grads) with a
// history whose own backward raises the error; raised at once where the result is being
// differentiated forwards.
PyObject* delayed_error(PyObject*, PyObject* args) try {
  const char* message;
  PyObject *object, *grads, *context;
  if (PyArg_ParseTuple(args, "sOO!O!", &message, &object, &PyTuple_Type, &grads, &context_type,
                       &context) == 0) {
    return nullptr;
  }
  if (!is_tensor(object)) return Py_NewRef(object);
  OW_CHECK(tangent_level(recorded(tensor_of(object))) == 0, message);
  const ExamplesPtr examples = examples_of(TensorList(&tensor_of(object), 1));
  const Tensor result = detached(all_of(examples, tensor_of(object)));
  auto node = intrusive_ptr<Node>(new RefusingNode(message));
  link_refusal(*node, grads, context);
  set_gradient_edge(result, {node, node->add_input_metadata(result)});
  return wrap(one_of(examples, result));
} catch (...) {
  return set_python_error();
}

// --- anomaly mode
class PythonStack final : public RecordedPlace {
 public:
  explicit PythonStack(std::string text) : text_(std::move(text)) {}
  std::string describe() const override { return text_; }

 private:
  const std::string text_;
};

// The text is made at once: frames would keep everything that their variables refer to alive.
intrusive_ptr<RecordedPlace> record_stack() {
  const AcquireGil gil;
  const PyPtr traceback = PyPtr::steal(check(PyImport_ImportModule("traceback")));
  const PyPtr lines = PyPtr::steal(
      check(interpreted(PyObject_CallMethod, traceback.get(), "format_stack", nullptr)));
  const PyPtr empty = PyPtr::steal(check(PyUnicode_FromString("")));
  const PyPtr text = PyPtr::steal(check(PyUnicode_Join(empty.get(), lines.get())));
  return make_intrusive<PythonStack>(std::string(to_string_view(text.get())));
}

void warn_of_anomaly(const Node& failed) {
  const AcquireGil gil;
  const std::string trace = anomaly_trace(failed);
  const std::string where =
      trace.empty() ? std::string(
                          "No forward pass information available. Enable detect anomaly "
                          "during forward pass for more information.")
                    : str("Traceback of forward call that caused the error:\n", trace);
  const std::string text = str("Error detected in ", failed.name(), ". ", where);
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) < 0) PyErr_WriteUnraisable(nullptr);
}

}  // namespace

void install_anomaly_hooks() { set_anomaly_hooks({record_stack, warn_of_anomaly}); }

// Whether the backward pass that runs goes to all leaves, so that another one inside of it may,
// too.
PyObject* is_checkpoint_valid(PyObject*, PyObject*) try {
  return PyBool_FromLong(!current_backward_call().is_restricted);
} catch (...) {
  return set_python_error();
}

PyMethodDef autograd_functions[] = {
    {"_backward", run_backward, METH_VARARGS, nullptr},
    {"_gradients", run_gradients, METH_VARARGS, nullptr},
    {"_queue_backward_callback", queue_callback, METH_O, nullptr},
    {"_is_checkpoint_valid", is_checkpoint_valid, METH_NOARGS, nullptr},
    {"_apply_function", apply_function, METH_VARARGS, nullptr},
    {"is_grad_enabled", is_grad_enabled, METH_NOARGS, "Whether operations are recorded."},
    {"_set_grad_enabled", set_grad_mode, METH_O, nullptr},
    {"is_inference_mode_enabled", is_inference_mode_enabled, METH_NOARGS, nullptr},
    {"_inference_guard", inference_guard, METH_O, nullptr},
    {"is_anomaly_enabled", is_anomaly_enabled, METH_NOARGS, nullptr},
    {"is_anomaly_check_nan_enabled", is_anomaly_check_nan_enabled, METH_NOARGS, nullptr},
    {"set_anomaly_enabled", set_anomaly_enabled, METH_VARARGS, nullptr},
    {"_push_saved_tensors_hooks", push_saved_hooks, METH_VARARGS, nullptr},
    {"_pop_saved_tensors_hooks", pop_saved_hooks, METH_NOARGS, nullptr},
    {"_delayed_error", delayed_error, METH_VARARGS, nullptr},
    {}};

}  // namespace opweave::python

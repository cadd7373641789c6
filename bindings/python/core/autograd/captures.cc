// In-place writes to tensors that a function captures while grad(), vjp() or jvp() differentiate
// it: refused, because the derivative would know nothing of what is written, nor the caller of it.
//
// Captured is what has memory that was there before the function ran; the storages that the thread
// has made since are noted. In-place operators have a kernel for a dispatch key of its own, which
// only a function that is differentiated includes.
#include "bindings/python/core/autograd/captures.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "bindings/python/core/functions/handwritten.h"
#include "runtime/autograd/autograd_meta.h"
#include "runtime/autograd/custom_node.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/core/tensor/storage_births.h"
#include "runtime/core/threads/thread_state.h"
#include "runtime/dispatch/functionality.h"
#include "runtime/dispatch/registry.h"
#include "runtime/forward/tangents.h"

namespace opweave::python {
namespace {

using Births = opweave::detail::StorageBirths;

constinit FunctionalityKey captures_key{"Captures"};

// Of the functions that this thread differentiates, the innermost last.
std::vector<std::unique_ptr<Births>>& open_births() {
  static thread_local std::vector<std::unique_ptr<Births>> open;
  return open;
}

// A batch is written where its examples lie.
const StorageImpl* memory_of(const Tensor& t) {
  return is_batched(t) ? memory_of(batched_value(t).value) : t.storage().get();
}

bool is_captured(const Tensor& t) {
  const StorageImpl* memory = memory_of(t);
  return opweave::detail::births != nullptr && memory != nullptr &&
         !opweave::detail::births->contains(memory);
}

void run(const OperatorEntry& op, DispatchKeySet, Stack& stack) {
  const ExcludeDispatchKeys below(captures_key.key());
  const IValue& written = stack[0];  // a tensor, or a list as of optimizers' steps
  const bool captured = written.is_tensor_list()
                            ? std::ranges::any_of(written.to_tensor_list(), is_captured)
                            : is_captured(written.to_tensor());
  OW_CHECK(!captured,
           "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call "
           "in-place operation (",
           op.full_name(),
           ") that would mutate a captured Tensor. This is not supported; please rewrite the "
           "function being transformed to explicitly accept the mutated Tensor(s) as inputs.");
  op.call(stack);
}

void register_captures() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_rule(captures_key.key(), [](OperatorEntry& op, DispatchKey key) {
      const bool in_place = op.record().written() == 0 && op.def().name.ends_with('_');
      if (in_place && op.record().form != OperatorForm::kOut) op.set_boxed_kernel(key, run);
    });
  });
}

// (inputs): a function of these tensors begins, and may write them.
PyObject* enter(PyObject*, PyObject* inputs) try {
  register_captures();
  auto births = std::make_unique<Births>();
  OW_CHECK_TYPE(PyTuple_Check(inputs), "expected a tuple of tensors, got ", type_name(inputs));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
    PyObject* input = PyTuple_GET_ITEM(inputs, i);
    OW_CHECK_TYPE(is_tensor(input), "expected a Tensor, got ", type_name(input));
    births->insert(memory_of(tensor_of(input)));
  }
  open_births().push_back(std::move(births));
  opweave::detail::births = open_births().back().get();
  ++opweave::detail::birth_watches;
  thread_state().included = thread_state().included | captures_key.key();
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

// It has ended. What it has made belongs to the function around it.
PyObject* leave(PyObject*, PyObject*) try {
  std::vector<std::unique_ptr<Births>>& open = open_births();
  OW_CHECK(!open.empty(), "there is no function to leave");
  const std::unique_ptr<Births> last = std::move(open.back());
  open.pop_back();
  --opweave::detail::birth_watches;
  opweave::detail::births = open.empty() ? nullptr : open.back().get();
  if (opweave::detail::births != nullptr) opweave::detail::births->merge(*last);
  if (open.empty()) thread_state().included = thread_state().included - captures_key.key();
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* is_open(PyObject*, PyObject*) { return PyBool_FromLong(in_differentiated_function()); }

}  // namespace

bool in_differentiated_function() { return !open_births().empty(); }

void check_not_followed(const Tensor& t, std::string_view what) {
  if (!in_differentiated_function()) return;
  const Tensor all = recorded(t);
  const AutogradMeta* meta = find_autograd_meta(all);
  const bool users_own = all.is_leaf() && (meta == nullptr || !meta->of_transform);
  OW_CHECK(tangent_level(all) == 0 && (users_own || !all.requires_grad()), what,
           " of a tensor by which a function is differentiated (grad, vjp, jvp and the like) would "
           "not be differentiated: compute with operators, or use detach() where the derivative is "
           "to end.");
}

namespace {

// (tensor, what)
PyObject* check_copied(PyObject*, PyObject* args) try {
  PyObject* tensor = nullptr;
  const char* what = nullptr;
  if (PyArg_ParseTuple(args, "Os", &tensor, &what) == 0) return nullptr;
  OW_CHECK_TYPE(is_tensor(tensor), "expected a Tensor, got ", type_name(tensor));
  check_not_followed(tensor_of(tensor), what);
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

}  // namespace

PyMethodDef capture_functions[] = {
    {"_captures_enter", enter, METH_O, nullptr},
    {"_captures_leave", leave, METH_NOARGS, nullptr},
    {"_captures_open", is_open, METH_NOARGS, nullptr},
    {"_check_copied", check_copied, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace opweave::python

#include "bindings/python/core/autograd/hook_levels.h"

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <vector>

#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "runtime/autograd/view.h"

namespace opweave::python {
namespace {

constexpr const char* kCapsule = "opweave._C._HookLevel";

using Shared = std::shared_ptr<HookLevel>;

// Nodes are held here, and by no hook: one on an input would hold itself.
struct Open {
  Shared level;
  std::vector<Edge> inputs;
};

// Of this thread, the innermost last.
std::vector<Open>& open_levels() {
  static thread_local std::vector<Open> open;
  return open;
}

// Whether gradients of the node go on to one of the inputs. Nodes nearer to the leaves than all
// inputs lead to none.
bool leads_to(const Node& node, const std::vector<Edge>& inputs) {
  uint32_t lowest = node.topological_nr();
  for (const Edge& input : inputs) lowest = std::min(lowest, input.function->topological_nr());
  std::vector<const Node*> waiting{&node};
  std::unordered_set<const Node*> seen{&node};
  while (!waiting.empty()) {
    const Node& next = *waiting.back();
    waiting.pop_back();
    const auto is_next = [&](const Edge& input) { return input.function.get() == &next; };
    if (std::ranges::any_of(inputs, is_next)) return true;
    for (const Edge& edge : next.next_edges()) {
      const Node* to = edge.function.get();
      if (to == nullptr || to->topological_nr() < lowest || !seen.insert(to).second) continue;
      waiting.push_back(to);
    }
  }
  return false;
}

Shared* level_in(PyObject* capsule) {
  return static_cast<Shared*>(PyCapsule_GetPointer(capsule, kCapsule));
}

void drop(PyObject* capsule) { delete level_in(capsule); }

// (): the passes of a transform, none of which runs yet.
PyObject* make(PyObject*, PyObject*) try {
  auto level = std::make_unique<Shared>(std::make_shared<HookLevel>());
  PyObject* capsule = check(PyCapsule_New(level.get(), kCapsule, drop));
  level.release();
  return capsule;
} catch (...) {
  return set_python_error();
}

// (level, inputs): the function of these tensors runs, or its backward pass.
PyObject* enter(PyObject*, PyObject* arguments) try {
  PyObject *capsule, *inputs;
  if (!PyArg_ParseTuple(arguments, "OO!", &capsule, &PyTuple_Type, &inputs)) return nullptr;
  const Shared* level = level_in(capsule);
  if (level == nullptr) return nullptr;
  Open open{*level, {}};
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(inputs); ++i) {
    PyObject* input = PyTuple_GET_ITEM(inputs, i);
    OW_CHECK_TYPE(is_tensor(input), "expected a Tensor, got ", type_name(input));
    Edge edge = gradient_edge(tensor_of(input));
    if (edge) open.inputs.push_back(std::move(edge));
  }
  open_levels().push_back(std::move(open));
  (*level)->at_work.fetch_add(1, std::memory_order_relaxed);
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

PyObject* leave(PyObject*, PyObject*) try {
  std::vector<Open>& open = open_levels();
  OW_CHECK(!open.empty(), "there is no level of hooks to leave");
  const Open last = std::move(open.back());
  open.pop_back();
  last.level->at_work.fetch_sub(1, std::memory_order_relaxed);
  Py_RETURN_NONE;
} catch (...) {
  return set_python_error();
}

}  // namespace

HookLevelPtr hook_level_of(const Node& node) {
  for (const Open& open : std::views::reverse(open_levels())) {
    if (leads_to(node, open.inputs)) return open.level;
  }
  return nullptr;
}

PyMethodDef hook_level_functions[] = {
    {"_hook_level", make, METH_NOARGS, nullptr},
    {"_hook_level_enter", enter, METH_VARARGS, nullptr},
    {"_hook_level_leave", leave, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace opweave::python

// References that are dropped without the interpreter lock.
#include "bindings/python/core/objects/gil.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace opweave::python {
namespace {

struct Waiting {
  std::mutex mutex;
  std::vector<PyObject*> objects;
  std::vector<TensorImpl*> tensors;
  std::atomic<bool> any{false};
};

Waiting& waiting() {
  static auto* w = new Waiting;
  return *w;
}

int pending_call(void*) {
  drop_waiting_references();
  return 0;
}

template <class T>
void wait(std::vector<T*> Waiting::*list, T* reference) {
  bool first = false;
  {
    std::lock_guard lock(waiting().mutex);
    (waiting().*list).push_back(reference);
    first = !waiting().any.exchange(true, std::memory_order_relaxed);
  }
  // The interpreter calls back soon; should its list be full, the next drop takes these along.
  if (first) Py_AddPendingCall(pending_call, nullptr);
}

}  // namespace

void drop_waiting_references() noexcept {
  if (!waiting().any.load(std::memory_order_relaxed)) return;
  std::vector<PyObject*> objects;
  std::vector<TensorImpl*> tensors;
  {
    std::lock_guard lock(waiting().mutex);
    objects.swap(waiting().objects);
    tensors.swap(waiting().tensors);
    waiting().any.store(false, std::memory_order_relaxed);
  }
  for (PyObject* object : objects) Py_DECREF(object);
  for (TensorImpl* tensor : tensors) tensor->release();
}

void drop_reference(PyObject* object) noexcept {
  if (object == nullptr || Py_IsInitialized() == 0) return;
  if (PyGILState_Check() == 0) {
    wait(&Waiting::objects, object);
    return;
  }
  drop_waiting_references();
  Py_DECREF(object);
}

void drop_reference_later(TensorImpl* tensor) noexcept { wait(&Waiting::tensors, tensor); }

}  // namespace opweave::python

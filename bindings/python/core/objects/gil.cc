// References that are dropped without the interpreter lock.
#include "bindings/python/core/objects/gil.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "runtime/core/base/fork_safe_mutex.h"

namespace opweave::python {
namespace {

struct Waiting {
  ForkSafeMutex mutex;
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

// Whether a thread computes without the lock: a place of its own for each, as a counter that all
// threads change would cost more than the lock. Those of ended threads are used again.
struct Place {
  std::atomic<bool> taken{true};
  std::atomic<bool> computing{false};
  Place* next = nullptr;
};
constinit std::atomic<Place*> places{nullptr};
constinit thread_local Place* own_place = nullptr;

void give_place_back() {
  own_place->computing.store(false);
  own_place->taken.store(false);
}

Place* take_place() {
  static thread_local struct Ends {
    ~Ends() { give_place_back(); }
    void touch() {}
  } ends;
  ends.touch();
  for (Place* place = places.load(); place != nullptr; place = place->next) {
    if (!place->taken.exchange(true)) return place;
  }
  auto* place = new Place;
  place->next = places.load();
  while (!places.compare_exchange_weak(place->next, place)) {
  }
  return place;
}

void leave(int status, void*) {
  bool any = false;
  for (Place* place = places.load(); place != nullptr; place = place->next) {
    any = any || place->computing.load();
  }
  if (!any) return;
  std::fflush(nullptr);
  _exit(status);
}

// After the interpreter's end, or while it goes on, on another thread than the one that ends it.
// PyGILState_Ensure would make a state of this thread for an interpreter that is no more.
bool interpreter_is_gone() { return Py_IsInitialized() == 0 && syscall(SYS_gettid) != getpid(); }

}  // namespace

// A callback that the interpreter ended has lost the lock.
void give_gil_back(PyGILState_STATE state) {
  if (PyGILState_Check() == 0) wait_for_the_end();
  PyGILState_Release(state);
}

PyThreadState* give_gil() {
  if (own_place == nullptr) [[unlikely]]
    own_place = take_place();
  own_place->computing.store(true, std::memory_order_relaxed);
  return PyEval_SaveThread();
}

[[gnu::noinline]] void take_gil_again(PyThreadState* state) {
  StaysHere here;
  PyEval_RestoreThread(state);
  here.returned();
  own_place->computing.store(false, std::memory_order_relaxed);
}

void end_process_around_threads() {
  // Registered by the interpreter's end, so that it goes before whatever was registered until then.
  Py_AtExit([] { on_exit(&leave, nullptr); });
}

[[gnu::noinline]] PyGILState_STATE take_gil() {
  if (interpreter_is_gone()) [[unlikely]]
    wait_for_the_end();
  StaysHere here;
  const PyGILState_STATE state = PyGILState_Ensure();
  here.returned();
  return state;
}

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

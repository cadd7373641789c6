// The interpreter lock: released around kernels, taken in callbacks.
#pragma once

#include <Python.h>

#include <algorithm>

#include "bindings/python/core/objects/interpreted.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

void take_gil_again(PyThreadState* state);
PyGILState_STATE take_gil();
void give_gil_back(PyGILState_STATE state);
PyThreadState* give_gil();
// When the process ends while threads are in kernels, it ends without the destructors of what those
// use.
void end_process_around_threads();

class ReleaseGil {
 public:
  ReleaseGil() : state_(give_gil()) {}
  ~ReleaseGil() { take_gil_again(state_); }
  ReleaseGil(const ReleaseGil&) = delete;

 private:
  PyThreadState* state_;
};

class AcquireGil {
 public:
  AcquireGil() : state_(take_gil()) {}
  ~AcquireGil() { give_gil_back(state_); }
  AcquireGil(const AcquireGil&) = delete;

 private:
  PyGILState_STATE state_;
};

// Gives up a reference from whatever thread, without ever waiting for the interpreter lock: whoever
// drops an object may hold a lock that a thread with the interpreter lock waits for. A thread
// without it leaves the reference to the next one that has it. After the interpreter's end nothing
// happens.
void drop_reference(PyObject* object) noexcept;
void drop_reference_later(TensorImpl* tensor) noexcept;
// With the interpreter lock held: what other threads left.
void drop_waiting_references() noexcept;

// Giving the lock up and taking it again costs 50 to 100 ns, as much as a whole small operator, and
// more when another thread waits for it. So it is released only for calls that touch this many
// elements: from there on the kernel takes longer than the switch, and below nobody waits long.
inline constexpr int64_t kReleaseGilFrom = 2048;

// An estimate of the elements a call touches, from its arguments; by overload so that any argument
// can be asked. No estimate is above kReleaseGilFrom, so that sums stay small.
template <class T>
constexpr int64_t work_of(const T&) {
  return 0;
}
inline int64_t work_of(const Tensor& t) {
  return t.defined() ? std::min(t.numel(), kReleaseGilFrom) : 0;
}

}  // namespace opweave::python

// What the Python classes of stores have in common.
#pragma once

#include <pybind11/pybind11.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "bindings/python/core/objects/gil.h"

namespace opweave::python {

// A class of opweave.distributed.
template <class T, class Other>
class StoreClass : public pybind11::class_<T, Other, std::shared_ptr<T>> {
 public:
  StoreClass(pybind11::module_& module, const char* name, const char* doc)
      : pybind11::class_<T, Other, std::shared_ptr<T>>(module, name, doc) {
    this->attr("__module__") = "opweave.distributed";
  }
};

// A store may wait, also for a lock that a thread with the interpreter lock holds.
template <class Call>
auto without_gil(Call&& call) {
  const ReleaseGil release;
  return call();
}

// Makes a store without the interpreter lock. Its destructor runs so as well: it may wait, too.
template <class T, class... Args>
std::shared_ptr<T> make_without_gil(Args&&... args) {
  return without_gil([&] {
    return std::shared_ptr<T>(new T(std::forward<Args>(args)...), [](T* store) {
      if (PyGILState_Check() == 0) return delete store;
      without_gil([&] { delete store; });
    });
  });
}

inline bool is_first_thread() { return getpid() == static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace opweave::python

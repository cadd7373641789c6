// Calling an operator from Python and making its results Python objects.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <tuple>
#include <vector>

#include "bindings/python/core/functions/arguments.h"
#include "bindings/python/core/objects/py_ptr.h"

namespace opweave::python {

inline int64_t work_of(const TensorArg& t) { return work_of(static_cast<const Tensor&>(t)); }
inline int64_t work_of(const TensorListArg& list) {
  int64_t n = 0;
  for (const Tensor& t : list.values) n += work_of(t);
  return n;
}
// For creation operators, the size of what they make; other lists of integers are small.
inline int64_t work_of(const IntListArg& list) {
  int64_t n = 1;
  for (int64_t size : list.values) {
    if (__builtin_mul_overflow(n, size, &n)) return kReleaseGilFrom;
  }
  return std::clamp<int64_t>(n, 0, kReleaseGilFrom);
}

// Calls the operator (a struct of "opweave/ops/….h"), without the interpreter lock when the call is
// large.
template <class Op, class... Args>
decltype(auto) run(Args&&... args) {
  if ((int64_t{0} + ... + work_of(args)) < kReleaseGilFrom) [[likely]]
    return Op::call(args...);
  ReleaseGil unlocked;
  return Op::call(args...);
}
// For operators that only make a view or read metadata: never worth releasing the lock.
template <class Op, class... Args>
decltype(auto) run_view(Args&&... args) {
  return Op::call(args...);
}

// --- results: new references --------------------------------------------------------------------
// wrap(Tensor) is in tensor_object.h. A list of tensors becomes a tuple, as in PyTorch.
PyObject* wrap(const std::vector<Tensor>& tensors);
inline PyObject* wrap(bool value) { return Py_NewRef(value ? Py_True : Py_False); }
inline PyObject* wrap(int64_t value) { return check(PyLong_FromLongLong(value)); }
inline PyObject* wrap(double value) { return check(PyFloat_FromDouble(value)); }
PyObject* wrap(const Scalar& value);
PyObject* wrap(ScalarType value);
template <ObjectType T>
PyObject* wrap(const T& object) {
  return opaque_type(object_type_name<T>).wrap(&object);
}
inline PyObject* none() { return Py_NewRef(Py_None); }

// The class of a result with names, `opweave.return_types.max`; made when first needed. A constant
// initialised static of the generated function.
class ResultType {
 public:
  constexpr ResultType(const char* name, std::initializer_list<const char*> fields)
      : name_(name), size_(fields.size()) {
    size_t i = 0;
    for (const char* f : fields) fields_[i++] = f;
  }
  // A new instance without its fields.
  PyObject* make();

 private:
  static constexpr size_t kMaxFields = 8;
  const char* name_;
  size_t size_;
  std::array<const char*, kMaxFields> fields_{};
  PyTypeObject* type_ = nullptr;
};

namespace detail {
// Steals the reference `item`.
void set_item(PyObject* tuple, size_t i, PyObject* item);
void set_field(PyObject* named, size_t i, PyObject* item);
}  // namespace detail

template <class... R>
PyObject* wrap(std::tuple<R...>&& results) {
  PyPtr tuple = PyPtr::steal(check(PyTuple_New(sizeof...(R))));
  size_t i = 0;
  std::apply([&](auto&... r) { (detail::set_item(tuple.get(), i++, wrap(std::move(r))), ...); },
             results);
  return tuple.release();
}
template <class... R>
PyObject* wrap(std::tuple<R...>&& results, ResultType& type) {
  PyPtr named = PyPtr::steal(type.make());
  size_t i = 0;
  std::apply([&](auto&... r) { (detail::set_field(named.get(), i++, wrap(std::move(r))), ...); },
             results);
  return named.release();
}

// What a creation operator made, with requires_grad=True when asked for.
PyObject* wrap_created(Tensor tensor, bool requires_grad);

}  // namespace opweave::python

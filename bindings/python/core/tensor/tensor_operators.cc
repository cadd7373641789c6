// Python's operators on tensors. Which operator of ops.yaml each of them is, its key
// `python_operator` says: the generated opweave/python/operators.def lists slots and methods.
//
// The C functions are those of the generated methods, found by name at import. A reflected
// operation (2 - t) is the function form with the number first, as in opweave.sub(2, t).
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/overrides/overrides.h"
#include "bindings/python/core/tensor/tensor_type.h"

namespace opweave::python {
namespace {

enum Which {
#define OW_BINARY(slot, method) k_##slot,
#define OW_INPLACE(slot, method) k_##slot,
#define OW_UNARY(slot, method) k_##slot,
#include "opweave/python/operators.def"
  kNumFunctions
};

FastFunction functions[kNumFunctions];
FastFunction comparisons[Py_GE + 1];

bool is_operand(PyObject* o) { return is_tensor(o) || is_plain_number(o) || has_override(o); }

// What a call of an operator is known as to who may take it over: most are the method's, and so is
// `1 + t`, which is `t + 1`. These are those of the method of Python's data model.
constexpr const char* shown_name(int which) {
  switch (which) {
    case k_nb_power:
      return "__pow__";
    case k_nb_floor_divide:
      return "__floordiv__";
    case k_nb_and:
      return "__and__";
    case k_nb_or:
      return "__or__";
    case k_nb_xor:
      return "__xor__";
    case k_nb_lshift:
      return "__lshift__";
    case k_nb_rshift:
      return "__rshift__";
    default:
      return nullptr;
  }
}

// Of operators whose operands cannot be exchanged.
constexpr const char* reflected_name(int which) {
  switch (which) {
    case k_nb_subtract:
      return "__rsub__";
    case k_nb_true_divide:
      return "__rtruediv__";
    case k_nb_floor_divide:
      return "__rfloordiv__";
    case k_nb_remainder:
      return "__rmod__";
    case k_nb_power:
      return "__rpow__";
    case k_nb_lshift:
      return "__rlshift__";
    case k_nb_rshift:
      return "__rrshift__";
    case k_nb_matrix_multiply:
      return "__rmatmul__";
    default:
      return nullptr;
  }
}

// Operands of foreign types get their own chance, and then Python's error.
PyObject* call_binary(FastFunction f, PyObject* a, PyObject* b) {
  if (f == nullptr || !is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  if (is_tensor(a)) return f(a, &b, 1, nullptr);
  PyObject* const args[] = {a, b};
  return f(nullptr, args, 2, nullptr);
}

// Modes and classes of the operands may take the operation over.
template <int kWhich>
PyObject* shown_binary(PyObject* a, PyObject* b) try {
  const FastFunction f = functions[kWhich];
  if (f == nullptr || !is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  if (!is_overridden(a) && !is_overridden(b)) return call_binary(f, a, b);
  if (is_tensor(a)) {
    constexpr const char* kName = shown_name(kWhich);
    return kName != nullptr ? ask_method(kName, {a, b}) : f(a, &b, 1, nullptr);
  }
  constexpr const char* kName = reflected_name(kWhich);
  return kName != nullptr ? ask_method(kName, {b, a}) : f(b, &a, 1, nullptr);
} catch (...) {
  return set_python_error();
}

template <int kWhich>
PyObject* binary(PyObject* a, PyObject* b) {
  if (override_count > 0) [[unlikely]]
    return shown_binary<kWhich>(a, b);
  return call_binary(functions[kWhich], a, b);
}

// pow() of Python with a modulus is for whole numbers.
template <int kWhich>
PyObject* ternary(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<kWhich>(a, b);
}

// What Python does for `a += b` when `a` does not know `b`. A subclass in Python has the slot of
// `+=` a second time, as that of a list's: there a NotImplemented would become the result.
PyObject* add_foreign(PyObject* a, PyObject* b) {
  const PyNumberMethods* const theirs = Py_TYPE(b)->tp_as_number;
  if (theirs != nullptr && theirs->nb_add != nullptr) {
    PyObject* const sum = theirs->nb_add(a, b);
    if (sum != Py_NotImplemented) return sum;
    Py_DECREF(sum);
  }
  return PyErr_Format(PyExc_TypeError, "unsupported operand type(s) for +=: '%.100s' and '%.100s'",
                      Py_TYPE(a)->tp_name, Py_TYPE(b)->tp_name);
}

// In-place forms have the tensor on the left; without such an operator Python takes the other.
template <int kWhich>
PyObject* inplace(PyObject* a, PyObject* b) {
  FastFunction f = functions[kWhich];
  if (f != nullptr && !is_operand(b) && kWhich == k_nb_inplace_add) return add_foreign(a, b);
  if (f == nullptr || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  return f(a, &b, 1, nullptr);
}

template <int kWhich>
PyObject* inplace_ternary(PyObject* a, PyObject* b, PyObject*) {
  return inplace<kWhich>(a, b);
}

template <int kWhich>
PyObject* unary(PyObject* a) {
  return functions[kWhich](a, nullptr, 0, nullptr);
}

// Python's slots for the same kind of operator have one of two types.
template <int kWhich>
void fill(binaryfunc& slot) {
  slot = binary<kWhich>;
}
template <int kWhich>
void fill(ternaryfunc& slot) {
  slot = ternary<kWhich>;
}
template <int kWhich>
void fill_inplace(binaryfunc& slot) {
  slot = inplace<kWhich>;
}
template <int kWhich>
void fill_inplace(ternaryfunc& slot) {
  slot = inplace_ternary<kWhich>;
}

PyObject* invert(PyObject* a) try {
  if (override_count > 0 && is_overridden(a)) [[unlikely]]
    return ask_method("__invert__", {a});
  OW_CHECK_TYPE(!tensor_of(a).is_floating_point(),
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors, got ",
                tensor_of(a).dtype());
  return unary<k_nb_invert>(a);
} catch (...) {
  return set_python_error();
}

const Tensor& one_element(PyObject* self) {
  const Tensor& t = tensor_of(self);
  OW_CHECK_VALUE(t.numel() == 1, "only one element tensors can be converted to Python scalars");
  return t;
}

int to_truth(PyObject* self) try {
  if (override_count > 0 && is_overridden(self)) [[unlikely]]
    return PyObject_IsTrue(PyPtr::steal(ask_method("__bool__", {self})).get());
  const Tensor& t = tensor_of(self);
  OW_CHECK(t.numel() > 0, "Boolean value of Tensor with no values is ambiguous");
  OW_CHECK(t.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return item(t).to_bool() ? 1 : 0;
} catch (...) {
  return set_python_error_int();
}

PyObject* to_int(PyObject* self) try {
  if (override_count > 0 && is_overridden(self)) [[unlikely]]
    return ask_method("__int__", {self});
  const Scalar value = item(one_element(self));
  // Python's own conversion, for its errors on NaN and infinity.
  if (value.is_floating()) return PyLong_FromDouble(value.to_double());
  if (value.is_complex()) return PyLong_FromLongLong(value.to_long());
  return value.is_bool() ? PyLong_FromLong(value.to_bool()) : wrap(value);
} catch (...) {
  return set_python_error();
}

PyObject* to_float(PyObject* self) try {
  if (override_count > 0 && is_overridden(self)) [[unlikely]]
    return ask_method("__float__", {self});
  return PyFloat_FromDouble(item(one_element(self)).to_double());
} catch (...) {
  return set_python_error();
}

PyObject* to_index(PyObject* self) try {
  if (override_count > 0 && is_overridden(self)) [[unlikely]]
    return ask_method("__index__", {self});
  const Tensor& t = tensor_of(self);
  OW_CHECK_TYPE(is_integral(t.dtype(), /*include_bool=*/true) && t.numel() == 1,
                "only integer tensors of a single element can be converted to an index");
  return PyLong_FromLongLong(item(t).to_long());
} catch (...) {
  return set_python_error();
}

PyNumberMethods make_number_methods() {
  PyNumberMethods m{};
#define OW_BINARY(slot, method) fill<k_##slot>(m.slot);
#define OW_INPLACE(slot, method) fill_inplace<k_##slot>(m.slot);
#define OW_UNARY(slot, method) m.slot = unary<k_##slot>;
#include "opweave/python/operators.def"
  m.nb_invert = invert;
  m.nb_bool = to_truth;
  m.nb_int = to_int;
  m.nb_float = to_float;
  m.nb_index = to_index;
  return m;
}

PyObject* fail_unary(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) {
  PyErr_SetString(PyExc_NotImplementedError, "this build has no such operator");
  return nullptr;
}

FastFunction or_failing(FastFunction f) { return f == nullptr ? fail_unary : f; }

}  // namespace

PyNumberMethods tensor_number_methods = make_number_methods();

// An array of NumPy is compared element by element, whichever side it is on: left to Python, `==`
// would be whether the two are one object.
PyObject* tensor_compare(PyObject* a, PyObject* b, int op) try {
  if (is_tensor(a) && is_numpy_array(b)) {
    const PyPtr other = PyPtr::steal(wrap(*tensor_from_array(b)));
    return call_binary(comparisons[op], a, other.get());
  }
  return call_binary(comparisons[op], a, b);
} catch (...) {
  return set_python_error();
}

void link_tensor_operators() {
#define OW_BINARY(slot, method) functions[k_##slot] = find_fast_method(method);
#define OW_INPLACE(slot, method) functions[k_##slot] = find_fast_method(method);
#define OW_UNARY(slot, method) functions[k_##slot] = or_failing(find_fast_method(method));
#define OW_COMPARISON(op, method) comparisons[op] = find_fast_method(method);
#include "opweave/python/operators.def"
}

}  // namespace opweave::python

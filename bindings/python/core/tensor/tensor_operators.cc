// Python's operators on tensors: which operator of ops.yaml each of them is.
//
// The C functions are those of the generated methods, found by name at import. A reflected
// operation (2 - t) is the function form with the number first, as in opweave.sub(2, t).
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/tensor/tensor_type.h"

namespace opweave::python {
namespace {

enum Dunder {
  kAdd,
  kSub,
  kMul,
  kTrueDivide,
  kFloorDivide,
  kRemainder,
  kPower,
  kMatmul,
  kAnd,
  kOr,
  kXor,
  kLeftShift,
  kRightShift,
  kInplaceAdd,
  kInplaceSub,
  kInplaceMul,
  kInplaceTrueDivide,
  kInplaceFloorDivide,
  kInplaceRemainder,
  kInplacePower,
  kInplaceAnd,
  kInplaceOr,
  kInplaceXor,
  kInplaceLeftShift,
  kInplaceRightShift,
  kNegative,
  kAbsolute,
  kInvert,
  kPositive,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterEqual,  // in the order of Py_LT …
  kNumDunders
};

constexpr const char* kMethodNames[kNumDunders] = {"add",
                                                   "sub",
                                                   "mul",
                                                   "div",
                                                   "floor_divide",
                                                   "remainder",
                                                   "pow",
                                                   "matmul",
                                                   "bitwise_and",
                                                   "bitwise_or",
                                                   "bitwise_xor",
                                                   "bitwise_left_shift",
                                                   "bitwise_right_shift",
                                                   "add_",
                                                   "sub_",
                                                   "mul_",
                                                   "div_",
                                                   "floor_divide_",
                                                   "remainder_",
                                                   "pow_",
                                                   "bitwise_and_",
                                                   "bitwise_or_",
                                                   "bitwise_xor_",
                                                   "bitwise_left_shift_",
                                                   "bitwise_right_shift_",
                                                   "neg",
                                                   "abs",
                                                   "bitwise_not",
                                                   "positive",
                                                   "lt",
                                                   "le",
                                                   "eq",
                                                   "ne",
                                                   "gt",
                                                   "ge"};

FastFunction functions[kNumDunders];

bool is_operand(PyObject* o) { return is_tensor(o) || is_plain_number(o); }

// Operands of foreign types get their own chance, and then Python's error.
PyObject* call_binary(int which, PyObject* a, PyObject* b) {
  FastFunction f = functions[which];
  if (f == nullptr || !is_operand(a) || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  if (is_tensor(a)) return f(a, &b, 1, nullptr);
  PyObject* const args[] = {a, b};
  return f(nullptr, args, 2, nullptr);
}

template <int kWhich>
PyObject* binary(PyObject* a, PyObject* b) {
  return call_binary(kWhich, a, b);
}

// In-place forms have the tensor on the left; without such an operator Python takes the other.
template <int kWhich>
PyObject* inplace(PyObject* a, PyObject* b) {
  FastFunction f = functions[kWhich];
  if (f == nullptr || !is_operand(b)) Py_RETURN_NOTIMPLEMENTED;
  return f(a, &b, 1, nullptr);
}

template <int kWhich>
PyObject* unary(PyObject* a) {
  return functions[kWhich](a, nullptr, 0, nullptr);
}

PyObject* invert(PyObject* a) try {
  OW_CHECK_TYPE(!tensor_of(a).is_floating_point(),
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors, got ",
                tensor_of(a).dtype());
  return unary<kInvert>(a);
} catch (...) {
  return set_python_error();
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return call_binary(kPower, a, b);
}
PyObject* inplace_power(PyObject* a, PyObject* b, PyObject*) {
  return inplace<kInplacePower>(a, b);
}

const Tensor& one_element(PyObject* self) {
  const Tensor& t = tensor_of(self);
  OW_CHECK_VALUE(t.numel() == 1, "only one element tensors can be converted to Python scalars");
  return t;
}

int to_truth(PyObject* self) try {
  const Tensor& t = tensor_of(self);
  OW_CHECK(t.numel() > 0, "Boolean value of Tensor with no values is ambiguous");
  OW_CHECK(t.numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return item(t).to_bool() ? 1 : 0;
} catch (...) {
  return set_python_error_int();
}

PyObject* to_int(PyObject* self) try {
  const Scalar value = item(one_element(self));
  // Python's own conversion, for its errors on NaN and infinity.
  if (value.is_floating()) return PyLong_FromDouble(value.to_double());
  return value.is_bool() ? PyLong_FromLong(value.to_bool()) : wrap(value);
} catch (...) {
  return set_python_error();
}

PyObject* to_float(PyObject* self) try {
  return PyFloat_FromDouble(item(one_element(self)).to_double());
} catch (...) {
  return set_python_error();
}

PyObject* to_index(PyObject* self) try {
  const Tensor& t = tensor_of(self);
  OW_CHECK_TYPE(is_integral(t.dtype(), /*include_bool=*/true) && t.numel() == 1,
                "only integer tensors of a single element can be converted to an index");
  return PyLong_FromLongLong(item(t).to_long());
} catch (...) {
  return set_python_error();
}

PyNumberMethods make_number_methods() {
  PyNumberMethods m{};
  m.nb_add = binary<kAdd>;
  m.nb_subtract = binary<kSub>;
  m.nb_multiply = binary<kMul>;
  m.nb_true_divide = binary<kTrueDivide>;
  m.nb_floor_divide = binary<kFloorDivide>;
  m.nb_remainder = binary<kRemainder>;
  m.nb_power = power;
  m.nb_matrix_multiply = binary<kMatmul>;
  m.nb_and = binary<kAnd>;
  m.nb_or = binary<kOr>;
  m.nb_xor = binary<kXor>;
  m.nb_lshift = binary<kLeftShift>;
  m.nb_rshift = binary<kRightShift>;
  m.nb_inplace_add = inplace<kInplaceAdd>;
  m.nb_inplace_subtract = inplace<kInplaceSub>;
  m.nb_inplace_multiply = inplace<kInplaceMul>;
  m.nb_inplace_true_divide = inplace<kInplaceTrueDivide>;
  m.nb_inplace_floor_divide = inplace<kInplaceFloorDivide>;
  m.nb_inplace_remainder = inplace<kInplaceRemainder>;
  m.nb_inplace_power = inplace_power;
  m.nb_inplace_and = inplace<kInplaceAnd>;
  m.nb_inplace_or = inplace<kInplaceOr>;
  m.nb_inplace_xor = inplace<kInplaceXor>;
  m.nb_inplace_lshift = inplace<kInplaceLeftShift>;
  m.nb_inplace_rshift = inplace<kInplaceRightShift>;
  m.nb_negative = unary<kNegative>;
  m.nb_absolute = unary<kAbsolute>;
  m.nb_invert = invert;
  m.nb_positive = unary<kPositive>;
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

}  // namespace

PyNumberMethods tensor_number_methods = make_number_methods();

PyObject* tensor_compare(PyObject* a, PyObject* b, int op) { return call_binary(kLess + op, a, b); }

void link_tensor_operators() {
  for (int i = 0; i < kNumDunders; ++i) {
    functions[i] = find_fast_method(kMethodNames[i]);
    const bool is_unary = i >= kNegative && i <= kPositive;
    if (is_unary && functions[i] == nullptr) functions[i] = fail_unary;
  }
}

}  // namespace opweave::python

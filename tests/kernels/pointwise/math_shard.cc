// One expression per function of the vocabulary.
#define OW_POINTWISE_FILE "tests/kernels/pointwise/math_shard.cc"
#include "kernels/cpu/pointwise/begin.h"

#undef OW_UNARY_FUNCTIONS
#define OW_UNARY_FUNCTIONS(X)                                                                    \
  X(exp)                                                                                         \
  X(exp2)                                                                                        \
  X(expm1)                                                                                       \
  X(log)                                                                                         \
  X(log2)                                                                                        \
  X(log10)                                                                                       \
  X(log1p) X(sqrt) X(rsqrt) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) \
      X(asinh) X(acosh) X(atanh) X(erf) X(erfc) X(erfinv) X(lgamma) X(digamma) X(trigamma)       \
          X(sigmoid) X(reciprocal) X(i0) X(i1) X(i0e) X(i1e)
#undef OW_ANY_UNARY_FUNCTIONS
#define OW_ANY_UNARY_FUNCTIONS(X) \
  X(floor)                        \
  X(ceil) X(round) X(trunc) X(abs) X(neg) X(sign) X(square) X(relu) X(isnan) X(isinf) X(isfinite)
#undef OW_BINARY_FUNCTIONS
#define OW_BINARY_FUNCTIONS(X) \
  X(pow) X(fmod) X(remainder) X(floor_div) X(trunc_div) X(max) X(min) X(lt) X(le) X(eq) X(ne)
#undef OW_FLOAT_BINARY_FUNCTIONS
#define OW_FLOAT_BINARY_FUNCTIONS(X) X(atan2) X(hypot) X(copysign) X(div)
#undef OW_INTEGER_BINARY_FUNCTIONS
#define OW_INTEGER_BINARY_FUNCTIONS(X) \
  X(shift_left) X(shift_right) X(bitwise_and) X(bitwise_xor) X(gcd)

#undef OW_DEFINE
#define OW_DEFINE(name, inputs, dtypes)                             \
  struct math_##name##_expr {                                       \
    template <class D>                                              \
    static OW_POINTWISE auto apply(D, auto... x) {                  \
      return m::name(x...);                                         \
    }                                                               \
  };                                                                \
  const PointwiseLoops* math_##name##_loops() {                     \
    static const PointwiseLoops loops =                             \
        make_loops<math_##name##_expr, inputs, 0, dtypes, false>(); \
    return &loops;                                                  \
  }
#undef OW_TEST_UNARY
#define OW_TEST_UNARY(name) OW_DEFINE(name, 1, dtypes::kCommonFloating)
#undef OW_TEST_ANY_UNARY
#define OW_TEST_ANY_UNARY(name) OW_DEFINE(name, 1, dtypes::kCommonNumeric)
#undef OW_TEST_BINARY
#define OW_TEST_BINARY(name) OW_DEFINE(name, 2, dtypes::kCommonNumeric)
#undef OW_TEST_FLOAT_BINARY
#define OW_TEST_FLOAT_BINARY(name) OW_DEFINE(name, 2, dtypes::kCommonFloating)
#undef OW_TEST_INTEGER_BINARY
#define OW_TEST_INTEGER_BINARY(name) OW_DEFINE(name, 2, 0x03f)

OW_POINTWISE_BEGIN
OW_UNARY_FUNCTIONS(OW_TEST_UNARY)
OW_ANY_UNARY_FUNCTIONS(OW_TEST_ANY_UNARY)
OW_BINARY_FUNCTIONS(OW_TEST_BINARY)
OW_FLOAT_BINARY_FUNCTIONS(OW_TEST_FLOAT_BINARY)
OW_INTEGER_BINARY_FUNCTIONS(OW_TEST_INTEGER_BINARY)
OW_DEFINE(conj, 1, dtypes::kCommon | dtypes::kComplex)

// Numbers that have no place in small integers.
struct math_less_expr {
  template <class D>
  static OW_POINTWISE auto apply(D d, auto x) {
    return m::add(x, m::lit(d, -4.0));
  }
};
const PointwiseLoops* math_less_loops() {
  static const PointwiseLoops loops =
      make_loops<math_less_expr, 1, 0, dtypes::kCommonNumeric, false>();
  return &loops;
}
struct math_many_expr {
  template <class D>
  static OW_POINTWISE auto apply(D d, auto x) {
    return m::add(m::mul(x, m::lit(d, -7.0)), m::lit(d, 300.0));
  }
};
const PointwiseLoops* math_many_loops() {
  static const PointwiseLoops loops =
      make_loops<math_many_expr, 1, 0, dtypes::kCommonNumeric, false>();
  return &loops;
}
OW_POINTWISE_END

#if OW_POINTWISE_ONCE
#include "tests/kernels/pointwise/math_shard.h"

namespace opweave::cpu {

#define OW_ALL_FUNCTIONS(X) \
  OW_UNARY_FUNCTIONS(X)     \
  OW_ANY_UNARY_FUNCTIONS(X) \
  OW_BINARY_FUNCTIONS(X) OW_FLOAT_BINARY_FUNCTIONS(X) OW_INTEGER_BINARY_FUNCTIONS(X)
#define OW_EXPORT(name) OW_EXPORT_LOOPS(math_##name##_loops);
OW_ALL_FUNCTIONS(OW_EXPORT)
OW_EXPORT(conj)
OW_EXPORT(less)
OW_EXPORT(many)

const PointwiseLoops* math_loops(std::string_view wanted) {
#define OW_FIND(name) \
  if (wanted == #name) return OW_LOOPS(math_##name##_loops);
  OW_ALL_FUNCTIONS(OW_FIND)
  OW_FIND(conj)
  OW_FIND(less)
  OW_FIND(many)
  return nullptr;
}

}  // namespace opweave::cpu
#endif

// A shard of pointwise kernels written by hand in the shape that the generator prints: the proof
// that the interface of kernels/cpu/pointwise holds, apart from any generator.
#define OW_POINTWISE_FILE "tests/kernels/pointwise/example_shard.cc"
#include "kernels/cpu/pointwise/begin.h"
OW_POINTWISE_BEGIN

struct add_example_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self,
                                 [[maybe_unused]] auto other, [[maybe_unused]] auto alpha) {
    return m::add(self, m::mul(alpha, other));
  }
};
const PointwiseLoops* add_example_loops() {
  static const PointwiseLoops loops = make_loops<add_example_expr, 2, 1, /*dtypes=*/dtypes::kCommon,
                                                 /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

struct exp_example_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self) {
    return m::exp(self);
  }
};
const PointwiseLoops* exp_example_loops() {
  static const PointwiseLoops loops = make_loops<exp_example_expr, 1, 0, /*dtypes=*/dtypes::kCommon,
                                                 /*int_to_float=*/true, /*bool_inputs=*/0>();
  return &loops;
}

struct lt_example_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self,
                                 [[maybe_unused]] auto other) {
    return m::lt(self, other);
  }
};
const PointwiseLoops* lt_example_loops() {
  static const PointwiseLoops loops = make_loops<lt_example_expr, 2, 0, /*dtypes=*/dtypes::kCommon,
                                                 /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

struct where_example_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto condition,
                                 [[maybe_unused]] auto self, [[maybe_unused]] auto other) {
    return m::select(condition, self, other);
  }
};
const PointwiseLoops* where_example_loops() {
  static const PointwiseLoops loops =
      make_loops<where_example_expr, 3, 0, /*dtypes=*/dtypes::kCommon,
                 /*int_to_float=*/false, /*bool_inputs=*/1>();
  return &loops;
}

struct pow_example_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self,
                                 [[maybe_unused]] auto exponent) {
    return m::pow(self, exponent);
  }
};
const PointwiseLoops* pow_example_loops() {
  static const PointwiseLoops loops =
      make_loops<pow_example_expr, 1, 1, /*dtypes=*/dtypes::kCommonNumeric,
                 /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

struct silu_example_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self) {
    return m::mul(self, m::sigmoid(self));
  }
};
const PointwiseLoops* silu_example_loops() {
  static const PointwiseLoops loops =
      make_loops<silu_example_expr, 1, 0, /*dtypes=*/dtypes::kCommonFloating,
                 /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

OW_POINTWISE_END

#if OW_POINTWISE_ONCE
#include "tests/kernels/pointwise/example_shard.h"

namespace opweave {

constexpr DtypeMask kAnyDtype = dtypes::kEvery;

// In its own file in generated code, shared by all targets.
constexpr PointwiseSpec add_example_spec{"add",
                                         2,
                                         1,
                                         PointwisePromotion::kDefault,
                                         OperandKind::kCommon,
                                         dtypes::kCommon,
                                         {},
                                         {"self", "other"},
                                         {kAnyDtype, kAnyDtype},
                                         {false},
                                         {"alpha"},
                                         {},
                                         {},
                                         {},
                                         false,
                                         true};
constexpr PointwiseSpec exp_example_spec{"exp",
                                         1,
                                         0,
                                         PointwisePromotion::kIntToFloat,
                                         OperandKind::kCommon,
                                         dtypes::kCommon,
                                         {},
                                         {"self"},
                                         {kAnyDtype},
                                         {},
                                         {},
                                         {},
                                         {},
                                         {},
                                         false,
                                         true};
constexpr PointwiseSpec lt_example_spec{"lt",
                                        2,
                                        0,
                                        PointwisePromotion::kDefault,
                                        OperandKind::kBool,
                                        dtypes::kCommon,
                                        {},
                                        {"self", "other"},
                                        {kAnyDtype, kAnyDtype},
                                        {},
                                        {},
                                        {},
                                        {},
                                        {},
                                        false,
                                        true};
constexpr PointwiseSpec where_example_spec{
    "where",
    3,
    0,
    PointwisePromotion::kDefault,
    OperandKind::kCommon,
    dtypes::kCommon,
    {OperandKind::kBool, OperandKind::kCommon, OperandKind::kCommon},
    {"condition", "self", "other"},
    {kAnyDtype, kAnyDtype, kAnyDtype},
    {},
    {},
    {},
    {},
    {},
    false,
    true};
constexpr PointwiseSpec pow_example_spec{"pow",
                                         1,
                                         1,
                                         PointwisePromotion::kDefault,
                                         OperandKind::kCommon,
                                         dtypes::kCommonNumeric,
                                         {},
                                         {"self"},
                                         {kAnyDtype},
                                         {true},
                                         {},
                                         {},
                                         {},
                                         {},
                                         false,
                                         true};
constexpr PointwiseSpec silu_example_spec{"silu",
                                          1,
                                          0,
                                          PointwisePromotion::kDefault,
                                          OperandKind::kCommon,
                                          dtypes::kCommonFloating,
                                          {},
                                          {"self"},
                                          {kAnyDtype},
                                          {},
                                          {}};

namespace cpu {

OW_EXPORT_LOOPS(add_example_loops);
OW_EXPORT_LOOPS(exp_example_loops);
OW_EXPORT_LOOPS(lt_example_loops);
OW_EXPORT_LOOPS(where_example_loops);
OW_EXPORT_LOOPS(pow_example_loops);
OW_EXPORT_LOOPS(silu_example_loops);

Tensor add_example(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor* const inputs[] = {&self, &other};
  const Scalar params[] = {alpha};
  const PointwiseLoops* const loops = OW_LOOPS(add_example_loops);
  return run_pointwise(add_example_spec, *loops, inputs, params);
}
Tensor& add_example_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor* const inputs[] = {&self, &other};
  const Scalar params[] = {alpha};
  const PointwiseLoops* const loops = OW_LOOPS(add_example_loops);
  run_pointwise_into(add_example_spec, *loops, self, /*resize=*/false, inputs, params);
  return self;
}
Tensor& add_example_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor* const inputs[] = {&self, &other};
  const Scalar params[] = {alpha};
  const PointwiseLoops* const loops = OW_LOOPS(add_example_loops);
  run_pointwise_into(add_example_spec, *loops, out, /*resize=*/true, inputs, params);
  return out;
}
Tensor exp_example(const Tensor& self) {
  const Tensor* const inputs[] = {&self};
  const PointwiseLoops* const loops = OW_LOOPS(exp_example_loops);
  return run_pointwise(exp_example_spec, *loops, inputs, {});
}
Tensor lt_example(const Tensor& self, const Tensor& other) {
  const Tensor* const inputs[] = {&self, &other};
  const PointwiseLoops* const loops = OW_LOOPS(lt_example_loops);
  return run_pointwise(lt_example_spec, *loops, inputs, {});
}
Tensor where_example(const Tensor& condition, const Tensor& self, const Tensor& other) {
  const Tensor* const inputs[] = {&condition, &self, &other};
  const PointwiseLoops* const loops = OW_LOOPS(where_example_loops);
  return run_pointwise(where_example_spec, *loops, inputs, {});
}
Tensor pow_example(const Tensor& self, const Scalar& exponent) {
  const Tensor* const inputs[] = {&self};
  const Scalar params[] = {exponent};
  const PointwiseLoops* const loops = OW_LOOPS(pow_example_loops);
  return run_pointwise(pow_example_spec, *loops, inputs, params);
}
Tensor silu_example(const Tensor& self) {
  const Tensor* const inputs[] = {&self};
  const PointwiseLoops* const loops = OW_LOOPS(silu_example_loops);
  return run_pointwise(silu_example_spec, *loops, inputs, {});
}

}  // namespace cpu
}  // namespace opweave
#endif

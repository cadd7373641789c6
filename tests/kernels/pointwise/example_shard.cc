// A shard of pointwise kernels written by hand in the shape that the generator prints: the proof
// that the interface of kernels/cpu/pointwise holds, apart from any generator.
#define OW_POINTWISE_FILE "tests/kernels/pointwise/example_shard.cc"
#include "kernels/cpu/pointwise/begin.h"
OW_POINTWISE_BEGIN

struct add_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self,
                                 [[maybe_unused]] auto other, [[maybe_unused]] auto alpha) {
    return m::add(self, m::mul(alpha, other));
  }
};
const PointwiseLoops* add_loops() {
  static const PointwiseLoops loops =
      make_loops<add_expr, 2, 1, /*dtypes=*/0x3ff, /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

struct exp_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self) {
    return m::exp(self);
  }
};
const PointwiseLoops* exp_loops() {
  static const PointwiseLoops loops =
      make_loops<exp_expr, 1, 0, /*dtypes=*/0x3ff, /*int_to_float=*/true, /*bool_inputs=*/0>();
  return &loops;
}

struct lt_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self,
                                 [[maybe_unused]] auto other) {
    return m::lt(self, other);
  }
};
const PointwiseLoops* lt_loops() {
  static const PointwiseLoops loops =
      make_loops<lt_expr, 2, 0, /*dtypes=*/0x3ff, /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

struct where_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto condition,
                                 [[maybe_unused]] auto self, [[maybe_unused]] auto other) {
    return m::select(condition, self, other);
  }
};
const PointwiseLoops* where_loops() {
  static const PointwiseLoops loops =
      make_loops<where_expr, 3, 0, /*dtypes=*/0x3ff, /*int_to_float=*/false, /*bool_inputs=*/1>();
  return &loops;
}

struct pow_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self,
                                 [[maybe_unused]] auto exponent) {
    return m::pow(self, exponent);
  }
};
const PointwiseLoops* pow_loops() {
  static const PointwiseLoops loops =
      make_loops<pow_expr, 1, 1, /*dtypes=*/0x3fe, /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

struct silu_expr {
  template <class D>
  static OW_POINTWISE auto apply([[maybe_unused]] D d, [[maybe_unused]] auto self) {
    return m::mul(self, m::sigmoid(self));
  }
};
const PointwiseLoops* silu_loops() {
  static const PointwiseLoops loops =
      make_loops<silu_expr, 1, 0, /*dtypes=*/0x3c0, /*int_to_float=*/false, /*bool_inputs=*/0>();
  return &loops;
}

OW_POINTWISE_END

#if OW_POINTWISE_ONCE
#include "tests/kernels/pointwise/example_shard.h"

namespace opweave {

// In its own file in generated code, shared by all targets.
constexpr PointwiseSpec add_spec{"add", 2, 1, PointwisePromotion::kDefault, OperandKind::kCommon,
                                 0x3ff, {}, {"self", "other"}, {false}, {"alpha"}};
constexpr PointwiseSpec exp_spec{"exp", 1, 0, PointwisePromotion::kIntToFloat, OperandKind::kCommon,
                                 0x3ff, {}, {"self"}, {}, {}};
constexpr PointwiseSpec lt_spec{"lt", 2, 0, PointwisePromotion::kDefault, OperandKind::kBool,
                                0x3ff, {}, {"self", "other"}, {}, {}};
constexpr PointwiseSpec where_spec{
    "where", 3, 0, PointwisePromotion::kDefault, OperandKind::kCommon, 0x3ff,
    {OperandKind::kBool, OperandKind::kCommon, OperandKind::kCommon},
    {"condition", "self", "other"}, {}, {}};
constexpr PointwiseSpec pow_spec{"pow", 1, 1, PointwisePromotion::kDefault, OperandKind::kCommon,
                                 0x3fe, {}, {"self"}, {true}, {}};
constexpr PointwiseSpec silu_spec{"silu", 1, 0, PointwisePromotion::kDefault, OperandKind::kCommon,
                                  0x3c0, {}, {"self"}, {}, {}};

namespace cpu {

OW_EXPORT_LOOPS(add_loops);
OW_EXPORT_LOOPS(exp_loops);
OW_EXPORT_LOOPS(lt_loops);
OW_EXPORT_LOOPS(where_loops);
OW_EXPORT_LOOPS(pow_loops);
OW_EXPORT_LOOPS(silu_loops);

Tensor add_example(const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor* const inputs[] = {&self, &other};
  const Scalar params[] = {alpha};
  const PointwiseLoops* const loops = OW_LOOPS(add_loops);
  return run_pointwise(add_spec, *loops, inputs, params);
}
Tensor& add_example_(Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor* const inputs[] = {&self, &other};
  const Scalar params[] = {alpha};
  const PointwiseLoops* const loops = OW_LOOPS(add_loops);
  run_pointwise_into(add_spec, *loops, self, /*resize=*/false, inputs, params);
  return self;
}
Tensor& add_example_out(Tensor& out, const Tensor& self, const Tensor& other, const Scalar& alpha) {
  const Tensor* const inputs[] = {&self, &other};
  const Scalar params[] = {alpha};
  const PointwiseLoops* const loops = OW_LOOPS(add_loops);
  run_pointwise_into(add_spec, *loops, out, /*resize=*/true, inputs, params);
  return out;
}
Tensor exp_example(const Tensor& self) {
  const Tensor* const inputs[] = {&self};
  const PointwiseLoops* const loops = OW_LOOPS(exp_loops);
  return run_pointwise(exp_spec, *loops, inputs, {});
}
Tensor lt_example(const Tensor& self, const Tensor& other) {
  const Tensor* const inputs[] = {&self, &other};
  const PointwiseLoops* const loops = OW_LOOPS(lt_loops);
  return run_pointwise(lt_spec, *loops, inputs, {});
}
Tensor where_example(const Tensor& condition, const Tensor& self, const Tensor& other) {
  const Tensor* const inputs[] = {&condition, &self, &other};
  const PointwiseLoops* const loops = OW_LOOPS(where_loops);
  return run_pointwise(where_spec, *loops, inputs, {});
}
Tensor pow_example(const Tensor& self, const Scalar& exponent) {
  const Tensor* const inputs[] = {&self};
  const Scalar params[] = {exponent};
  const PointwiseLoops* const loops = OW_LOOPS(pow_loops);
  return run_pointwise(pow_spec, *loops, inputs, params);
}
Tensor silu_example(const Tensor& self) {
  const Tensor* const inputs[] = {&self};
  const PointwiseLoops* const loops = OW_LOOPS(silu_loops);
  return run_pointwise(silu_spec, *loops, inputs, {});
}

}  // namespace cpu
}  // namespace opweave
#endif

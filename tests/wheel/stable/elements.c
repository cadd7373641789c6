/* An operator of elements by tables alone, in C: softsign with its three forms and its gradient. */
#include <stddef.h>

#include "opweave/stable/abi.h"

static const OwApi* api;
static OwHandle backward;

static double magnitude(double x) { return x < 0 ? -x : x; }

static void loop_double(void* out, const void* const* inputs, const OwNumber* numbers, int64_t n) {
  const double* x = inputs[0];
  const double scale = numbers[0].dtype == OW_DTYPE_Double ? numbers[0].as.real : (double)numbers[0].as.integer;
  for (int64_t i = 0; i < n; ++i) ((double*)out)[i] = x[i] / (scale + magnitude(x[i]));
}
static void loop_float(void* out, const void* const* inputs, const OwNumber* numbers, int64_t n) {
  const float* x = inputs[0];
  const double scale = numbers[0].dtype == OW_DTYPE_Double ? numbers[0].as.real : (double)numbers[0].as.integer;
  for (int64_t i = 0; i < n; ++i) ((float*)out)[i] = (float)(x[i] / (scale + magnitude(x[i])));
}
static void backward_double(void* out, const void* const* inputs, const OwNumber* numbers, int64_t n) {
  const double *grad = inputs[0], *x = inputs[1];
  const double scale = numbers[0].dtype == OW_DTYPE_Double ? numbers[0].as.real : (double)numbers[0].as.integer;
  for (int64_t i = 0; i < n; ++i) {
    const double below = scale + magnitude(x[i]);
    ((double*)out)[i] = grad[i] * scale / (below * below);
  }
}
/* Wrong on purpose: it is for a processor that there is not. */
static void loop_of_the_future(void* out, const void* const* inputs, const OwNumber* numbers, int64_t n) {
  (void)inputs, (void)numbers;
  for (int64_t i = 0; i < n; ++i) ((double*)out)[i] = -1;
}

enum { FLOATS = 1 << OW_DTYPE_Float | 1 << OW_DTYPE_Double | 1 << OW_DTYPE_Half | 1 << OW_DTYPE_BFloat16 };
static const OwPointwiseInput inputs[] = {{OW_OPERAND_COMMON, FLOATS}, {OW_OPERAND_COMMON, FLOATS}};
static const OwPointwiseNumber numbers[] = {{1, 0, OW_NUMBER_OPERAND, 0}};
static const OwLoop loops[] = {{OW_DTYPE_Double, 99, loop_of_the_future},
                               {OW_DTYPE_Double, OW_ISA_ANY, loop_double},
                               {OW_DTYPE_Float, OW_ISA_ANY, loop_float}};
static const OwLoop backward_loops[] = {{OW_DTYPE_Double, OW_ISA_ANY, backward_double}};
static const OwPointwise softsign = {
    sizeof(OwPointwise), OW_PROMOTE, OW_OPERAND_COMMON, 0, 0, FLOATS, inputs, 1, 1, numbers, loops, 3};
static const OwPointwise softsign_backward = {
    sizeof(OwPointwise), OW_PROMOTE, OW_OPERAND_COMMON, 0, 0, FLOATS, inputs, 2, 1, numbers, backward_loops, 1};

static OwStatus gradient(void* context, const OwBackward* call, const OwTensor* gradients, uint32_t n,
                         OwResults* results) {
  (void)context, (void)n;
  OwValue arguments[3] = {{OW_TENSOR, 0, {gradients[0]}}}, result = {0};
  OwStatus status = api->backward_saved(call, 0, &arguments[1]);
  if (status == OW_DONE) status = api->backward_saved(call, 1, &arguments[2]);
  if (status == OW_DONE) status = api->operator_call(backward, arguments, 3, &result, 1);
  if (status == OW_DONE) status = api->result_set(results, 0, &result);
  api->value_release(&arguments[1]);
  api->value_release(&arguments[2]);
  api->value_release(&result);
  return status;
}
static const OwSaved saved[] = {{OW_SAVE_ARGUMENT, 0}, {OW_SAVE_ARGUMENT, 1}};
static const OwGradient differentiated = {sizeof(OwGradient), 2, saved, 0, gradient, NULL};

#ifndef OPERATOR_SIZE
#define OPERATOR_SIZE sizeof(OwOperator)
#endif
#define OPERATOR(schema, table, gradient, flags, handle) \
  {OPERATOR_SIZE, OW_BATCH_DEFAULT, schema, "elements.yaml:3", NULL, table, gradient, 0, flags, handle}
static const OwOperator functional =
    OPERATOR("softsign(Tensor self, *, Scalar scale=1) -> Tensor", &softsign, &differentiated, 0, NULL);
static const OwOperator in_place = OPERATOR("softsign_(Tensor(a!) self, *, Scalar scale=1) -> Tensor(a!)",
                                            &softsign, &differentiated, 0, NULL);
static const OwOperator out = OPERATOR(
    "softsign.out(Tensor self, *, Scalar scale=1, Tensor(a!) out) -> Tensor(a!)", &softsign, NULL, 0, NULL);
static const OwOperator of_gradient = {sizeof(OwOperator), OW_BATCH_DEFAULT,
    "_softsign_backward(Tensor grad, Tensor self, Scalar scale) -> Tensor", NULL, NULL, &softsign_backward, NULL,
    0, OW_INTERNAL, &backward};
static const OwOperator* const operators[] = {&functional, &in_place, &out, &of_gradient};

static OwStatus start(const OwApi* given) {
  api = given;
  return OW_DONE;
}

#ifndef MAJOR
#define MAJOR OW_ABI_MAJOR
#endif
const OwLibrary* opweave_library(void) {
  static const OwLibrary library = {sizeof(OwLibrary), MAJOR, 0, 4, "elements", "0.1.0", operators, NULL, 0, start};
  return &library;
}

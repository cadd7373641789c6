// A handwritten library for every release: compiled by the tests with compilers and flags that are
// not ours.
#include "opweave/stable/library.h"

using opweave::stable::Backward;
using opweave::stable::Error;
using opweave::stable::Operator;
using opweave::stable::Tensor;

#ifndef MUL
#define MUL "mul.Scalar(Tensor self, Scalar other) -> Tensor"
#endif
#ifndef FACTOR
#define FACTOR double
#endif
#ifndef NAME
#define NAME "scaled"
#endif

static Operator mul(MUL);
static Operator reshape("reshape(Tensor(a) self, int[] shape) -> Tensor(a)");

static Tensor scaled(const Tensor& self, FACTOR factor) {
  if (factor == 0)
    throw Error("scaled(): the factor is 0, expected another number", OW_VALUE_ERROR);
  if (self.dtype() != opweave::stable::kFloat64 || !self.is_contiguous()) return mul(self, factor);
  Tensor result = self.empty_like();
  const double* from = self.data<double>();
  double* to = result.data<double>();
  opweave::stable::parallel_for(0, self.numel(), 1 << 15, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = from[i] * static_cast<double>(factor);
  });
  return result;
}
static Tensor scaled_fake(const Tensor& self, double) { return self.empty_like(); }
static void scaled_gradient(const Backward& call) {
  if (call.needs(0)) call.set(0, mul(call.gradient(), call.saved<double>(1)));
}

// Of operators: what it calls is differentiated.
static std::tuple<Tensor, std::vector<int64_t>> flattened(const std::vector<Tensor>& tensors,
                                                          std::optional<std::string> word) {
  const int64_t words = word ? static_cast<int64_t>(word->size()) : -1;
  return {reshape(tensors.at(0), std::vector<int64_t>{-1}), {words, tensors.at(0).dim()}};
}

OPWEAVE_STABLE_LIBRARY(by_hand, library) {
#ifdef MINOR
  library.needs_minor(MINOR);
#endif
  library.define(NAME "(Tensor self, float factor=2.0) -> Tensor")
      .kernel("cpu", &scaled)
      .kernel("meta", &scaled_fake)
      .leading_dims()
      .save_argument(0)
      .save_argument(1)
      .gradient(&scaled_gradient);
  library.define("flattened(Tensor[] tensors, str? word=None) -> (Tensor, int[])")
      .kernel("cpu", &flattened);
}

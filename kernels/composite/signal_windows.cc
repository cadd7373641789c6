// Windows of signals: weights from 0 to 1 and back, functions of x from 0 to 1, computed in float64
// and rounded once.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/composite/new_tensor.h"
#include "kernels/composite/number_beside.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/bartlett_window.h"
#include "opweave/kernels/composite/blackman_window.h"
#include "opweave/kernels/composite/hamming_window.h"
#include "opweave/kernels/composite/kaiser_window.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/add.h"
#include "opweave/ops/arange.h"
#include "opweave/ops/clamp_min.h"
#include "opweave/ops/cos.h"
#include "opweave/ops/div.h"
#include "opweave/ops/exp.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/rsub.h"
#include "opweave/ops/special_i0e.h"
#include "opweave/ops/sqrt.h"
#include "opweave/ops/square.h"
#include "opweave/ops/sub.h"

namespace opweave::composite {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// cos(turns * x) * factor.
Tensor wave(const Tensor& x, double turns, double factor) {
  return opweave::mul(opweave::cos(opweave::mul(x, Scalar(turns))), Scalar(factor));
}

// 2 x - 1: from -1 to 1.
Tensor from_middle(const Tensor& x) { return opweave::sub(opweave::mul(x, Scalar(2)), Scalar(1)); }

// The weights at x from 0 to 1, or to before 1 for windows that repeat. A single one is 1.
Tensor window(int64_t length, bool periodic, const TensorOptions& options, const auto& weights) {
  Tensor result = new_tensor({length}, options);
  if (length == 0) return result;
  if (length == 1) return filled(result, 1);
  const Tensor numbers = ops::arange::call(length, kDouble, {}, result.device(), {});
  copy_into(result, weights(opweave::div(numbers, Scalar(periodic ? length : length - 1))));
  return result;
}

}  // namespace

Tensor hamming_window_periodic_alpha_beta(int64_t window_length, bool periodic, double alpha,
                                          double beta, std::optional<ScalarType> dtype,
                                          std::optional<Layout>, std::optional<Device> device,
                                          std::optional<bool> pin_memory) {
  return window(window_length, periodic, {dtype, device, pin_memory}, [&](const Tensor& x) {
    return opweave::rsub(wave(x, kTurn, beta), Scalar(alpha));
  });
}

Tensor blackman_window_periodic(int64_t window_length, bool periodic,
                                std::optional<ScalarType> dtype, std::optional<Layout>,
                                std::optional<Device> device, std::optional<bool> pin_memory) {
  return window(window_length, periodic, {dtype, device, pin_memory}, [](const Tensor& x) {
    const Tensor slow = opweave::rsub(wave(x, kTurn, 0.5), Scalar(0.42));
    return opweave::add(slow, wave(x, 2 * kTurn, 0.08));
  });
}

Tensor bartlett_window_periodic(int64_t window_length, bool periodic,
                                std::optional<ScalarType> dtype, std::optional<Layout>,
                                std::optional<Device> device, std::optional<bool> pin_memory) {
  return window(window_length, periodic, {dtype, device, pin_memory}, [](const Tensor& x) {
    return opweave::rsub(opweave::abs(from_middle(x)), Scalar(1));
  });
}

Tensor kaiser_window_beta(int64_t window_length, bool periodic, double beta,
                          std::optional<ScalarType> dtype, std::optional<Layout>,
                          std::optional<Device> device, std::optional<bool> pin_memory) {
  return window(window_length, periodic, {dtype, device, pin_memory}, [&](const Tensor& x) {
    const double size = std::abs(beta);
    const Tensor inside = opweave::rsub(opweave::square(from_middle(x)), Scalar(1));
    const Tensor root = opweave::sqrt(opweave::clamp_min(inside, Scalar(0)));
    // i0(size * root) / i0(size), both scaled, so that neither is infinite.
    const Tensor scaled = opweave::special_i0e(opweave::mul(root, Scalar(size)));
    const Tensor whole = opweave::special_i0e(number_beside(x, size));
    const Tensor rest = opweave::exp(opweave::mul(opweave::sub(root, Scalar(1)), Scalar(size)));
    return opweave::mul(opweave::div(scaled, whole), rest);
  });
}

}  // namespace opweave::composite

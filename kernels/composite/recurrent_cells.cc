// One step of a recurrent network as an operator.
#include <array>

#include "kernels/composite/recurrent.h"
#include "opweave/kernels/composite/gru_cell.h"
#include "opweave/kernels/composite/lstm_cell.h"
#include "opweave/kernels/composite/rnn_relu_cell.h"
#include "opweave/kernels/composite/rnn_tanh_cell.h"
#include "opweave/ops/linear.h"

namespace opweave::composite {
namespace {

Tensor single(std::string_view name, int64_t gates, RecurrentStep step, const Tensor& input,
              const Tensor& hx, const RecurrentWeights& weights) {
  check_cell(name, gates, input, {&hx, 1}, weights.w_ih, weights.w_hh);
  const Tensor products = opweave::linear(input, weights.w_ih, weights.b_ih);
  return step(products, {hx, {}}, weights).hidden;
}

}  // namespace

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, TensorList hx, const Tensor& w_ih,
                                     const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {
  check_cell("lstm_cell", 4, input, {hx.begin(), hx.end()}, w_ih, w_hh);
  const Tensor products = opweave::linear(input, w_ih, b_ih);
  RecurrentState next = lstm_step(products, {hx[0], hx[1]}, {w_ih, w_hh, b_ih, b_hh, {}});
  return {std::move(next.hidden), std::move(next.cell)};
}

Tensor gru_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                const Tensor& b_ih, const Tensor& b_hh) {
  return single("gru_cell", 3, gru_step, input, hx, {w_ih, w_hh, b_ih, b_hh, {}});
}
Tensor rnn_tanh_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh) {
  return single("rnn_tanh_cell", 1, tanh_step, input, hx, {w_ih, w_hh, b_ih, b_hh, {}});
}
Tensor rnn_relu_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh,
                     const Tensor& b_ih, const Tensor& b_hh) {
  return single("rnn_relu_cell", 1, relu_step, input, hx, {w_ih, w_hh, b_ih, b_hh, {}});
}

}  // namespace opweave::composite

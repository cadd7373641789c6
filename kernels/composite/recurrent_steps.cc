// One step of each kind of recurrent network.
#include "kernels/composite/recurrent.h"
#include "opweave/ops/add.h"
#include "opweave/ops/linear.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/relu.h"
#include "opweave/ops/sigmoid.h"
#include "opweave/ops/sub.h"
#include "opweave/ops/tanh.h"
#include "opweave/ops/unsafe_chunk.h"

namespace opweave::composite {
namespace {

Tensor of_hidden(const RecurrentState& state, const RecurrentWeights& weights) {
  return opweave::linear(state.hidden, weights.w_hh, weights.b_hh);
}

// What belongs to each of `count` gates.
std::vector<Tensor> gates_of(const Tensor& products, int64_t count) {
  const int64_t rows = products.size(1);
  OW_CHECK(rows % count == 0, "recurrent networks: expected weights of ", count,
           " gates of one size, but they have ", rows, " rows");
  return opweave::unsafe_chunk(products, count, 1);
}

}  // namespace

RecurrentState lstm_step(const Tensor& gates, const RecurrentState& state,
                         const RecurrentWeights& weights) {
  const auto parts = gates_of(opweave::add(gates, of_hidden(state, weights)), 4);
  const Tensor kept = opweave::mul(opweave::sigmoid(parts[1]), state.cell);
  const Tensor added = opweave::mul(opweave::sigmoid(parts[0]), opweave::tanh(parts[2]));
  const Tensor cell = opweave::add(kept, added);
  return {opweave::mul(opweave::sigmoid(parts[3]), opweave::tanh(cell)), cell};
}

RecurrentState gru_step(const Tensor& gates, const RecurrentState& state,
                        const RecurrentWeights& weights) {
  const auto x = gates_of(gates, 3);
  const auto h = gates_of(of_hidden(state, weights), 3);
  const Tensor reset = opweave::sigmoid(opweave::add(x[0], h[0]));
  const Tensor update = opweave::sigmoid(opweave::add(x[1], h[1]));
  const Tensor made = opweave::tanh(opweave::add(x[2], opweave::mul(reset, h[2])));
  return {opweave::add(opweave::mul(opweave::sub(state.hidden, made), update), made), {}};
}

RecurrentState tanh_step(const Tensor& gates, const RecurrentState& state,
                         const RecurrentWeights& weights) {
  return {opweave::tanh(opweave::add(of_hidden(state, weights), gates)), {}};
}

RecurrentState relu_step(const Tensor& gates, const RecurrentState& state,
                         const RecurrentWeights& weights) {
  return {opweave::relu(opweave::add(of_hidden(state, weights), gates)), {}};
}

}  // namespace opweave::composite

// What recurrent networks and their cells share.
//
// Shapes: a sequence is (T, N, features), or packed (elements, features), of which step t has the
// next batch_sizes[t]; a state is (N, hidden), the states of a network (layers * directions, N,
// hidden).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::composite {

// Of one layer in one direction. The biases, and the projection of an LSTM's hidden state, may be
// undefined. The rows of the first four are those of the gates, one after the other.
struct RecurrentWeights {
  Tensor w_ih, w_hh, b_ih, b_hh, w_hr;
};

// The cell is that of an LSTM.
struct RecurrentState {
  Tensor hidden, cell;
};

// One step: `gates` are the products of the input.
using RecurrentStep = RecurrentState (*)(const Tensor& gates, const RecurrentState& state,
                                         const RecurrentWeights& weights);

// S. Hochreiter and J. Schmidhuber, "Long short-term memory", 1997, with a gate that forgets; K.
// Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014, whose reset gate
// acts behind the product; J. Elman, "Finding structure in time", 1990.
RecurrentState lstm_step(const Tensor& gates, const RecurrentState& state,
                         const RecurrentWeights& weights);
RecurrentState gru_step(const Tensor& gates, const RecurrentState& state,
                        const RecurrentWeights& weights);
RecurrentState tanh_step(const Tensor& gates, const RecurrentState& state,
                         const RecurrentWeights& weights);
RecurrentState relu_step(const Tensor& gates, const RecurrentState& state,
                         const RecurrentWeights& weights);

// As the arguments of operators say it.
struct RecurrentOptions {
  bool has_biases;
  int64_t num_layers;
  double dropout;
  bool train, bidirectional;

  int64_t directions() const { return bidirectional ? 2 : 1; }
};

// A sequence, and how many examples each step has; no sizes where all have as many.
struct RecurrentInput {
  Tensor data;
  std::optional<DimVector> sizes;
};

// The output of the last layer and the last states of all.
struct RecurrentResult {
  Tensor output;
  RecurrentState last;
};

// All layers. `states` as the operators take them; with a projection of the hidden state, the
// parameters of each layer and direction end with its weight. RuntimeError, in the name of the
// operator, for ranks, sizes and numbers of parameters that do not fit.
RecurrentResult run_network(std::string_view name, RecurrentStep step, const RecurrentInput& input,
                            const RecurrentState& states, TensorList params,
                            const RecurrentOptions& options, bool projected = false);

// --- checks: RuntimeError, in the name of the operator, before anything is broadcast
// --------------- A batch (N, features), states (N, hidden), and weights of `gates` gates.
void check_cell(std::string_view name, int64_t gates, const Tensor& input,
                std::span<const Tensor> states, const Tensor& w_ih, const Tensor& w_hh);

// As many parameters as there are for each layer and direction, `each`.
void check_parameters(std::string_view name, size_t given, int64_t each,
                      const RecurrentOptions& options);

// The examples of each step of packed data: not rising, and together all its elements.
void check_batch_sizes(std::string_view name, IntList sizes, int64_t elements);

// The ranks of the input and of the first weight of states, and the shape of the states.
void check_network(std::string_view name, const RecurrentInput& input, const RecurrentState& states,
                   const RecurrentWeights& first, const RecurrentOptions& options);

}  // namespace opweave::composite

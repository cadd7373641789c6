// Recurrent networks as operators: of sequences that are equally long, and of packed ones.
#include "kernels/composite/recurrent.h"
#include "opweave/kernels/composite/_lstm_layers.h"
#include "opweave/kernels/composite/gru.h"
#include "opweave/kernels/composite/lstm.h"
#include "opweave/kernels/composite/rnn_relu.h"
#include "opweave/kernels/composite/rnn_tanh.h"
#include "opweave/ops/_lstm_layers.h"
#include "opweave/ops/item.h"
#include "opweave/ops/select.h"
#include "opweave/ops/transpose.h"

namespace opweave::composite {
namespace {

using Pair = std::tuple<Tensor, Tensor>;
using Triple = std::tuple<Tensor, Tensor, Tensor>;

Pair pair_of(RecurrentResult result) {
  return {std::move(result.output), std::move(result.last.hidden)};
}
Triple triple_of(RecurrentResult result) {
  return {std::move(result.output), std::move(result.last.hidden), std::move(result.last.cell)};
}

// A hidden state that is as wide as the cell is not projected.
bool is_projected(TensorList hx) {
  return hx[0].dim() > 0 && hx[1].dim() > 0 && hx[0].size(-1) != hx[1].size(-1);
}

// Examples in the second dimension.
RecurrentResult run_equal(std::string_view name, RecurrentStep step, const Tensor& input,
                          const RecurrentState& states, TensorList params,
                          const RecurrentOptions& options, bool batch_first,
                          bool projected = false) {
  const bool turned = batch_first && input.dim() > 1;
  const Tensor data = turned ? opweave::transpose(input, 0, 1) : input;
  RecurrentResult result = run_network(name, step, {data, {}}, states, params, options, projected);
  if (turned) result.output = opweave::transpose(result.output, 0, 1);
  return result;
}

// The examples of each step, which the loops have to know.
DimVector sizes_of(std::string_view name, const Tensor& batch_sizes) {
  const bool whole = !is_floating(batch_sizes.dtype()) && batch_sizes.dtype() != kBool;
  OW_CHECK(batch_sizes.dim() == 1 && whole, name,
           "(): expected batch_sizes to be a 1D tensor of integers, but got ", batch_sizes.dim(),
           "D, opweave.", batch_sizes.dtype());
  DimVector sizes;
  for (int64_t i = 0; i < batch_sizes.size(0); ++i)
    sizes.push_back(opweave::item(opweave::select(batch_sizes, 0, i)).to_long());
  return sizes;
}

RecurrentResult run_packed(std::string_view name, RecurrentStep step, const Tensor& data,
                           const Tensor& batch_sizes, const RecurrentState& states,
                           TensorList params, const RecurrentOptions& options,
                           bool projected = false) {
  const DimVector sizes = sizes_of(name, batch_sizes);
  return run_network(name, step, {data, sizes}, states, params, options, projected);
}

}  // namespace

Triple lstm_input(const Tensor& input, TensorList hx, TensorList params, bool has_biases,
                  int64_t num_layers, double dropout, bool train, bool bidirectional,
                  bool batch_first) {
  if (!is_projected(hx)) {
    return opweave::_lstm_layers(input, hx, params, has_biases, num_layers, dropout, train,
                                 bidirectional, batch_first);
  }
  return triple_of(run_equal("lstm", lstm_step, input, {hx[0], hx[1]}, params,
                             {has_biases, num_layers, dropout, train, bidirectional}, batch_first,
                             true));
}
Triple _lstm_layers(const Tensor& input, TensorList hx, TensorList params, bool has_biases,
                    int64_t num_layers, double dropout, bool train, bool bidirectional,
                    bool batch_first) {
  return triple_of(run_equal("lstm", lstm_step, input, {hx[0], hx[1]}, params,
                             {has_biases, num_layers, dropout, train, bidirectional}, batch_first));
}
Triple lstm_data(const Tensor& data, const Tensor& batch_sizes, TensorList hx, TensorList params,
                 bool has_biases, int64_t num_layers, double dropout, bool train,
                 bool bidirectional) {
  return triple_of(run_packed("lstm", lstm_step, data, batch_sizes, {hx[0], hx[1]}, params,
                              {has_biases, num_layers, dropout, train, bidirectional},
                              is_projected(hx)));
}

Pair gru_input(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,
               int64_t num_layers, double dropout, bool train, bool bidirectional,
               bool batch_first) {
  return pair_of(run_equal("gru", gru_step, input, {hx, {}}, params,
                           {has_biases, num_layers, dropout, train, bidirectional}, batch_first));
}
Pair gru_data(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, TensorList params,
              bool has_biases, int64_t num_layers, double dropout, bool train, bool bidirectional) {
  return pair_of(run_packed("gru", gru_step, data, batch_sizes, {hx, {}}, params,
                            {has_biases, num_layers, dropout, train, bidirectional}));
}

Pair rnn_tanh_input(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,
                    int64_t num_layers, double dropout, bool train, bool bidirectional,
                    bool batch_first) {
  return pair_of(run_equal("rnn_tanh", tanh_step, input, {hx, {}}, params,
                           {has_biases, num_layers, dropout, train, bidirectional}, batch_first));
}
Pair rnn_tanh_data(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                   TensorList params, bool has_biases, int64_t num_layers, double dropout,
                   bool train, bool bidirectional) {
  return pair_of(run_packed("rnn_tanh", tanh_step, data, batch_sizes, {hx, {}}, params,
                            {has_biases, num_layers, dropout, train, bidirectional}));
}

Pair rnn_relu_input(const Tensor& input, const Tensor& hx, TensorList params, bool has_biases,
                    int64_t num_layers, double dropout, bool train, bool bidirectional,
                    bool batch_first) {
  return pair_of(run_equal("rnn_relu", relu_step, input, {hx, {}}, params,
                           {has_biases, num_layers, dropout, train, bidirectional}, batch_first));
}
Pair rnn_relu_data(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                   TensorList params, bool has_biases, int64_t num_layers, double dropout,
                   bool train, bool bidirectional) {
  return pair_of(run_packed("rnn_relu", relu_step, data, batch_sizes, {hx, {}}, params,
                            {has_biases, num_layers, dropout, train, bidirectional}));
}

}  // namespace opweave::composite

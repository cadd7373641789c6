// Recurrent networks: layer by layer, direction by direction, step by step.
#include "kernels/composite/recurrent.h"
#include "opweave/ops/cat.h"
#include "opweave/ops/dropout.h"
#include "opweave/ops/linear.h"
#include "opweave/ops/narrow.h"
#include "opweave/ops/select.h"
#include "opweave/ops/split_with_sizes.h"
#include "opweave/ops/stack.h"
#include "opweave/ops/unbind.h"

namespace opweave::composite {
namespace {

// A function of each part of a state.
template <class F>
RecurrentState each(const RecurrentState& state, const F& f) {
  return {f(state.hidden), state.cell.defined() ? f(state.cell) : Tensor()};
}

RecurrentState examples(const RecurrentState& state, int64_t start, int64_t count) {
  return each(state, [&](const Tensor& t) { return opweave::narrow(t, 0, start, count); });
}

// Parts of states, joined along a new dimension or the first one.
struct States {
  std::vector<Tensor> hidden, cells;

  void add(const RecurrentState& state) {
    hidden.push_back(state.hidden);
    if (state.cell.defined()) cells.push_back(state.cell);
  }
  template <class F>
  RecurrentState joined(const F& join) const {
    return {join(hidden), cells.empty() ? Tensor() : join(cells)};
  }
};

Tensor in_a_row(TensorList parts) { return parts.size() == 1 ? parts[0] : opweave::cat(parts); }

// One layer in one direction.
class Direction {
 public:
  Direction(RecurrentStep step, const RecurrentWeights& weights, const RecurrentState& first)
      : step_(step), weights_(weights), first_(first), state_(first) {}

  Tensor run(const RecurrentInput& input, bool backwards) {
    const Tensor gates = opweave::linear(input.data, weights_.w_ih, weights_.b_ih);
    if (!input.sizes) {
      run_equal(opweave::unbind(gates, 0), backwards);
      return opweave::stack(outputs_, 0);
    }
    const auto steps = opweave::split_with_sizes(gates, *input.sizes, 0);
    backwards ? run_packed_backwards(steps) : run_packed(steps);
    return opweave::cat(outputs_, 0);
  }

  const RecurrentState& last() const { return state_; }

 private:
  void take(const Tensor& gates, size_t place) {
    state_ = step_(gates, state_, weights_);
    if (weights_.w_hr.defined()) state_.hidden = opweave::linear(state_.hidden, weights_.w_hr);
    outputs_[place] = state_.hidden;
  }

  void run_equal(const std::vector<Tensor>& steps, bool backwards) {
    const size_t count = steps.size();
    outputs_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = backwards ? count - 1 - i : i;
      take(steps[at], at);
    }
  }

  // Steps of ever fewer examples: those that end keep their states.
  void run_packed(const std::vector<Tensor>& steps) {
    std::vector<RecurrentState> ended;
    outputs_.resize(steps.size());
    for (size_t i = 0; i < steps.size(); ++i) {
      const int64_t count = steps[i].size(0), going = state_.hidden.size(0);
      if (count < going) {
        ended.push_back(examples(state_, count, going - count));
        state_ = examples(state_, 0, count);
      }
      take(steps[i], i);
    }
    States parts;
    parts.add(state_);
    for (auto it = ended.rbegin(); it != ended.rend(); ++it) parts.add(*it);
    state_ = parts.joined(in_a_row);
  }

  // From the last step to the first: examples join as their sequences begin.
  void run_packed_backwards(const std::vector<Tensor>& steps) {
    outputs_.resize(steps.size());
    state_ = examples(first_, 0, steps.back().size(0));
    for (size_t i = steps.size(); i-- > 0;) {
      const int64_t count = steps[i].size(0), going = state_.hidden.size(0);
      if (count > going) {
        States parts;
        parts.add(state_);
        parts.add(examples(first_, going, count - going));
        state_ = parts.joined(in_a_row);
      }
      take(steps[i], i);
    }
  }

  RecurrentStep step_;
  const RecurrentWeights& weights_;
  const RecurrentState& first_;
  RecurrentState state_;
  std::vector<Tensor> outputs_;
};

// Those of each layer and direction, in the order of the parameters.
std::vector<RecurrentWeights> grouped(TensorList params, bool has_biases, bool projected,
                                      int64_t each) {
  std::vector<RecurrentWeights> groups;
  const auto size = static_cast<size_t>(each);
  for (size_t i = 0; i < params.size(); i += size) {
    RecurrentWeights group{params[i], params[i + 1], {}, {}, {}};
    if (has_biases) group.b_ih = params[i + 2], group.b_hh = params[i + 3];
    if (projected) group.w_hr = params[i + size - 1];
    groups.push_back(std::move(group));
  }
  return groups;
}

// One layer after the other. `input` becomes the output of the last one.
States run_layers(RecurrentStep step, RecurrentInput& input, const RecurrentState& states,
                  const std::vector<RecurrentWeights>& groups, const RecurrentOptions& options) {
  States last;
  const auto directions = static_cast<size_t>(options.directions());
  for (size_t first = 0; first < groups.size(); first += directions) {
    std::vector<Tensor> outputs;
    for (size_t d = 0; d < directions; ++d) {
      const auto at = static_cast<int64_t>(first + d);
      const RecurrentState begin =
          each(states, [&](const Tensor& t) { return opweave::select(t, 0, at); });
      Direction direction(step, groups[first + d], begin);
      outputs.push_back(direction.run(input, d == 1));
      last.add(direction.last());
    }
    input.data = directions == 1 ? outputs[0] : opweave::cat(outputs, -1);
    const bool between = first + directions < groups.size();
    if (between && options.train && options.dropout != 0)
      input.data = opweave::dropout(input.data, options.dropout, true);
  }
  return last;
}

}  // namespace

RecurrentResult run_network(std::string_view name, RecurrentStep step, const RecurrentInput& input,
                            const RecurrentState& states, TensorList params,
                            const RecurrentOptions& options, bool projected) {
  if (input.sizes) check_batch_sizes(name, *input.sizes, input.data.size(0));
  const int64_t each = 2 + (options.has_biases ? 2 : 0) + (projected ? 1 : 0);
  check_parameters(name, params.size(), each, options);
  const auto groups = grouped(params, options.has_biases, projected, each);
  check_network(name, input, states, groups[0], options);
  RecurrentInput rest = input;
  const States last = run_layers(step, rest, states, groups, options);
  const auto stacked = [](TensorList parts) { return opweave::stack(parts, 0); };
  return {std::move(rest.data), last.joined(stacked)};
}

}  // namespace opweave::composite

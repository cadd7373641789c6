// What recurrent networks and their cells are given: ranks and sizes, before anything is broadcast.
#include <algorithm>
#include <limits>

#include "kernels/composite/recurrent.h"

namespace opweave::composite {
namespace {

void check_rank(std::string_view name, std::string_view what, const Tensor& t,
                std::string_view sizes) {
  OW_CHECK(t.dim() == 2, name, "(): Expected 2D ", what, " (", sizes, "), but got ", t.dim(),
           "D tensor");
}

// In few words, however long it is.
std::string shortened(IntList sizes) {
  if (sizes.size() <= 8) return str(sizes);
  std::string text = str(sizes.subspan(0, 8));
  text.pop_back();
  return text + ", ...]";
}

// What is beyond int64 is too much anyway.
int64_t total_of(IntList sizes) {
  int64_t total = 0;
  for (const int64_t size : sizes) {
    if (__builtin_add_overflow(total, size, &total)) return std::numeric_limits<int64_t>::max();
  }
  return total;
}

void check_state(std::string_view name, int index, const Tensor& state, IntList wanted) {
  OW_CHECK(same_sizes(state.sizes(), wanted), name, "(): Expected hidden", index, " size (",
           wanted[0], ", ", wanted[1], ", ", wanted[2], "), got ", state.sizes());
}

}  // namespace

void check_cell(std::string_view name, int64_t gates, const Tensor& input,
                std::span<const Tensor> states, const Tensor& w_ih, const Tensor& w_hh) {
  OW_CHECK(input.dim() == 2, name, "(): Expected 2D input (batch x feature), but got ", input.dim(),
           "D input");
  for (size_t i = 0; i < states.size(); ++i)
    check_rank(name, str("hidden", i), states[i], "batch x hidden_size");
  check_rank(name, "w_ih", w_ih, "gates x features");
  check_rank(name, "w_hh", w_hh, "gates x features");
  OW_CHECK(input.size(1) == w_ih.size(1), name, "(): input has inconsistent input_size: got ",
           input.size(1), " expected ", w_ih.size(1));
  const int64_t hidden = w_hh.size(1);
  for (size_t i = 0; i < states.size(); ++i) {
    OW_CHECK(states[i].size(0) == input.size(0), name, "(): Input batch size ", input.size(0),
             " doesn't match hidden", i, " batch size ", states[i].size(0));
    OW_CHECK(states[i].size(1) == hidden, name, "(): hidden", i,
             " has inconsistent hidden_size: got ", states[i].size(1), ", expected ", hidden);
  }
  const auto check_rows = [&](std::string_view what, const Tensor& weight) {
    OW_CHECK(weight.size(0) == gates * hidden, name, "(): ", what, " first dim must be ", gates,
             " * hidden_size = ", gates * hidden, ", but got ", weight.size(0));
  };
  check_rows("w_ih", w_ih);
  check_rows("w_hh", w_hh);
}

void check_parameters(std::string_view name, size_t given, int64_t each,
                      const RecurrentOptions& options) {
  const int64_t layers = options.num_layers, directions = options.directions();
  OW_CHECK(layers >= 1, name, "(): expected at least one layer, but got num_layers=", layers);
  int64_t expected = std::numeric_limits<int64_t>::max();
  if (layers <= expected / (each * directions)) expected = layers * each * directions;
  OW_CHECK(static_cast<int64_t>(given) == expected, name, "(): got ", given, " parameters for ",
           layers, " layers, ", directions, " directions; expected ", expected, ", ", each,
           " for each");
}

void check_batch_sizes(std::string_view name, IntList sizes, int64_t elements) {
  const bool falls = std::is_sorted(sizes.begin(), sizes.end(), std::greater<>());
  OW_CHECK(falls && (sizes.empty() || sizes.back() >= 0), name,
           "(): expected batch_sizes that do not rise, the longest sequences first, and are not "
           "negative, but got ",
           shortened(sizes));
  const int64_t total = total_of(sizes);
  OW_CHECK(!sizes.empty() && total == elements, name, "(): expected batch_sizes of the ", elements,
           " elements of the data, but ", shortened(sizes), " are ", total);
}

void check_network(std::string_view name, const RecurrentInput& input, const RecurrentState& states,
                   const RecurrentWeights& first, const RecurrentOptions& options) {
  const Tensor& data = input.data;
  const bool packed = input.sizes.has_value();
  const int64_t rank = packed ? 2 : 3;
  OW_CHECK(data.dim() == rank, name, "(): Expected ", rank, "D input (",
           packed ? "elements x feature" : "steps x batch x feature", "), but got ", data.dim(),
           "D input");
  OW_CHECK(packed || data.size(0) > 0, name, "(): Expected at least one step, but got none");
  const int64_t layers = options.num_layers * options.directions();
  const int64_t batch = packed ? (*input.sizes)[0] : data.size(1);
  check_rank(name, "w_hh", first.w_hh, "gates x features");
  check_state(name, 0, states.hidden, {layers, batch, first.w_hh.size(1)});
  if (!states.cell.defined()) return;
  // What the projection reads; without one, what the weights of states read.
  const Tensor& reader = first.w_hr.defined() ? first.w_hr : first.w_hh;
  if (first.w_hr.defined()) check_rank(name, "w_hr", reader, "proj_size x hidden_size");
  check_state(name, 1, states.cell, {layers, batch, reader.size(1)});
}

}  // namespace opweave::composite

// einsum and tensordot: operands are multiplied pair by pair, each pair as one batch of matrices.
#include "opweave/kernels/composite/einsum.h"

#include <algorithm>
#include <array>

#include "kernels/composite/einsum_equation.h"
#include "opweave/kernels/composite/tensordot.h"
#include "opweave/ops/bmm.h"
#include "opweave/ops/diagonal.h"
#include "opweave/ops/expand.h"
#include "opweave/ops/mul.h"
#include "opweave/ops/permute.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/squeeze.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/to.h"
#include "opweave/ops/unsqueeze.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/reduction.h"

namespace opweave::composite {
namespace {

// A tensor with a label for each dimension, none twice.
struct Labelled {
  Tensor tensor;
  std::vector<int> labels;

  int64_t find(int label) const {
    const auto it = std::find(labels.begin(), labels.end(), label);
    return it == labels.end() ? -1 : it - labels.begin();
  }
  bool has(int label) const { return find(label) >= 0; }
  int64_t size(int label) const { return tensor.size(find(label)); }
};

bool contains(const std::vector<int>& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

char letter_of(int label) {
  return static_cast<char>(label < 26 ? 'A' + label : 'a' + (label - 26));
}

// Repeated labels: the diagonal of their dimensions.
Labelled take_diagonals(Tensor tensor, std::vector<int> labels, int64_t operand) {
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t j = i + 1; j < labels.size();) {
      if (labels[i] != labels[j]) {
        ++j;
        continue;
      }
      const int64_t a = static_cast<int64_t>(i), b = static_cast<int64_t>(j);
      OW_CHECK(tensor.size(a) == tensor.size(b), "einsum(): subscript ", letter_of(labels[i]),
               " is repeated for operand ", operand, " but the sizes don't match, ", tensor.size(b),
               " != ", tensor.size(a));
      tensor = opweave::diagonal(tensor, 0, a, b);  // the diagonal comes last
      const int label = labels[i];
      labels.erase(labels.begin() + b);
      labels.erase(labels.begin() + a);
      labels.push_back(label);
      j = i + 1;
    }
  }
  return {std::move(tensor), std::move(labels)};
}

void check_broadcast(const std::vector<Labelled>& operands, int num_labels) {
  std::vector<int64_t> seen(static_cast<size_t>(num_labels), 1);
  for (size_t i = 0; i < operands.size(); ++i) {
    for (int label : operands[i].labels) {
      const int64_t size = operands[i].size(label);
      int64_t& known = seen[static_cast<size_t>(label)];
      OW_CHECK(size == known || size == 1 || known == 1, "einsum(): subscript ",
               label < 52 ? str(letter_of(label)) : str("..."), " has size ", size, " for operand ",
               i, " which does not broadcast with previously seen size ", known);
      if (size != 1) known = size;
    }
  }
}

// Products stay in their dtype; a sum of what one operand alone has is as sum() makes it, of
// integers in int64.
Labelled sum_out(const Labelled& x, const std::vector<int>& labels,
                 std::optional<ScalarType> dtype = {}) {
  if (labels.empty()) return x;
  DimVector dims;
  Labelled result;
  for (int label : x.labels) {
    if (contains(labels, label)) {
      dims.push_back(x.find(label));
    } else {
      result.labels.push_back(label);
    }
  }
  result.tensor = ops::sum_dim_IntList::call(x.tensor, dims, false, dtype);
  return result;
}

// The same before a product: dimensions of size 1 are none to sum there, and leave the dtype as it
// is.
Labelled summed_alone(const Labelled& x, const std::vector<int>& labels) {
  const bool units = std::ranges::all_of(labels, [&](int label) { return x.size(label) == 1; });
  return units ? sum_out(x, labels, x.tensor.dtype()) : sum_out(x, labels);
}

Labelled without_unit(const Labelled& x, int label) {
  Labelled result = x;
  result.tensor = ops::squeeze_dim::call(x.tensor, x.find(label));
  result.labels.erase(result.labels.begin() + x.find(label));
  return result;
}

// Dimensions in the order of `groups`, each group one dimension; a label that is missing counts 1.
Tensor grouped(const Labelled& x, std::initializer_list<const std::vector<int>*> groups) {
  DimVector order, shape;
  for (const auto* group : groups) {
    int64_t size = 1;
    for (int label : *group) {
      order.push_back(x.find(label));
      size *= x.size(label);
    }
    shape.push_back(size);
  }
  return opweave::reshape(opweave::permute(x.tensor, order), shape);
}

struct PairLabels {
  std::vector<int> batch, summed, left, right;
};

// Which labels of a pair survive, and in which role. `needed`: later operands or the output use it.
template <class Needed>
PairLabels sort_labels(Labelled& a, Labelled& b, const Needed& needed) {
  for (const std::vector<int> all = a.labels; int label : all) {
    if (!b.has(label) || a.size(label) == b.size(label)) continue;
    // Broadcast: the one element takes part in everything that the other side has.
    if (a.size(label) == 1) {
      a = without_unit(a, label);
    } else {
      b = without_unit(b, label);
    }
  }
  PairLabels roles;
  std::vector<int> only_a, only_b;
  for (int label : a.labels) {
    if (b.has(label)) {
      (needed(label) ? roles.batch : roles.summed).push_back(label);
    } else {
      (needed(label) ? roles.left : only_a).push_back(label);
    }
  }
  for (int label : b.labels) {
    if (!a.has(label)) (needed(label) ? roles.right : only_b).push_back(label);
  }
  a = summed_alone(a, only_a);
  b = summed_alone(b, only_b);
  return roles;
}

// Elementwise products need no matrices.
Labelled multiply_pair(const Labelled& a, const Labelled& b, const PairLabels& roles) {
  Labelled result;
  DimVector a_sizes, b_sizes;
  for (const auto* group : {&roles.batch, &roles.left, &roles.right}) {
    for (int label : *group) {
      result.labels.push_back(label);
      a_sizes.push_back(a.has(label) ? a.size(label) : 1);
      b_sizes.push_back(b.has(label) ? b.size(label) : 1);
    }
  }
  const Tensor x = opweave::reshape(grouped(a, {&roles.batch, &roles.left}), a_sizes);
  const Tensor y = opweave::reshape(grouped(b, {&roles.batch, &roles.right}), b_sizes);
  result.tensor = opweave::mul(x, y);
  return result;
}

// Of which one may have become int64.
void promote(Labelled& a, Labelled& b) {
  const ScalarType dtype = promote_types(a.tensor.dtype(), b.tensor.dtype());
  for (Labelled* x : {&a, &b}) {
    if (x->tensor.dtype() != dtype) x->tensor = opweave::to(x->tensor, dtype);
  }
}

template <class Needed>
Labelled contract(Labelled a, Labelled b, const Needed& needed) {
  const PairLabels roles = sort_labels(a, b, needed);
  if (roles.summed.empty()) return multiply_pair(a, b, roles);
  const bool whole = !is_floating(a.tensor.dtype()) && !is_floating(b.tensor.dtype());
  if (whole) promote(a, b);
  const Tensor x = grouped(a, {&roles.batch, &roles.left, &roles.summed});
  const Tensor y = grouped(b, {&roles.batch, &roles.summed, &roles.right});
  Labelled result;
  DimVector sizes;
  for (const auto* group : {&roles.batch, &roles.left, &roles.right}) {
    for (int label : *group) {
      result.labels.push_back(label);
      sizes.push_back(a.has(label) ? a.size(label) : b.size(label));
    }
  }
  result.tensor = opweave::reshape(opweave::bmm(x, y), sizes);
  return result;
}

Tensor in_output_order(const Labelled& x, const std::vector<int>& output) {
  std::vector<int> rest;
  for (int label : x.labels) {
    if (!contains(output, label)) rest.push_back(label);
  }
  const Labelled kept = sum_out(x, rest);
  DimVector order;
  for (int label : output) order.push_back(kept.find(label));
  bool in_order = true;
  for (size_t i = 0; i < order.size(); ++i) in_order &= order[i] == static_cast<int64_t>(i);
  return in_order ? kept.tensor : opweave::permute(kept.tensor, order);
}

}  // namespace

// Any order of the products gives the same; one that names no order is an error.
static void check_path(IntList path, size_t operands) {
  const size_t wanted = operands == 1 ? 1 : 2 * (operands - 1);
  OW_CHECK(path.size() == wanted,
           "einsum(): expected contraction path given in path parameter to have size ", wanted,
           " but got ", path.size());
  for (size_t i = 0; i + 1 < path.size(); i += 2) {
    const int64_t a = path[i], b = path[i + 1], left = static_cast<int64_t>(operands - i / 2);
    OW_CHECK(a != b, "einsum(): invalid contraction (", a, ", ", b,
             ") cannot contract an operand with itself");
    OW_CHECK(std::min(a, b) >= 0 && std::max(a, b) < left, "einsum(): invalid contraction (", a,
             ", ", b, ") operand index is out of bounds");
  }
}

Tensor einsum(std::string_view equation, TensorList tensors, std::optional<IntList> path) {
  const EinsumEquation parsed = parse_einsum(equation, tensors);
  if (path) check_path(*path, tensors.size());
  std::vector<Labelled> operands;
  for (size_t i = 0; i < tensors.size(); ++i) {
    operands.push_back(take_diagonals(tensors[i], parsed.inputs[i], static_cast<int64_t>(i)));
  }
  check_broadcast(operands, parsed.num_labels);
  Labelled result = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    auto needed = [&](int label) {
      const auto later = operands.begin() + static_cast<int64_t>(i) + 1;
      return contains(parsed.output, label) ||
             std::any_of(later, operands.end(), [&](const Labelled& x) { return x.has(label); });
    };
    result = contract(std::move(result), operands[i], needed);
  }
  return in_output_order(result, parsed.output);
}

Tensor tensordot(const Tensor& self, const Tensor& other, IntList dims_self, IntList dims_other) {
  OW_CHECK(dims_self.size() == dims_other.size(), "both dimension lists should have same length");
  OW_CHECK(self.dtype() == other.dtype(), "both inputs should have same dtype, got ", self.dtype(),
           " and ", other.dtype());
  reduced_dims(dims_self, self.dim());  // each is named once
  reduced_dims(dims_other, other.dim());
  Labelled a{self, {}}, b{other, {}};
  const int free_b = static_cast<int>(self.dim());
  for (int d = 0; d < free_b; ++d) a.labels.push_back(d);
  for (int d = 0; d < other.dim(); ++d) b.labels.push_back(free_b + d);
  for (size_t i = 0; i < dims_self.size(); ++i) {
    const int64_t d = wrap_dim(dims_self[i], self.dim()), e = wrap_dim(dims_other[i], other.dim());
    OW_CHECK(self.size(d) == other.size(e) || self.size(d) == 1 || other.size(e) == 1,
             "contracted dimensions need to match, but first has size ", self.size(d), " in dim ",
             dims_self[i], " and second has size ", other.size(e), " in dim ", dims_other[i]);
    b.labels[static_cast<size_t>(e)] = static_cast<int>(d);
  }
  std::vector<int> output;
  for (int label : a.labels) {
    if (!b.has(label)) output.push_back(label);
  }
  for (int label : b.labels) {
    if (label >= free_b) output.push_back(label);
  }
  auto needed = [&](int label) { return contains(output, label); };
  const Tensor found = in_output_order(contract(std::move(a), std::move(b), needed), output);
  // Integers stay in their dtype, also where one element is contracted with several; floating
  // dtypes are autocast's to choose.
  const bool kept = is_floating(found.dtype()) || found.dtype() == self.dtype();
  return kept ? found : opweave::to(found, self.dtype());
}

}  // namespace opweave::composite

// What functionalities make of an operator, as its entry says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opweave::codegen {

// How vmap runs an operator on a batch of examples.
enum class Batching : uint8_t {
  automatic,  // by what the operator is: see lowered/batching.h
  pointwise,  // its tensors broadcast: their dimensions are lined up behind the examples
  same,       // the operator itself does the same whatever stands in front
  loop,       // one example after the other
  none,       // as if its memory were not a batch's: a view that only memory can make is refused
  sized,      // `size` gives the sizes of the result
  dims,       // arguments name dimensions of its one tensor: they are counted behind the examples
  example,    // the formula `batching` computes one example
  batch,      // it computes all, from tensors with the examples in front
};

// What autocast makes of floating-point arguments.
enum class Autocast : uint8_t {
  none,             // nothing
  lower_precision,  // the dtype of the region
  fp32,
  promote,  // the widest of theirs
  refused,  // an error
};
struct AutocastPolicies {
  Autocast cpu = Autocast::none, others = Autocast::none;
  bool any() const { return cpu != Autocast::none || others != Autocast::none; }
};

// What an argument means, for those who change what it is about: a batch has one dimension more.
enum class Role : uint8_t {
  unsaid,
  number,       // none of the following
  dim,          // an int or ints that name dimensions of the first tensor
  dims_or_all,  // ints that name dimensions, of which none means all
  order,        // all dimensions, in an order
  new_dim,      // a dimension of the result, which has one more than the first tensor
  sizes,        // the sizes of the result
  index,        // of an element
  probability,
  training,    // whether the call is one of training
  statistics,  // a tensor that such a call updates, though the schema does not say so
};

struct Policies {
  Batching batching = Batching::automatic;
  AutocastPolicies autocast;
  std::vector<Role> roles;  // of arguments; none of those that a derived form has more

  Role role(size_t argument) const {
    return argument < roles.size() ? roles[argument] : Role::unsaid;
  }
  // The argument with this role, or -1.
  int find_role(Role role) const;
};

}  // namespace opweave::codegen
